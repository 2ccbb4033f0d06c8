/* Sorts rows that are nearly in order of time, while only a limited number of them (the window) is in memory. The rows
 * are a few ascending runs that are mixed with each other: one run for each thread or stream. So each row is added to
 * the end of the run that it continues, and the next row in order is the smallest among the first rows of the runs. If
 * the rows are in order already, this is as cheap as a queue. */
#ifndef XFERSPY_ANALYZER_BASE_ORDER_H
#define XFERSPY_ANALYZER_BASE_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { XS_ORDER_RUNS = 64 };

struct xs_order_key {
    int64_t ns, id; /* by time, then by id */
};

struct xs_order {
    size_t item_bytes, step; /* step: item and its head */
    unsigned window, count;
    unsigned free;  /* first free place of those used before, UINT32_MAX: none */
    unsigned fresh; /* places from here on were never used, and so take no memory yet */
    char *places;
    unsigned run_count, last_run;
    struct xs_order_run {
        unsigned head, tail;
    } runs[XS_ORDER_RUNS];
    struct xs_order_key out; /* of the last one handed out */
    bool any_out;
};

/* `window` of 1 and more. */
void xs_order_begin(struct xs_order *order, size_t item_bytes, unsigned window);
void xs_order_free(struct xs_order *order);

static inline bool xs_order_is_full(const struct xs_order *order) { return order->count == order->window; }

/* A place for a row, not yet in order; the order must not be full. */
void *xs_order_place(struct xs_order *order);

/* Sorts the row in that place in among the others. Returns false if the row belongs before one that was handed out
 * already, or if there are too many runs: then the window is too small for these rows, and the place is free again. */
bool xs_order_put(struct xs_order *order, void *place, struct xs_order_key key);

/* The least; NULL: none waits. */
void *xs_order_first(const struct xs_order *order, struct xs_order_key *key);

/* Gives the least one's place back; its content stays until the next xs_order_place. */
void xs_order_pop(struct xs_order *order);

#endif
