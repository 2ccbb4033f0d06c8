/* Finds pairs of a free and the allocation that follows it; see churn.h. */
#include "analyzer/findings/detectors/churn.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/grow.h"

enum { ENOUGH = 5 /* pairs of one size */, SIZES = 16384 };

/* A freed allocation that could have been kept. */
struct freed {
    int64_t id, enter_ns;
    uint64_t free_ns;
    uint64_t claimed_ns; /* the part of its time that an earlier pair claimed, in which this allocation was the later
                          * one */
    struct xs_account *account;
};

/* A pair that waits until there are enough pairs of its size. */
struct pair {
    struct freed freed;
    struct xs_account *account; /* account of the allocation that followed */
    int64_t id, enter_ns;
    uint64_t alloc_ns;
};

struct size {
    struct freed *freed; /* by the time of the free */
    size_t freed_count, freed_capacity;
    unsigned pairs; /* number of pairs, counted up to ENOUGH; then each further pair is reported at once */
    struct pair waiting[ENOUGH - 1];
};

static uint64_t span_ns(int64_t enter, int64_t leave) { return (uint64_t)leave - (uint64_t)enter; }

/* Makes a key that is equal for two allocations if one could have been kept and used instead of the other. */
static void find_key(const struct xs_allocation *a, uint64_t key[2]) {
    bool registered = a->kind == XS_MEM_REGISTERED;
    key[0] = a->bytes;
    key[1] = xs_mix(((uint64_t)a->site << 32 | (uint32_t)a->context) ^ xs_mix((uint64_t)a->kind)) ^
             (registered ? xs_mix(a->address) : 0);
}

/* --- sizes --- */

static void drop_size(struct xs_detection *detection, const struct size *size) {
    for (size_t i = 0; i < size->freed_count; i++)
        xs_account_release(detection->analysis, size->freed[i].account);
    for (unsigned i = 0; i < size->pairs && size->pairs < ENOUGH; i++) {
        xs_account_release(detection->analysis, size->waiting[i].freed.account);
        xs_account_release(detection->analysis, size->waiting[i].account);
    }
    free(size->freed);
}

/* Forgets the sizes with too few pairs; if these are less than half of all sizes, forgets all sizes. */
static void sweep(struct xs_detection *detection) {
    struct xs_churn *churn = detection->state;
    size_t few = 0;
    for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(&churn->sizes, entry));)
        few += ((const struct size *)(uintptr_t)entry->value)->pairs < ENOUGH;
    for (const struct xs_hash_entry *entry = xs_hash_next(&churn->sizes, NULL), *next; entry; entry = next) {
        const struct size *size = (const struct size *)(uintptr_t)entry->value;
        next = xs_hash_next(&churn->sizes, entry);
        if (size->pairs >= ENOUGH && few >= SIZES / 2)
            continue;
        drop_size(detection, size);
        xs_hash_remove(&churn->sizes, entry->low, entry->high);
    }
}

static struct size *size_of(struct xs_detection *detection, const struct xs_allocation *a, bool make) {
    struct xs_churn *churn = detection->state;
    uint64_t key[2];
    find_key(a, key);
    struct size *size = xs_hash_pointer(&churn->sizes, key[0], key[1]);
    if (size || !make)
        return size;
    if (churn->sizes.count >= SIZES)
        sweep(detection);
    return xs_hash_item(&churn->sizes, key[0], key[1], sizeof *size);
}

/* --- pairs --- */

/* Returns the time that the earlier pair claimed of the freed allocation; 0 if that pair did not pass the filter. */
static uint64_t claimed_before(struct xs_detection *detection, const struct pair *pair) {
    struct xs_instance before = {.evidence_count = 0};
    xs_add_evidence(&before, XS_EVIDENCE_ALLOCATION, pair->freed.id, "this allocation");
    return xs_consider(detection, &before) ? pair->freed.claimed_ns : 0;
}

/* Reports the calls that are not needed if the freed allocation is kept: its free, and the later allocation. */
static void report(struct xs_detection *detection, const struct xs_allocation *a, const struct pair *pair) {
    const struct xs_churn *churn = detection->state;
    if (churn->on_pair) {
        churn->on_pair(detection, pair->id, pair->freed.id);
        xs_account_release(detection->analysis, pair->freed.account);
        xs_account_release(detection->analysis, pair->account);
        return;
    }
    struct xs_instance instance = {.site = a->site,
                                   .at_ns = pair->enter_ns,
                                   .bytes = a->bytes,
                                   .cost.host_ns = pair->alloc_ns + pair->freed.free_ns};
    instance.removable = instance.cost;
    xs_add_evidence(&instance, XS_EVIDENCE_ALLOCATION, pair->id, "this allocation");
    xs_add_evidence(&instance, XS_EVIDENCE_ALLOCATION, pair->freed.id, "the one freed before it");
    uint64_t claimed_ns = claimed_before(detection, pair);
    xs_report_instance(detection, &instance);
    /* each call is claimed from its own allocation's account, where the largest claim counts; so the later claim
     * includes the earlier one */
    xs_claim(detection, pair->freed.account, &(struct xs_times){.host_ns = claimed_ns + pair->freed.free_ns});
    xs_claim(detection, pair->account, &(struct xs_times){.host_ns = pair->alloc_ns});
    xs_account_release(detection->analysis, pair->freed.account);
    xs_account_release(detection->analysis, pair->account);
}

