/* Disjoint address ranges in order, each with an owner: which write a byte belongs to, which allocation, what was
 * written at all. A sorted sequence in blocks: a look-up is two binary searches, a change moves one block at most. */
#ifndef XFERSPY_ANALYZER_BASE_SPANS_H
#define XFERSPY_ANALYZER_BASE_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xs_span {
    uint64_t start, end; /* [start, end) */
    void *owner;
};

struct xs_span_block;

struct xs_spans { /* zeroed: empty */
    struct xs_span_block **blocks;
    size_t count, capacity; /* blocks; none of them is empty */
};

/* A place in the sequence; any change makes it void. */
struct xs_span_place {
    size_t block, item;
};

/* The first span that ends after `address`; NULL: none. */
const struct xs_span *xs_spans_seek(const struct xs_spans *spans, uint64_t address, struct xs_span_place *place);

/* The next one; NULL: none. */
const struct xs_span *xs_spans_next(const struct xs_spans *spans, struct xs_span_place *place);

/* Takes [start, end) out. `taken` is called for each part of a span that lay in it, before it is gone, and must not
 * change the spans; NULL: not called. */
typedef void xs_span_taken(void *context, void *owner, uint64_t bytes);
void xs_spans_clear(struct xs_spans *spans, uint64_t start, uint64_t end, xs_span_taken *taken, void *context);

/* Puts a span where nothing lies. An empty one is ignored. */
void xs_spans_insert(struct xs_spans *spans, uint64_t start, uint64_t end, void *owner);

/* For sets without owners: adds [start, end) and joins it with what it overlaps or touches, so that what is covered is
 * always covered by one span. */
void xs_spans_cover(struct xs_spans *spans, uint64_t start, uint64_t end);
bool xs_spans_covered(const struct xs_spans *spans, uint64_t start, uint64_t end);

void xs_spans_free(struct xs_spans *spans);

#endif
