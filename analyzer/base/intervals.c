/* Unions and intersections of time intervals; see intervals.h. */
#include "analyzer/base/intervals.h"

#include <stdlib.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/search.h"

void xs_intervals_add(struct xs_intervals *set, int64_t start, int64_t end) {
    if (end <= start)
        return;
    if (set->count) {
        struct xs_interval *last = &set->items[set->count - 1];
        /* usually one piece of work follows another without a gap, which then costs no memory */
        if (start >= last->start && start <= last->end) {
            last->end = end > last->end ? end : last->end;
            return;
        }
        set->unordered |= start < last->start;
    }
    xs_grow(&set->items, set->count, &set->capacity, sizeof *set->items);
    set->items[set->count++] = (struct xs_interval){start, end};
}

static int by_start(const void *a, const void *b) {
    const struct xs_interval *x = a, *y = b;
    return (x->start > y->start) - (x->start < y->start);
}

/* Sorts the intervals by start. The records of a device are written when work ends, so those of several streams are a
 * few places away from their order. Inserting each one where it belongs then takes far less time than a general sort.
 * If the intervals are in no order, inserting would take too long, so the general sort does the rest. */
static void sort_by_start(struct xs_intervals *set) {
    enum { MOVES_OF_ONE = 16 }; /* a general sort of a million items makes about 20 comparisons for each item */
    size_t moves = 0;
    for (size_t i = 1; i < set->count && moves <= set->count * MOVES_OF_ONE; i++) {
        struct xs_interval next = set->items[i];
        size_t place = i;
        for (; place > 0 && set->items[place - 1].start > next.start && moves <= set->count * MOVES_OF_ONE; moves++) {
            set->items[place] = set->items[place - 1];
            place--;
        }
        set->items[place] = next;
    }
    if (moves > set->count * MOVES_OF_ONE)
        xs_sort(set->items, set->count, sizeof *set->items, by_start);
}

uint64_t xs_intervals_unite(struct xs_intervals *set) {
    uint64_t length = 0;
    size_t kept = 0;
    if (set->unordered)
        sort_by_start(set);
    set->unordered = false;
    for (size_t i = 0; i < set->count; i++) {
        struct xs_interval next = set->items[i];
        if (kept && next.start <= set->items[kept - 1].end) {
            if (next.end > set->items[kept - 1].end)
                set->items[kept - 1].end = next.end;
        } else {
            set->items[kept++] = next;
        }
    }
    set->count = kept;
    for (size_t i = 0; i < kept; i++)
        length += (uint64_t)set->items[i].end - (uint64_t)set->items[i].start;
    return length;
}

uint64_t xs_intervals_common(const struct xs_intervals *a, const struct xs_intervals *b, struct xs_intervals *common) {
    uint64_t length = 0;
    for (size_t i = 0, j = 0; i < a->count && j < b->count;) {
        const struct xs_interval *x = &a->items[i], *y = &b->items[j];
        int64_t start = x->start > y->start ? x->start : y->start;
        int64_t end = x->end < y->end ? x->end : y->end;
        if (start < end)
            length += (uint64_t)end - (uint64_t)start;
        if (common)
            xs_intervals_add(common, start, end);
        if (x->end < y->end)
            i++;
        else
            j++;
    }
    return length;
}

void xs_intervals_free(struct xs_intervals *set) {
    free(set->items);
    *set = (struct xs_intervals){0};
}
