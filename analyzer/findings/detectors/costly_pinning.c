/* costly-pinning: host memory whose page-locking cost more time than it saved. The cost is the time of the calls that
 * lock and unlock it; the saving is the extra time that all its copies would have taken from pageable memory. Memory
 * use grows with the number of page-locked allocations that cost at least LEAST_NS; churn.h says what its part uses. */
#include "analyzer/base/hash.h"
#include "analyzer/findings/detectors/churn.h"
#include "analyzer/trace/scan.h"

enum { LEAST_NS = 1000000 };

/* Page-locked memory whose calls cost at least LEAST_NS. */
struct memory {
    struct xs_instance instance;
    struct xs_account *account;
    uint64_t worth_ns; /* upper bound of how much longer its copies would take from pageable memory */
    uint64_t copies;
    int32_t device;     /* device of its latest copy; -1: no copy, or unknown */
    bool is_used_apart; /* other calls than copies used it */
    const char *doubt;  /* why it cannot be decided; NULL: no reason is known so far */
    bool is_costly;     /* set when its life ends, from the copies that are known */
    bool is_churned;    /* it is reported by pinned-churn */
    bool has_ended;     /* its life */
};

struct state {
    struct xs_churn churn;   /* must be the first member; finds the memory that pinned-churn reports */
    struct xs_hash memories; /* by allocation.id: struct memory, also if its life has ended */
    size_t live;             /* number of memories whose life has not ended */
};

static bool applies(const struct xs_allocation *a) {
    return a->origin == XS_ORIGIN_ALLOC && (a->kind == XS_MEM_PINNED || a->kind == XS_MEM_REGISTERED);
}

static uint64_t span_ns(int64_t enter, int64_t leave) { return (uint64_t)leave - (uint64_t)enter; }

static struct memory *memory_of(struct state *state, int64_t allocation) {
    struct memory *memory = state->live ? xs_hash_pointer(&state->memories, (uint64_t)allocation, 0) : NULL;
    return memory && !memory->has_ended ? memory : NULL;
}

static struct memory *memory_at(struct xs_detection *detection, int64_t allocation, uint64_t address) {
    struct state *state = detection->state;
    if (!state->live)
        return NULL;
    const struct xs_allocation *at = allocation ? NULL : xs_allocation_at(detection->residency, address);
    return memory_of(state, at ? at->id : allocation);
}

/* --- allocation --- */

static void take_allocation(struct xs_detection *detection, const struct xs_trace_event *event) {
    struct state *state = detection->state;
    const struct xs_allocation *a = event->u.allocation;
    uint64_t most_ns = span_ns(a->enter_ns, a->return_ns);
    if (a->free_return_ns != INT64_MAX)
        most_ns = xs_sum(most_ns, span_ns(a->free_enter_ns, a->free_return_ns));
    if (most_ns < LEAST_NS)
        return;
    struct memory *memory = xs_hash_item(&state->memories, (uint64_t)a->id, 0, sizeof *memory);
    if (memory->account) /* a damaged trace has the allocation twice */
        return;
    *memory = (struct memory){.instance = {.site = a->site, .at_ns = a->enter_ns, .bytes = a->bytes},
                              .account = xs_account_keep(event->account),
                              .device = -1};
    xs_add_evidence(&memory->instance, XS_EVIDENCE_ALLOCATION, a->id, "this allocation");
    state->live++;
}

/* --- use --- */

/* Returns how much longer the program would take if the copy were from or to pageable memory. An asynchronous copy
 * costs the host no time if the memory is page-locked, but up to its whole time if the memory is pageable; so for it
 * the whole pageable time is returned, as an upper bound. For other copies the result is the difference of the two
 * times. */
