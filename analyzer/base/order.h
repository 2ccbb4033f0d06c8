/* Puts rows that are nearly in order of time into order, with a window of them waiting. They come as a few interleaved
 * ascending runs (one a thread, or a stream), so each waits at the end of a run that it continues, and the first is the
 * least of the runs' heads: as cheap as a queue where all is in order already. */
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

/* Puts what was filled in at that place into order. False where it belongs before one that was handed out already, or
 * there are too many runs: the window is too small for these rows. The place is then free again. */
bool xs_order_put(struct xs_order *order, void *place, struct xs_order_key key);

/* The least; NULL: none waits. */
void *xs_order_first(const struct xs_order *order, struct xs_order_key *key);

/* Gives the least one's place back; its content stays until the next xs_order_place. */
void xs_order_pop(struct xs_order *order);

#endif
