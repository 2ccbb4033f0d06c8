/* leak: memory whose amount grows while the program runs, because one place allocates again and again, and the memory
 * is neither used nor freed afterwards. Memory use grows with the number of allocations that live at the end. */
#include "analyzer/base/search.h"
#include "analyzer/findings/engine/detector.h"

#include <stdlib.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/numbers.h"

/* An allocation that lives at the end. */
struct live {
    struct xs_instance instance;
    uint64_t begin_order, use_order;
    bool unseen_launched;
    bool is_lost; /* nothing used it after its place had made the next allocation */
};

struct state {
    bool begun;
    uint64_t first, last; /* `order` of the first allocation and of the end of the trace */
    struct live *live;
    size_t count, capacity;
};

/* True if an allocation can be a leak. Mappings, imports and registered memory (which is the program's own) cannot, and
 * pools keep their memory on purpose. */
static bool applies(const struct xs_allocation *a) {
    return (a->origin == XS_ORIGIN_ALLOC || a->origin == XS_ORIGIN_POOL) && !a->is_pool &&
           (a->kind == XS_MEM_DEVICE || a->kind == XS_MEM_PINNED || a->kind == XS_MEM_MANAGED);
}

/* Handles an allocation that lives at the end. It cannot be decided if the process was killed, because then it could
 * not free the memory, or if calls were not recorded, because one of them may have been the free. */
static void on_event(struct xs_detection *detection, const struct xs_trace_event *event) {
    struct state *state = detection->state;
    const struct xs_allocation *a = event->u.allocation;
    if (!state->begun) {
        state->begun = true;
        state->first = xs_residency_order(detection->residency);
    }
    if (event->on != XS_ON_LIVE || !detection->ended || !detection->calls_recorded || !applies(a))
        return;
    xs_grow(&state->live, state->count, &state->capacity, sizeof *state->live);
    struct live *live = &state->live[state->count++];
    state->last = xs_residency_order(detection->residency);
    *live = (struct live){.instance = {.site = a->site, .at_ns = a->enter_ns, .bytes = a->bytes},
                          .begin_order = a->begin_order,
                          .use_order = a->use_order,
                          .unseen_launched = a->unseen_launched};
    xs_add_evidence(&live->instance, XS_EVIDENCE_ALLOCATION, a->id, "this allocation");
}

static int by_site_and_time(const void *a, const void *b) {
    const struct live *x = a, *y = b;
    return xs_compare(x->instance.site, y->instance.site) ?: xs_compare_uint64(x->begin_order, y->begin_order);
}

/* Decides about the allocations of one place. The first tenth of the run does not count, because programs set up their
 * memory then. Memory grows if each third of the rest has an allocation that was lost. Positions in the run are counted
 * in events instead of time, so that a busy machine gives the same result. */
static void judge(struct xs_detection *detection, struct live *live, size_t count) {
    enum { THIRDS = 3 };
    const struct state *state = detection->state;
    double span = (double)(state->last - state->first), setup = (double)state->first + span / 10;
    unsigned thirds = 0;
    bool unseen = false;
    for (size_t i = 0; i < count; i++) {
        double since = (double)live[i].begin_order - setup;
        live[i].is_lost = since > 0 && (i + 1 == count || live[i].use_order < live[i + 1].begin_order);
        int third = (int)(since * THIRDS / (span * 0.9));
        if (live[i].is_lost)
            thirds |= 1u << (third < THIRDS ? third : THIRDS - 1);
        unseen |= live[i].is_lost && live[i].unseen_launched;
    }
    for (size_t i = 0; i < count && thirds == (1u << THIRDS) - 1; i++)
        if (live[i].is_lost && unseen)
            xs_undecided(detection, XS_UNDECIDED_ARGUMENTS);
        else if (live[i].is_lost)
            xs_report_instance(detection, &live[i].instance);
}

static void finish(struct xs_detection *detection) {
    struct state *state = detection->state;
    xs_sort(state->live, state->count, sizeof *state->live, by_site_and_time);
    for (size_t i = 0, next; i < state->count; i = next) {
        for (next = i + 1; next < state->count && state->live[next].instance.site == state->live[i].instance.site;)
            next++;
        judge(detection, &state->live[i], next - i);
    }
}

static void end(struct xs_detection *detection) {
    struct state *state = detection->state;
    free(state->live);
}

const struct xs_detector xs_detector_leak = {
    .id = "leak",
    .title = "memory that one place allocates again and again and never frees",
    .definition = "The place allocated during the whole run; the memory was not used after the place's next allocation "
                  "and was still allocated when the program ended.",
    .remedy = "Free it on every path.",
    .kind = XS_ADVICE,
    .wants = XS_WANT(XS_ON_ALLOCATION) | XS_WANT(XS_ON_LIVE),
    .state_bytes = sizeof(struct state),
    .on_event = on_event,
    .finish = finish,
    .end = end,
};