static uint64_t worth_of(const struct xs_detection *detection, const struct xs_trace_event *event, const char **doubt) {
    const struct xs_transfer_view *t = &event->u.transfer;
    enum xs_link_class classes[2] = {xs_link_class_of(t->direction, XS_MEM_PAGEABLE),
                                     xs_link_class_of(t->direction, XS_MEM_PINNED)};
    static const char *const reasons[2] = {"no rate of pageable copies", "no rate of pinned copies"};
    uint64_t ns[2];
    for (unsigned i = 0; i < 2; i++) {
        const struct xs_link_line *line = &detection->link->lines[classes[i]];
        if (!line->known || line->assumed || line->rate_assumed)
            *doubt = *doubt ? *doubt : reasons[i];
        ns[i] = xs_link_ns(detection->link, classes[i], t->bytes);
    }
    if (t->box.height)
        *doubt = *doubt ? *doubt : "copies of two or three dimensions";
    if (event->is_async)
        return ns[0];
    return ns[0] > ns[1] ? ns[0] - ns[1] : 0;
}

static void take_copy(struct xs_detection *detection, const struct xs_trace_event *event) {
    const struct xs_transfer_view *t = &event->u.transfer;
    bool is_up = t->direction == XS_DIR_H2D;
    if (!is_up && t->direction != XS_DIR_D2H)
        return;
    struct memory *memory =
        memory_at(detection, is_up ? t->src_allocation : t->dst_allocation, is_up ? t->src_address : t->dst_address);
    if (memory && event->is_captured) {
        memory->doubt = memory->doubt ? memory->doubt : "copies of graphs";
    } else if (memory && event->ran) {
        memory->worth_ns = xs_sum(memory->worth_ns, worth_of(detection, event, &memory->doubt));
        memory->copies++;
        memory->device = event->device;
    }
}

static void take_other_use(struct xs_detection *detection, int64_t allocation, uint64_t address) {
    struct memory *memory = address || allocation ? memory_at(detection, allocation, address) : NULL;
    if (memory)
        memory->is_used_apart = true;
}

/* --- end --- */

static const char *doubt_of(const struct xs_detection *detection, const struct memory *memory,
                            const struct xs_allocation *a, bool lives) {
    const char *doubt = xs_doubt_of_use(detection, lives);
    return doubt ? doubt : a->unseen_launched ? XS_UNDECIDED_ARGUMENTS : memory->doubt;
}

/* Returns the time of the calls that lock and unlock the memory. The wait for kernels in the free does not count,
 * because without this free the program waits for them elsewhere. */
static uint64_t price_of(struct xs_detection *detection, const struct memory *memory, const struct xs_allocation *a,
                         bool is_freed) {
    uint64_t price_ns = span_ns(a->enter_ns, a->return_ns), waited_ns = 0;
    if (!is_freed)
        return price_ns;
    if (memory->device >= 0)
        waited_ns = xs_kernels_between(detection, memory->device, a->free_enter_ns, a->free_return_ns);
    return xs_sum(price_ns, span_ns(a->free_enter_ns, a->free_return_ns) - waited_ns);
}

/* Returns the time that the program needs without page-locking: its copies take longer, and the pageable memory that
 * replaces an allocation has to be touched for the first time. */
static uint64_t instead_of(const struct memory *memory, const struct xs_allocation *a) {
    double touch_ns = a->kind == XS_MEM_PINNED ? (double)a->bytes * XS_FIRST_TOUCH_NS_PER_BYTE : 0;
    return xs_sum(memory->worth_ns, touch_ns < 9e18 ? (uint64_t)touch_ns : (uint64_t)9e18);
}

/* True if the memory is used for copies only. If kernels or other calls may use it, it may have been page-locked for
 * them. */
static bool is_for_copies(const struct memory *memory, const struct xs_allocation *a) {
    if (memory->is_used_apart || a->touch_order || a->any_launch_touches)
        return false;
    return memory->copies || (a->kind == XS_MEM_REGISTERED && !a->launch_ran);
}

static void judge(struct xs_detection *detection, struct memory *memory, const struct xs_allocation *a, bool is_freed,
                  bool lives) {
    uint64_t price_ns = price_of(detection, memory, a, is_freed), instead_ns = instead_of(memory, a);
    memory->is_costly = price_ns >= LEAST_NS && price_ns > instead_ns && is_for_copies(memory, a);
    if (!memory->is_costly) {
        xs_account_release(detection->analysis, memory->account);
        memory->account = NULL;
        return;
    }
    memory->doubt = doubt_of(detection, memory, a, lives);
    memory->instance.cost.host_ns = price_ns;
    memory->instance.removable.host_ns = price_ns - instead_ns;
}

