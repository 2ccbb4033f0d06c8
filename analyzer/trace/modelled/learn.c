/* Learns from the windows; see learn.h. Only calls with records, waits and frees are read. */
#include "analyzer/trace/modelled/learn.h"

#include <stdlib.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/numbers.h"

/* The time from a launch to its kernel that is assumed until such a time was measured. */
enum { USUAL_LATENCY_NS = 5000 };

/* The state of the pass. The hash tables map keys to the end of the latest recorded work; 0: none. */
struct learning {
    struct xs_learned *learned;
    struct xs_recordings *recordings;
    struct xs_modelled_tables *tables;
    const struct xs_device_windows *windows;
    struct xs_hash lanes, legacy, ordered, events; /* by lane, by device + 1, and by the handle of the event */
    struct xs_hash engines[XS_COPY_ENGINES];
    struct xs_hash devices; /* ends of all work of a device */
    struct xs_hash latest;  /* by lane: the window of its latest call, plus 1 */
    int64_t launch_ns;      /* from a launch to its kernel if the kernel waits for no other work; a moving average */
};

static int64_t end_of(const struct xs_hash *ends, uint64_t key) {
    const uint64_t *end = xs_hash_find(ends, key, 0);
    return end ? (int64_t)*end : 0;
}

static void raise(struct xs_hash *ends, uint64_t key, int64_t end_ns) {
    uint64_t *end = xs_hash_put(ends, key, 0);
    *end = (uint64_t)xs_later((int64_t)*end, end_ns);
}

bool xs_work_of(const struct xs_recorded *first, size_t rows, struct xs_work *work) {
    *work = (struct xs_work){.start_ns = INT64_MAX, .end_ns = INT64_MIN};
    for (size_t i = 0; i < rows; i++) {
        const struct xs_modelled_row *row = &first[i].row;
        if (row->start_ns == XS_SHAPE_NULL)
            return false;
        work->start_ns = row->start_ns < work->start_ns ? row->start_ns : work->start_ns;
        work->end_ns = xs_later(row->end_ns, work->end_ns);
        work->sum_ns += row->end_ns - row->start_ns;
        work->bytes = xs_sum(work->bytes, row->bytes);
    }
    return true;
}

static void learn_graph(struct learning *l, const struct xs_modelled_call *call, const struct xs_recorded *first,
                        size_t rows, const struct xs_work *work) {
    struct xs_learned *learned = l->learned;
    uint64_t *index = xs_hash_put(&learned->graph_of, call->object, 0);
    if (!*index) {
        xs_grow(&learned->graphs, learned->graph_count, &learned->graph_capacity, sizeof *learned->graphs);
        learned->graphs[learned->graph_count].count = 0;
        *index = ++learned->graph_count;
    }
    struct graphs *graphs = &learned->graphs[*index - 1];
    if (graphs->count < sizeof graphs->items / sizeof *graphs->items)
        graphs->items[graphs->count++] =
            (struct xs_launched_graph){first, rows, work->start_ns, work->end_ns - work->start_ns, work->sum_ns};
}

/* The ends of the work that a call's work had to wait for, because of CUDA's order of streams or because of the copy
 * engine that the call needs. */
struct before {
    int64_t lane_ns, all_ns;
    bool is_legacy;
    bool is_known; /* the previous work in the lane was recorded, too; false: unknown work may have been queued before
                    * this work */
    uint64_t device;
};

static struct before before_of(const struct learning *l, const struct xs_modelled_call *call, int64_t lane) {
    struct before before = {
        .lane_ns = end_of(&l->lanes, (uint64_t)lane), .is_legacy = lane < 0, .device = xs_device_of(l->learned, call)};
    enum xs_engine engine = xs_engine_of(call);
    bool is_apart = xs_hash_find(&l->learned->apart, (uint64_t)lane, 0) != NULL;
    int64_t window = xs_device_window_at(l->windows, call->enter_ns);
    const uint64_t *latest = xs_hash_find(&l->latest, (uint64_t)lane, 0);
    before.is_known = window >= 0 && latest && *latest == (uint64_t)window + 1;
    before.all_ns = before.lane_ns;
    if (!is_apart)
        before.all_ns = xs_later(before.all_ns, end_of(before.is_legacy ? &l->ordered : &l->legacy, before.device));
    if (engine != XS_COPY_ENGINES)
        before.all_ns = xs_later(before.all_ns, end_of(&l->engines[engine], before.device));
    return before;
}

