/* Spans are address ranges in ascending order that do not overlap. Each span has an owner, for example the allocation
 * with these bytes, or the last write to them. A set without owners only says which bytes were written. The spans lie
 * in blocks. A look-up is two binary searches, and to add or remove a span moves the spans of at most one block. */
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
    size_t count, capacity; /* number of blocks, and room for blocks; no block is empty */
};

/* A position in the sequence; any change of the spans invalidates it. */
struct xs_span_cursor {
    size_t block, item;
};

/* Returns the first span that ends after `address`; NULL: none. */
const struct xs_span *xs_spans_seek(const struct xs_spans *spans, uint64_t address, struct xs_span_cursor *cursor);

/* Returns the next span; NULL: none. */
const struct xs_span *xs_spans_next(const struct xs_spans *spans, struct xs_span_cursor *cursor);

/* Removes [start, end). The function `taken` is called for each part of a span in this range, before that part is
 * removed. It must not change the spans; NULL: no function is called. */
typedef void xs_span_taken(void *context, void *owner, uint64_t bytes);
void xs_spans_clear(struct xs_spans *spans, uint64_t start, uint64_t end, xs_span_taken *taken, void *context);

/* Adds a span that must not overlap any other. An empty span is ignored. */
void xs_spans_insert(struct xs_spans *spans, uint64_t start, uint64_t end, void *owner);

/* Adds [start, end) to a set without owners and merges the range with spans that it overlaps or touches, so that spans
 * never touch each other. */
void xs_spans_cover(struct xs_spans *spans, uint64_t start, uint64_t end);
/* True if one span contains all of [start, end). */
bool xs_spans_covered(const struct xs_spans *spans, uint64_t start, uint64_t end);

void xs_spans_free(struct xs_spans *spans);

#endif
