/* Merges the runs of nearly ordered rows; see order.h. */
#include "analyzer/base/order.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"

enum { NOWHERE = UINT32_MAX };

struct slot {
    struct xs_order_key key;
    unsigned next; /* next item of its run, or of the list of free slots */
    unsigned unused;
};

static struct slot *place_at(const struct xs_order *order, unsigned index) {
    return (struct slot *)(void *)(order->slots + (size_t)index * order->step);
}

static bool before(struct xs_order_key a, struct xs_order_key b) { return a.ns != b.ns ? a.ns < b.ns : a.id < b.id; }

void xs_order_begin(struct xs_order *order, size_t item_bytes, unsigned most_rows) {
    *order = (struct xs_order){.item_bytes = item_bytes, .most_rows = most_rows, .free = NOWHERE};
    order->step = sizeof(struct slot) + ((item_bytes + 7) & ~(size_t)7);
    order->slots = xs_realloc(NULL, order->step * most_rows);
}

void xs_order_free(struct xs_order *order) {
    free(order->slots);
    *order = (struct xs_order){0};
}

void *xs_order_slot(struct xs_order *order) {
    if (order->free == NOWHERE) {
        order->free = order->fresh++;
        place_at(order, order->free)->next = NOWHERE;
    }
    return place_at(order, order->free) + 1;
}

/* Returns the run whose first row is the smallest. Usually there is only one run. */
static unsigned first_run(const struct xs_order *order) {
    unsigned first = 0;
    for (unsigned i = 1; i < order->run_count; i++)
        if (before(place_at(order, order->runs[i].head)->key, place_at(order, order->runs[first].head)->key))
            first = i;
    return first;
}

bool xs_order_put(struct xs_order *order, void *item, struct xs_order_key key) {
    struct slot *slot = (struct slot *)item - 1;
    unsigned index = order->free, run = order->last_run;
    if (order->any_out && before(key, order->out))
        return false;
    slot->key = key;
    if (run >= order->run_count || before(key, place_at(order, order->runs[run].tail)->key)) {
        for (run = 0; run < order->run_count; run++)
            if (!before(key, place_at(order, order->runs[run].tail)->key))
                break;
        if (run == XS_ORDER_RUNS)
            return false;
    }
    order->free = slot->next;
    slot->next = NOWHERE;
    if (run == order->run_count)
        order->runs[order->run_count++] = (struct xs_order_run){index, index};
    else
        place_at(order, order->runs[run].tail)->next = index;
    order->runs[run].tail = index;
    order->last_run = run;
    order->count++;
    return true;
}

void *xs_order_first(const struct xs_order *order, struct xs_order_key *key) {
    if (!order->count)
        return NULL;
    struct slot *slot = place_at(order, order->runs[first_run(order)].head);
    *key = slot->key;
    return slot + 1;
}

void xs_order_pop(struct xs_order *order) {
    unsigned run = first_run(order), index = order->runs[run].head;
    struct slot *slot = place_at(order, index);
    order->out = slot->key;
    order->any_out = true;
    order->count--;
    if (slot->next == NOWHERE) {
        order->runs[run] = order->runs[--order->run_count];
        if (order->last_run == order->run_count)
            order->last_run = run;
    } else {
        order->runs[run].head = slot->next;
    }
    slot->next = order->free;
    order->free = index;
}