static void take_pair(struct xs_detection *detection, struct size *size, const struct xs_allocation *a,
                      const struct pair *pair) {
    if (size->pairs < ENOUGH - 1) {
        size->waiting[size->pairs++] = *pair;
        return;
    }
    if (size->pairs < ENOUGH)
        for (unsigned i = 0; i < size->pairs; i++)
            report(detection, a, &size->waiting[i]);
    size->pairs = ENOUGH;
    report(detection, a, pair);
}

static void take_allocation(struct xs_detection *detection, const struct xs_trace_event *event) {
    struct xs_churn *churn = detection->state;
    const struct xs_allocation *a = event->u.allocation;
    struct size *size = size_of(detection, a, false);
    size_t i = size ? size->freed_count : 0;
    while (i > 0 && size->freed[i - 1].enter_ns > a->enter_ns) /* it was freed while this call was running */
        i--;
    if (!i)
        return;
    struct pair pair = {.freed = size->freed[i - 1],
                        .account = xs_account_keep(event->account),
                        .id = a->id,
                        .enter_ns = a->enter_ns,
                        .alloc_ns = span_ns(a->enter_ns, a->return_ns)};
    memmove(&size->freed[i - 1], &size->freed[i], (size->freed_count - i) * sizeof *size->freed);
    size->freed_count--;
    *xs_hash_put(&churn->repeats, (uint64_t)a->id, 0) = 1;
    take_pair(detection, size, a, &pair);
}

static void take_free(struct xs_detection *detection, const struct xs_trace_event *event, bool refused) {
    struct xs_churn *churn = detection->state;
    const struct xs_allocation *a = event->u.allocation;
    bool repeats = xs_hash_find(&churn->repeats, (uint64_t)a->id, 0) != NULL;
    if (repeats)
        xs_hash_remove(&churn->repeats, (uint64_t)a->id, 0);
    if (!a->freed_by_call ||
        refused) /* it was freed with its context, or to make room, so it could not have been kept */
        return;
    struct size *size = size_of(detection, a, true);
    xs_grow_from(4, &size->freed, size->freed_count, &size->freed_capacity, sizeof *size->freed);
    size->freed[size->freed_count++] = (struct freed){.id = a->id,
                                                      .enter_ns = a->free_enter_ns,
                                                      .free_ns = span_ns(a->free_enter_ns, a->free_return_ns),
                                                      .claimed_ns = repeats ? span_ns(a->enter_ns, a->return_ns) : 0,
                                                      .account = xs_account_keep(event->account)};
}

/* Records that an allocation failed for lack of memory. An allocator then frees blocks and tries again; those blocks
 * could not have been kept. */
static void take_refusal(struct xs_churn *churn, const struct xs_trace_event *event) {
    if (xs_is_refusal(event))
        *xs_hash_put(&churn->refused, (uint64_t)(uint32_t)event->thread, 0) = 1;
}

void xs_churn_take(struct xs_detection *detection, const struct xs_trace_event *event, enum xs_churn_of of) {
    struct xs_churn *churn = detection->state;
    if (event->on == XS_ON_API) {
        take_refusal(churn, event);
        return;
    }
    const struct xs_allocation *a = event->u.allocation;
    bool page_locked = a->kind == XS_MEM_PINNED || a->kind == XS_MEM_REGISTERED;
    bool other = a->kind == XS_MEM_DEVICE || a->kind == XS_MEM_MANAGED;
    uint64_t thread = (uint64_t)(uint32_t)event->thread;
    bool refused = churn->refused.count && xs_hash_find(&churn->refused, thread, 0);
    if (refused && event->on == XS_ON_ALLOCATION)
        xs_hash_remove(&churn->refused, thread, 0);
    /* memory from a pool already follows the remedy, and mappings have no memory of their own */
    if (a->origin != XS_ORIGIN_ALLOC || !(of == XS_CHURN_PAGE_LOCKED ? page_locked : other))
        return;
    if (event->on == XS_ON_ALLOCATION)
        take_allocation(detection, event);
    else if (event->on == XS_ON_FREE)
        take_free(detection, event, refused);
}

void xs_churn_end(struct xs_detection *detection) {
    struct xs_churn *churn = detection->state;
    for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(&churn->sizes, entry));)
        drop_size(detection, (const struct size *)(uintptr_t)entry->value);
    xs_hash_free(&churn->sizes);
    xs_hash_free(&churn->repeats);
    xs_hash_free(&churn->refused);
}