static void add_order(struct learning *l, const struct xs_modelled_call *call, int64_t lane,
                      const struct before *before, const struct xs_work *work) {
    if (!before->is_legacy && work->start_ns + XS_MODELLED_CLOCKS_NS <
                                  end_of(&l->legacy, before->device)) /* the work did not wait for the legacy stream */
        *xs_hash_put(&l->learned->apart, (uint64_t)lane, 0) = 1;
    *xs_hash_put(&l->latest, (uint64_t)lane, 0) = (uint64_t)(xs_device_window_at(l->windows, call->enter_ns) + 1);
    raise(&l->lanes, (uint64_t)lane, work->end_ns);
    raise(&l->devices, before->device, work->end_ns);
    if (before->is_legacy)
        raise(&l->legacy, before->device, work->end_ns);
    if (!xs_hash_find(&l->learned->apart, (uint64_t)lane, 0))
        raise(&l->ordered, before->device, work->end_ns);
    if (xs_engine_of(call) != XS_COPY_ENGINES)
        raise(&l->engines[xs_engine_of(call)], before->device, work->end_ns);
}

static int64_t thousandths(int64_t of, int64_t whole) {
    double share = (double)of * 1000 / (double)whole;
    return share < 1e12 ? (int64_t)share : (int64_t)1e12;
}

/* True if a kernel could have begun before the preceding work ended, and therefore had to wait for that work. Otherwise
 * the kernel came late because it was launched late, and does not show how long the device pauses between two kernels.
 */
static bool had_to_wait(const struct learning *l, const struct xs_modelled_call *call, int64_t before_ns) {
    return call->kind != XS_CALL_LAUNCH || before_ns > call->enter_ns + l->launch_ns;
}

static void learn_group(struct learning *l, struct xs_group *group, const struct xs_modelled_call *call,
                        const struct before *before, const struct xs_work *work, uint32_t shape) {
    struct xs_values *values = group->values;
    bool is_measured = call->return_ns > call->enter_ns; /* the duration of a kernel's launch is not measured */
    if (group->shape == UINT32_MAX)
        group->shape = shape;
    if (call->batch_index < 0)
        xs_values_add(&values[XS_LEARNED_NS], work->sum_ns);
    if (call->kind != XS_CALL_LAUNCH)
        xs_values_add(&values[XS_LEARNED_RATIO],
                      thousandths(work->sum_ns, xs_learned_link_ns(l->learned, call, work->bytes)));
    /* work that began after its call returned was staged first */
    bool after = is_measured && work->start_ns >= call->return_ns;
    int64_t given_ns = after ? call->return_ns : call->enter_ns;
    int64_t latency_ns = xs_later(0, work->start_ns - given_ns);
    if (before->is_known && before->all_ns <= given_ns) {
        xs_values_add(&values[after ? XS_LEARNED_AFTER : XS_LEARNED_LATENCY], latency_ns);
        if (call->kind == XS_CALL_LAUNCH)
            l->launch_ns += (latency_ns - l->launch_ns) / 8;
    } else if (before->is_known && work->start_ns + XS_MODELLED_CLOCKS_NS >= before->all_ns &&
               had_to_wait(l, call, before->all_ns))
        xs_values_add(&values[XS_LEARNED_GAP], xs_later(0, work->start_ns - before->all_ns));
    if (is_measured && xs_call_is_pageable(call) && call->batch_index < 0)
        xs_values_add(&values[XS_LEARNED_SHARE], thousandths(work->sum_ns, call->return_ns - call->enter_ns));
    if (is_measured) {
        group->began_within += work->start_ns < call->return_ns;
        group->returned_early += work->end_ns > call->return_ns + XS_MODELLED_CLOCKS_NS;
        xs_values_add(&values[XS_LEARNED_NOTICE], call->return_ns - work->end_ns);
        if (before->lane_ns > call->enter_ns)
            xs_values_add(&values[XS_LEARNED_STAGED], call->return_ns - before->lane_ns);
    }
}

