/* Slots are taken in order, but become free in any order, because streams run at the same time. So the drain thread
 * checks all slots. */
#include "preload/fingerprint/results.h"

#include <stddef.h>
#include <sys/mman.h>

bool xs_results_make(struct xs_results *results) {
    size_t bytes = XS_RESULTS_BYTES;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return false;
    madvise(memory, bytes, MADV_DONTFORK); /* otherwise, after a fork, copy-on-write could give the parent other pages
                                              than those that the device writes */
    results->slots = memory;
    return true;
}

/* A slot's state is one word, so that no thread sees half of a change. High half: how often all slots of the ring were
 * taken before the ticket. Low half: the id of the awaited fingerprint; 0: the slot is free. */
static uint64_t state_of(uint64_t ticket, uint32_t id) { return (ticket - 1) / XS_RESULTS << 32 | id; }
static uint32_t id_of(uint64_t state) { return (uint32_t)state; }
static uint64_t ticket_of(uint64_t state, uint32_t index) { return (state >> 32) * XS_RESULTS + index + 1; }

uint64_t xs_results_take(struct xs_results *results, uint32_t id) {
    uint64_t ticket = atomic_fetch_add_explicit(&results->taken, 1, memory_order_relaxed) + 1;
    _Atomic uint64_t *state = &results->states[xs_results_index(ticket)];
    uint64_t before = atomic_load_explicit(state, memory_order_acquire);
    bool mine = id_of(before) == 0 && atomic_compare_exchange_strong(state, &before, state_of(ticket, id));
    return mine ? ticket : 0;
}

void xs_results_give_back(struct xs_results *results, uint64_t ticket) {
    atomic_store_explicit(&results->states[xs_results_index(ticket)], state_of(ticket, 0), memory_order_release);
}

bool xs_results_rename(struct xs_results *results, uint64_t ticket, uint32_t id) {
    uint32_t i = xs_results_index(ticket);
    uint64_t before = atomic_load_explicit(&results->states[i], memory_order_acquire);
    return id_of(before) != 0 && ticket_of(before, i) == ticket &&
           atomic_compare_exchange_strong(&results->states[i], &before, state_of(ticket, id));
}

/* True if the result has arrived. The kernel writes `sequence` last, after a system-wide fence. */
static bool is_there(const struct xs_results *results, uint32_t i, uint64_t ticket) {
    return __atomic_load_n(&results->slots[i].sequence, __ATOMIC_ACQUIRE) == ticket;
}

bool xs_results_arrived(const struct xs_results *results, uint64_t ticket) {
    uint32_t i = xs_results_index(ticket);
    uint64_t state = atomic_load_explicit(&results->states[i], memory_order_acquire);
    return ticket == 0 || id_of(state) == 0 || ticket_of(state, i) != ticket || is_there(results, i, ticket);
}

/* Returns the number of slots that were ever taken; the slots after them need not be checked. */
static uint32_t end_of(const struct xs_results *results) {
    uint64_t taken = atomic_load_explicit(&results->taken, memory_order_acquire);
    return taken < XS_RESULTS ? (uint32_t)taken : XS_RESULTS;
}

uint64_t xs_results_awaited(const struct xs_results *results) {
    uint64_t n = 0;
    for (uint32_t i = 0, end = end_of(results); i < end; i++) {
        uint64_t state = atomic_load_explicit(&results->states[i], memory_order_acquire);
        n += id_of(state) != 0 && !is_there(results, i, ticket_of(state, i));
    }
    return n;
}

void xs_results_abandon(struct xs_results *results) {
    for (uint32_t i = 0, end = end_of(results); i < end; i++) {
        uint64_t state = atomic_load_explicit(&results->states[i], memory_order_acquire);
        if (id_of(state) != 0 && !is_there(results, i, ticket_of(state, i)))
            atomic_compare_exchange_strong(&results->states[i], &state, state_of(ticket_of(state, i), 0));
    }
}

static struct xs_event_fingerprint read_result(const struct xs_results *results, uint32_t i, uint32_t id) {
    const volatile struct xs_fingerprint_result *r = &results->slots[i];
    struct xs_event_fingerprint f = {.content = {r->content[0], r->content[1]},
                                     .before = {r->before[0], r->before[1]},
                                     .id = id,
                                     .leaves = r->leaves,
                                     .changed_leaves = r->changed_leaves,
                                     .constant_value = r->constant_value,
                                     .flags = XS_FINGERPRINT_DEVICE};
    if (r->flags & XS_RESULT_HAS_BEFORE)
        f.flags |= XS_FINGERPRINT_BEFORE | XS_FINGERPRINT_CHANGED;
    if (r->flags & XS_RESULT_CONSTANT)
        f.flags |= XS_FINGERPRINT_CONSTANT;
    return f;
}

int64_t xs_results_drain(struct xs_results *results, struct xs_store *store) {
    int64_t written = 0;
    for (uint32_t i = 0, end = end_of(results); i < end; i++) {
        uint64_t state = atomic_load_explicit(&results->states[i], memory_order_acquire);
        uint64_t ticket = ticket_of(state, i);
        if (id_of(state) == 0 || !is_there(results, i, ticket))
            continue;
        uint32_t id = id_of(state);
        struct xs_event_fingerprint f = read_result(results, i, id);
        if (!atomic_compare_exchange_strong(&results->states[i], &state, state_of(ticket, 0)))
            continue; /* the result is no longer awaited */
        int status = id == XS_RESULT_OF_NOBODY ? 0 : xs_store_fingerprint(store, &f);
        if (status < 0)
            return status;
        written++;
    }
    return written;
}
