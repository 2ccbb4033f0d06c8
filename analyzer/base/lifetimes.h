/* A life is an address range that exists for a time. A look-up finds the life that exists at an address at a given
 * time, so it never finds a life that has ended or that begins later. Look-ups must be made in order of time. If two
 * lives exist at one address at the same time (because one end was not recorded), the life that began later is found.
 * The other life is then no longer found at this address, even after the later life has ended. */
#ifndef XFERSPY_ANALYZER_BASE_LIFETIMES_H
#define XFERSPY_ANALYZER_BASE_LIFETIMES_H

#include "analyzer/base/spans.h"

struct xs_life {
    uint64_t begin, end;       /* addresses: [begin, end) */
    int64_t from_ns, until_ns; /* it exists in the time [from_ns, until_ns) */
};

struct xs_lives {
    const struct xs_life *items;
    struct xs_life_change *changes; /* beginnings and ends of lives, in order of time */
    size_t change_count, next;
    struct xs_spans living; /* the owner of a span is the life to which it belongs */
};

/* Indexes the items, which must not move until xs_lives_end. xs_lives_end must always be called. */
void xs_lives_begin(struct xs_lives *lives, const struct xs_life *items, size_t count);
void xs_lives_end(struct xs_lives *lives);

/* Returns the index plus 1 of the item that exists at the address at `ns`; 0: none. `ns` must not decrease from call to
 * call. */
size_t xs_lives_at(struct xs_lives *lives, uint64_t address, int64_t ns);

#endif
