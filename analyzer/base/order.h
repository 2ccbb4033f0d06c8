/* An order sorts rows that are nearly in order of time, with at most `most_rows` rows in memory. Such rows consist of a
 * few interleaved ascending runs, for instance one for each thread or stream. Each row is appended to a run whose last
 * row is not later; the next row in order is the smallest of the runs' first rows. If all rows are already in order, a
 * row costs as little as in a queue. */
#ifndef XFERSPY_ANALYZER_BASE_ORDER_H
#define XFERSPY_ANALYZER_BASE_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { XS_ORDER_RUNS = 64 };

struct xs_order_key {
    int64_t ns, id; /* ordered by time, then by id */
};

struct xs_order {
    size_t item_bytes, step; /* item_bytes: size of an item; step: size of a slot, which holds an item and its header */
    unsigned most_rows, count;
    unsigned free;  /* first free slot that was used before; UINT32_MAX: none */
    unsigned fresh; /* first slot that was never used; this slot and those after it take no memory yet */
    char *slots;
    unsigned run_count, last_run;
    struct xs_order_run {
        unsigned head, tail;
    } runs[XS_ORDER_RUNS];
    struct xs_order_key out; /* key of the item that was removed last */
    bool any_out;
};

/* Begins an order with room for at most `most_rows` rows, at least 1. */
void xs_order_begin(struct xs_order *order, size_t item_bytes, unsigned most_rows);
void xs_order_free(struct xs_order *order);

static inline bool xs_order_is_full(const struct xs_order *order) { return order->count == order->most_rows; }

/* Returns a slot for a row. The row is not part of the order until xs_order_put. The order must not be full. */
void *xs_order_slot(struct xs_order *order);

/* Adds the row in that slot to the order. False: the row belongs before a row that was removed already, or there are
 * too many runs. In both cases the order is too small for these rows, and the slot is free again. */
bool xs_order_put(struct xs_order *order, void *slot, struct xs_order_key key);

/* Returns the smallest row and sets `*key`; NULL: the order is empty. */
void *xs_order_first(const struct xs_order *order, struct xs_order_key *key);

/* Frees the slot of the smallest row; the content of the slot remains readable until the next xs_order_slot. */
void xs_order_pop(struct xs_order *order);

#endif