static void take_end(struct xs_detection *detection, const struct xs_trace_event *event) {
    const struct xs_allocation *a = event->u.allocation;
    struct state *state = detection->state;
    struct memory *memory = memory_of(state, a->id);
    bool lives = event->on == XS_ON_LIVE, is_freed = !lives && a->freed_by_call;
    if (!memory)
        return;
    judge(detection, memory, a, is_freed, lives);
    memory->has_ended = true;
    state->live--;
}

/* --- memory that pinned-churn reports --- */

static void note_churned(struct state *state, int64_t allocation) {
    struct memory *memory = xs_hash_pointer(&state->memories, (uint64_t)allocation, 0);
    if (memory)
        memory->is_churned = true;
}

static void on_pair(struct xs_detection *detection, int64_t id, int64_t freed_id) {
    note_churned(detection->state, id);
    note_churned(detection->state, freed_id);
}

static void take_churn(struct xs_detection *detection, const struct xs_trace_event *event) {
    struct state *state = detection->state;
    state->churn.on_pair = on_pair;
    xs_churn_take(detection, event, XS_CHURN_PAGE_LOCKED);
}

static void on_event(struct xs_detection *detection, const struct xs_trace_event *event) {
    switch (event->on) {
    case XS_ON_ALLOCATION:
        if (applies(event->u.allocation))
            take_allocation(detection, event);
        break;
    case XS_ON_FREE:
    case XS_ON_LIVE:
        if (applies(event->u.allocation))
            take_end(detection, event);
        break;
    case XS_ON_TRANSFER:
        take_copy(detection, event);
        break;
    case XS_ON_MEMSET:
        take_other_use(detection, event->u.memset.allocation, event->u.memset.address);
        break;
    case XS_ON_API:
        take_other_use(detection, 0, event->u.api.address);
        break;
    default:
        break;
    }
    if (event->on == XS_ON_ALLOCATION || event->on == XS_ON_FREE || event->on == XS_ON_API)
        take_churn(detection, event); /* this comes last, so that the memory of each pair is known */
}

static void finish(struct xs_detection *detection) {
    struct state *state = detection->state;
    for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(&state->memories, entry));) {
        const struct memory *memory = (const struct memory *)(uintptr_t)entry->value;
        if (!memory->is_costly || memory->is_churned)
            continue;
        if (memory->doubt) {
            if (memory->instance.removable.host_ns >= LEAST_NS) /* a smaller saving does not matter */
                xs_undecided(detection, memory->doubt);
        } else {
            xs_report_instance(detection, &memory->instance);
            xs_claim(detection, memory->account, &memory->instance.removable);
        }
    }
}

static void end(struct xs_detection *detection) {
    struct state *state = detection->state;
    for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(&state->memories, entry));)
        xs_account_release(detection->analysis, ((const struct memory *)(uintptr_t)entry->value)->account);
    xs_hash_free(&state->memories);
    xs_churn_end(detection);
}

const struct xs_detector xs_detector_costly_pinning = {
    .id = "costly-pinning",
    .title = "host memory that costs more to page-lock than its copies save by it",
    .definition = "The calls that page-lock the memory and release it took longer than all of its copies would take "
                  "longer with pageable memory.",
    .remedy = "Copy from or to pageable memory, or page-lock one buffer and use it for more copies.",
    .kind = XS_REMOVES_CALLS,
    .repair = XS_REPAIR_UNPIN,
    .wants = XS_WANT(XS_ON_ALLOCATION) | XS_WANT(XS_ON_FREE) | XS_WANT(XS_ON_LIVE) | XS_WANT(XS_ON_TRANSFER) |
             XS_WANT(XS_ON_MEMSET) | XS_WANT(XS_ON_API) | XS_WANT_NOT_RUN,
    .state_bytes = sizeof(struct state),
    .on_event = on_event,
    .finish = finish,
    .end = end,
};