static void learn_work(struct learning *l, const struct xs_modelled_call *call) {
    size_t rows;
    struct xs_work work;
    struct xs_recorded *first = xs_recordings_find(l->recordings, call->correlation, &rows);
    if (!first)
        return;
    first->taken = true;
    if (!xs_work_of(first, rows, &work) || call->batch_index > 0)
        return;
    int64_t lane = xs_lane_of(l->learned, call);
    struct before before = before_of(l, call, lane);
    if (!first->row.shape || l->tables->shapes[first->row.shape].values[XS_SHAPE_STREAM] != XS_SHAPE_NULL)
        *xs_hash_put(&l->learned->queue_of, (uint64_t)lane, 0) = (uint64_t)first->row.shape + 1;
    for (unsigned level = 0; level < XS_LEARNED_LEVELS; level++) {
        struct xs_group *group = xs_learned_group(l->learned, call, level);
        if (group)
            learn_group(l, group, call, &before, &work, first->row.shape);
    }
    if (call->kind == XS_CALL_LAUNCH && call->detail == XS_LAUNCH_GRAPH)
        learn_graph(l, call, first, rows, &work);
    add_order(l, call, lane, &before, &work);
}

/* Learns how soon a wait returns after the end of the work that it waited for. */
static void learn_wait(struct learning *l, const struct xs_modelled_call *call) {
    enum { LONGEST_NS = 1000000 };
    int64_t end_ns = call->detail == XS_SYNC_CONTEXT ? end_of(&l->devices, xs_device_of(l->learned, call))
                     : call->detail == XS_SYNC_EVENT ? end_of(&l->events, call->object)
                                                     : end_of(&l->lanes, (uint64_t)xs_lane_of(l->learned, call));
    bool waited = end_ns > call->enter_ns && end_ns <= call->return_ns + XS_MODELLED_CLOCKS_NS &&
                  call->return_ns - end_ns < LONGEST_NS;
    if (waited && xs_device_window_at(l->windows, call->enter_ns) >= 0)
        xs_values_add(&l->learned->wait_notice, xs_later(0, call->return_ns - end_ns));
}

static void learn_call(struct learning *l, const struct xs_modelled_call *call) {
    switch ((enum xs_call_kind)call->kind) {
    case XS_CALL_TRANSFER:
    case XS_CALL_MEMSET:
    case XS_CALL_LAUNCH:
        learn_work(l, call);
        break;
    case XS_CALL_SYNC:
        learn_wait(l, call);
        break;
    case XS_CALL_EVENT:
        if (call->detail)
            *xs_hash_put(&l->events, call->object, 0) =
                (uint64_t)end_of(&l->lanes, (uint64_t)xs_lane_of(l->learned, call));
        break;
    case XS_CALL_FREE:
        if (end_of(&l->devices, xs_device_of(l->learned, call)) > call->return_ns + XS_MODELLED_CLOCKS_NS)
            *xs_hash_put(&l->learned->returns_first, (uint64_t)call->entry_point, 0) = 1;
        break;
    case XS_CALL_KINDS:
        break;
    }
}

int xs_learn(struct xs_learned *learned, struct xs_recordings *recordings, struct xs_modelled_tables *tables,
             const struct xs_device_windows *windows, const struct xs_trace *trace, char *message) {
    struct learning l = {.learned = learned,
                         .recordings = recordings,
                         .tables = tables,
                         .windows = windows,
                         .launch_ns = USUAL_LATENCY_NS};
    struct xs_merge calls;
    const struct xs_modelled_call *call;
    int status = xs_calls_begin(&calls, trace, true, message);
    while (status >= 0 && (call = xs_calls_next(&calls, &status)))
        learn_call(&l, call);
    xs_merge_end(&calls);
    xs_learned_finish(learned);
    struct xs_hash *ends[] = {&l.lanes,      &l.legacy,     &l.ordered, &l.events,
                              &l.engines[0], &l.engines[1], &l.devices, &l.latest};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        xs_hash_free(ends[i]);
    return status;
}
