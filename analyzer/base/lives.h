/* Address ranges that live for a time, and which of them lives at an address: asked in the order of time, so that one
 * that ended, or begins later, never hides the one that lives. Of two that live at one address at once (the end of one
 * was not recorded) it is the one that began last. */
#ifndef XFERSPY_ANALYZER_BASE_LIVES_H
#define XFERSPY_ANALYZER_BASE_LIVES_H

#include "analyzer/base/spans.h"

struct xs_life {
    uint64_t begin, end;       /* addresses: [begin, end) */
    int64_t from_ns, until_ns; /* it lives from the one, and not at the other any more */
};

struct xs_lives {
    const struct xs_life *items;
    struct xs_life_change *changes; /* beginnings and ends, by time */
    size_t change_count, next;
    struct xs_spans living; /* their owners are items */
};

/* The items are to stay where they are until the end. Always to be ended. */
void xs_lives_begin(struct xs_lives *lives, const struct xs_life *items, size_t count);
void xs_lives_end(struct xs_lives *lives);

/* The index plus 1 of the one that lives there then; 0: none. Not to be asked for an earlier time than before. */
size_t xs_lives_at(struct xs_lives *lives, uint64_t address, int64_t ns);

#endif
