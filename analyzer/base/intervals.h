/* Interval sets compute the union of many time intervals, and the length of the intersection of two unions. An interval
 * takes 16 bytes. Intervals that arrive in order and touch each other are stored as one. */
#ifndef XFERSPY_ANALYZER_BASE_INTERVALS_H
#define XFERSPY_ANALYZER_BASE_INTERVALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xs_interval {
    int64_t start, end; /* [start, end) */
};

struct xs_intervals {
    struct xs_interval *items;
    size_t count, capacity;
    bool unordered; /* the start of an added interval is earlier than the start of the last item */
};

/* Adds an interval; an empty or inverted interval is ignored. The program ends if memory runs out. */
void xs_intervals_add(struct xs_intervals *set, int64_t start, int64_t end);

/* Replaces the intervals by disjoint ones in ascending order, and returns their total length. */
uint64_t xs_intervals_unite(struct xs_intervals *set);

/* Returns the length of the intersection of two united sets. `common` gets the intersection; NULL: the caller does not
 * need it. */
uint64_t xs_intervals_common(const struct xs_intervals *a, const struct xs_intervals *b, struct xs_intervals *common);

void xs_intervals_free(struct xs_intervals *set);

#endif
