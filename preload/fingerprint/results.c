/* Slots are taken in order and come free in any, since streams run side by side: the drain thread looks at all that are
 * awaited, from the oldest on. */
#include "preload/fingerprint/results.h"

#include <stddef.h>
#include <sys/mman.h>

bool xs_results_make(struct xs_results *results) {
    size_t bytes = XS_RESULTS_BYTES;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        return false;
    }
    madvise(memory, bytes, MADV_DONTFORK); /* a child's copy-on-write would take the pages from under the device */
    results->slots = memory;
    return true;
}

uint64_t xs_results_take(struct xs_results *results, uint32_t id) {
    uint64_t ticket = atomic_fetch_add_explicit(&results->taken, 1, memory_order_relaxed) + 1;
    uint32_t i = xs_results_index(ticket), none = 0;
    if (!atomic_compare_exchange_strong_explicit(&results->ids[i], &none, id, memory_order_acq_rel,
                                                 memory_order_relaxed)) {
        return 0;
    }
    atomic_store_explicit(&results->sequences[i], ticket, memory_order_release);
    return ticket;
}

void xs_results_give_back(struct xs_results *results, uint64_t ticket) {
    atomic_store_explicit(&results->ids[xs_results_index(ticket)], 0, memory_order_release);
}

void xs_results_rename(struct xs_results *results, uint64_t ticket, uint32_t id) {
    atomic_store_explicit(&results->ids[xs_results_index(ticket)], id, memory_order_release);
}

/* The kernel writes `sequence` last, behind a system-wide fence. */
static bool is_there(const struct xs_results *results, uint32_t i, uint64_t ticket) {
    return __atomic_load_n(&results->slots[i].sequence, __ATOMIC_ACQUIRE) == ticket;
}

bool xs_results_arrived(const struct xs_results *results, uint64_t ticket) {
    uint32_t i = xs_results_index(ticket);
    return ticket == 0 || is_there(results, i, ticket) ||
           atomic_load_explicit(&results->sequences[i], memory_order_acquire) != ticket ||
           atomic_load_explicit(&results->ids[i], memory_order_acquire) == 0;
}

/* From the oldest ticket whose slot may still be taken to the youngest. */
static uint64_t first_of(const struct xs_results *results, uint64_t end) {
    uint64_t first = atomic_load_explicit(&results->drained, memory_order_relaxed) + 1;
    return end >= XS_RESULTS && first < end - XS_RESULTS + 1 ? end - XS_RESULTS + 1 : first;
}

uint64_t xs_results_awaited(const struct xs_results *results) {
    uint64_t n = 0, end = atomic_load_explicit(&results->taken, memory_order_acquire);
    for (uint64_t ticket = first_of(results, end); ticket <= end; ticket++) {
        n += !xs_results_arrived(results, ticket);
    }
    return n;
}

void xs_results_abandon(struct xs_results *results) {
    uint64_t end = atomic_load_explicit(&results->taken, memory_order_acquire);
    for (uint64_t ticket = first_of(results, end); ticket <= end; ticket++) {
        uint32_t i = xs_results_index(ticket);
        if (atomic_load(&results->sequences[i]) == ticket && !is_there(results, i, ticket)) {
            atomic_store_explicit(&results->ids[i], 0, memory_order_release);
        }
    }
}

static int write_down(struct xs_results *results, struct xs_store *store, uint32_t i, uint32_t id) {
    const volatile struct xs_fingerprint_result *r = &results->slots[i];
    struct xs_event_fingerprint f = {.content = {r->content[0], r->content[1]},
                                     .before = {r->before[0], r->before[1]},
                                     .id = id,
                                     .leaves = r->leaves,
                                     .changed_leaves = r->changed_leaves,
                                     .constant_value = r->constant_value,
                                     .flags = XS_FINGERPRINT_DEVICE};
    if (r->flags & XS_RESULT_HAS_BEFORE) {
        f.flags |= XS_FINGERPRINT_BEFORE | XS_FINGERPRINT_CHANGED;
    }
    if (r->flags & XS_RESULT_CONSTANT) {
        f.flags |= XS_FINGERPRINT_CONSTANT;
    }
    return xs_store_fingerprint(store, &f);
}

int64_t xs_results_drain(struct xs_results *results, struct xs_store *store) {
    int64_t written = 0;
    uint64_t end = atomic_load_explicit(&results->taken, memory_order_acquire);
    uint64_t ticket = first_of(results, end), all_before = ticket - 1;
    bool gap = false;
    for (; ticket <= end; ticket++) {
        uint32_t i = xs_results_index(ticket);
        uint32_t id = atomic_load_explicit(&results->ids[i], memory_order_acquire);
        bool mine = id != 0 && atomic_load_explicit(&results->sequences[i], memory_order_acquire) == ticket;
        if (mine && is_there(results, i, ticket)) {
            int status = id == XS_RESULT_OF_NOBODY ? 0 : write_down(results, store, i, id);
            if (status < 0) {
                return status;
            }
            written++;
            atomic_store_explicit(&results->ids[i], 0, memory_order_release);
        } else if (id != 0) { /* awaited, or about to get its sequence number */
            gap = true;
        }
        all_before = gap ? all_before : ticket;
    }
    atomic_store_explicit(&results->drained, all_before, memory_order_relaxed);
    return written;
}
