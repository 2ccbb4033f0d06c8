/* Gives times to work that was not recorded, in the order of the calls; see modelled_place.h. */
#include "analyzer/base/numbers.h"
#include "analyzer/trace/modelled/modelled_place_internal.h"

#include <stdlib.h>

#include "analyzer/base/grow.h"
#include "analyzer/trace/modelled/learn.h"

#define USUAL_GAP_NS 1500
#define USUAL_NOTICE_NS 2000
/* If a call took longer than its own work by more than this, it waited for earlier work. */
#define WAITED_NS 5000
#define LARGE_BYTES 65536

static void *made(struct xs_hash *table, uint64_t key, size_t bytes) {
    uint64_t *item = xs_hash_put(table, key, 0);
    if (!*item)
        *item = (uint64_t)(uintptr_t)xs_zeroed(1, bytes);
    return (void *)(uintptr_t)*item;
}

static struct device *device_at(struct xs_placing *p, uint64_t number) {
    return made(&p->device_of, number, sizeof(struct device));
}

static struct xs_lane *lane_at(struct xs_placing *p, const struct xs_modelled_call *call) {
    int64_t identity = xs_lane_of(p->learned, call);
    struct xs_lane *lane = made(&p->lane_of, (uint64_t)identity, sizeof *lane);
    lane->is_legacy = identity < 0;
    lane->is_apart = xs_hash_find(&p->learned->apart, (uint64_t)identity, 0) != NULL;
    lane->device = (int64_t)xs_device_of(p->learned, call);
    return lane;
}

/* --- numbers --- */

static uint32_t next_number(struct xs_placing *p) {
    struct xs_device_windows *w = p->windows;
    size_t bytes = (size_t)++p->number / 8 + 1, had = p->numbers_capacity;
    if (bytes > had) {
        p->numbers_capacity = had ? had * 2 : 4096;
        w->modelled = xs_realloc(w->modelled, p->numbers_capacity);
        memset(w->modelled + had, 0, p->numbers_capacity - had);
    }
    w->numbers = p->number;
    return p->number;
}

static uint32_t number_call(struct xs_placing *p, const struct xs_modelled_call *call) {
    struct xs_numbers *numbers = &p->windows->calls[call->kind];
    bool same = call->batch_index > 0 && call->enter_ns == p->batch_ns && call->entry_point == p->batch_entry;
    if (call->id <= 0 || call->id > p->file_bytes)
        return 0;
    while (numbers->rows <= (size_t)call->id) {
        size_t rows = numbers->rows ? numbers->rows * 2 : 1024;
        numbers->of_row = xs_realloc(numbers->of_row, rows * sizeof *numbers->of_row);
        memset(numbers->of_row + numbers->rows, 0, (rows - numbers->rows) * sizeof *numbers->of_row);
        numbers->rows = rows;
    }
    if (call->batch_index >= 0) {
        p->batch_ns = call->enter_ns;
        p->batch_entry = call->entry_point;
    }
    return numbers->of_row[call->id] = same ? p->number : next_number(p);
}

static void mark_modelled(struct xs_placing *p, uint32_t number) {
    p->windows->modelled[number / 8] |= (uint8_t)(1u << (number % 8));
}

/* --- what was recorded --- */

static enum xs_device_sum sum_of(const struct xs_modelled_call *call) {
    if (call->kind == XS_CALL_TRANSFER)
        return call->direction == XS_DIR_H2D   ? XS_SUM_H2D
               : call->direction == XS_DIR_D2H ? XS_SUM_D2H
                                               : XS_SUM_OTHER_COPIES;
    return call->kind == XS_CALL_MEMSET ? XS_SUM_MEMSETS : XS_SUM_KERNELS;
}

static void add_recorded(struct xs_placing *p, const struct xs_recorded *first, size_t rows, uint32_t number) {
    for (size_t i = 0; i < rows; i++) {
        struct xs_modelled_row row = first[i].row;
        row.number = number;
        xs_modelled_add(p->placed->tables, (enum xs_modelled_table)first[i].table, &row);
    }
}

static int by_start(const void *a, const void *b, void *items) {
    const struct xs_recorded *recorded = items;
    const struct xs_recorded *x = &recorded[*(const size_t *)a], *y = &recorded[*(const size_t *)b];
    return x->row.start_ns != y->row.start_ns ? xs_compare(x->row.start_ns, y->row.start_ns) : (x > y) - (x < y);
}

/* Finds recorded work whose call is not in the trace. Rows without a correlation number are added at once, because they
 * get no call number either, and tables are in the order of these numbers. */
static void find_strays(struct xs_placing *p) {
    const struct xs_recordings *r = p->recordings;
    for (size_t i = 0; i < r->count; i++) {
        bool is_first = !i || r->items[i].correlation != r->items[i - 1].correlation;
        if (!r->items[i].correlation) {
            add_recorded(p, &r->items[i], 1, 0);
        } else if (is_first && !r->items[i].taken) {
            xs_grow(&p->strays, p->stray_count, &p->stray_capacity, sizeof *p->strays);
            p->strays[p->stray_count++] = i;
        }
    }
    if (p->stray_count)
        qsort_r(p->strays, p->stray_count, sizeof *p->strays, by_start, r->items);
}

static void add_strays(struct xs_placing *p, int64_t until_ns) {
    for (; p->next_stray < p->stray_count; p->next_stray++) {
        const struct xs_recorded *first = &p->recordings->items[p->strays[p->next_stray]];
        size_t rows;
        if (first->row.start_ns > until_ns)
            return;
        xs_recordings_find(p->recordings, first->correlation, &rows);
        add_recorded(p, first, rows, next_number(p));
    }
}

int64_t xs_part_at(const struct xs_parts *parts, const struct xs_device_windows *windows, int64_t ns) {
    int64_t window = xs_device_window_at(windows, ns);
    if (window < 0)
        return -1;
    const struct xs_interval *w = &windows->items.items[window];
    double share = (double)(ns - w->start) / (double)(w->end - w->start);
    int64_t slice = (int64_t)(share * parts->in_window);
    return window * parts->in_window + (slice < parts->in_window ? slice : parts->in_window - 1);
}

/* Adds the time that the model would have given to recorded work, for the intervals of the sums. */
static void compare(struct xs_placing *p, const struct xs_modelled_call *call, const struct xs_work *work) {
    struct xs_parts *parts = &p->placed->parts;
    int64_t part = xs_part_at(parts, p->windows, work->start_ns);
    bool is_graph = call->kind == XS_CALL_LAUNCH && call->detail == XS_LAUNCH_GRAPH;
    const struct xs_launched_graph *graph = is_graph ? xs_learned_graph(p->learned, call->object) : NULL;
    if (part < 0 || call->batch_index >= 0)
        return;
    struct xs_alike alike = xs_learned_alike(p->learned, call);
    parts->measured[part][sum_of(call)] += (double)work->sum_ns;
    parts->expected[part][sum_of(call)] += (double)(graph ? graph->sum_ns : xs_learned_ns(p->learned, &alike, call).ns);
}

/* --- lanes --- */

static void list_lane(struct xs_placing *p, struct xs_lane *lane) {
    struct device *device = device_at(p, (uint64_t)lane->device);
    if (lane->is_listed)
        return;
    xs_grow(&device->lanes, device->lane_count, &device->lane_capacity, sizeof(struct xs_lane *));
    device->lanes[device->lane_count++] = lane;
    lane->is_listed = true;
}

static void raise(struct xs_lane_work *moment, struct xs_lane_work to) {
    if (xs_lane_work_end(&to) >= xs_lane_work_end(moment))
        *moment = to;
}

/* Records the call's work, which is the latest of its lane, also as the latest work of the device's legacy default
 * stream, of the streams ordered with it, and of its copy engine, as far as it belongs to these. */
static void note_latest(struct xs_placing *p, const struct xs_modelled_call *call, struct xs_lane *lane) {
    struct device *device = device_at(p, (uint64_t)lane->device);
    struct xs_lane_work latest = xs_lane_latest(lane);
    if (lane->is_legacy)
        raise(&device->legacy, latest);
    if (!lane->is_apart)
        raise(&device->ordered, latest);
    if (xs_engine_of(call) != XS_COPY_ENGINES)
        raise(&device->engines[xs_engine_of(call)], latest);
}

/* Returns the end of work in another lane. Returns 0 for work in the same lane, because the order within a lane is kept
 * even if the times change. */
static int64_t end_elsewhere(const struct xs_lane_work *moment, const struct xs_lane *lane) {
    return moment->lane == lane ? 0 : xs_lane_work_end(moment);
}

/* Returns the end of the work in other lanes that a call's work waits for. */
static int64_t others_end(struct xs_placing *p, const struct xs_modelled_call *call, const struct xs_lane *lane) {
    const struct device *device = device_at(p, (uint64_t)lane->device);
    int64_t end_ns = end_elsewhere(&lane->behind, lane);
    if (!lane->is_apart)
        end_ns = xs_later(end_ns, end_elsewhere(lane->is_legacy ? &device->ordered : &device->legacy, lane));
    if (xs_engine_of(call) != XS_COPY_ENGINES)
        end_ns = xs_later(end_ns, end_elsewhere(&device->engines[xs_engine_of(call)], lane));
    return end_ns;
}

static void settle_all(struct xs_placing *p, struct xs_lane *lane) {
    xs_lane_settle(lane, xs_lane_pending(lane), p->placed->tables);
}

static void place_recorded(struct xs_placing *p, const struct xs_modelled_call *call, struct xs_lane *lane,
                           const struct xs_work *work) {
    xs_lane_fit(lane, xs_lane_pending(lane), work->start_ns, false);
    settle_all(p, lane);
    lane->done_ns = xs_later(lane->done_ns, work->end_ns);
    note_latest(p, call, lane);
    compare(p, call, work);
}

/* --- what was not recorded --- */

/* Returns a call's work with the lengths that were learned for such work. */
static struct xs_pending work_of(const struct xs_placing *p, const struct xs_alike *alike,
                                 const struct xs_modelled_call *call) {
    struct xs_pending work = {.enter_ns = call->enter_ns,
                              .latency = xs_learned_latency(alike, call),
                              .lasts = xs_learned_ns(p->learned, alike, call),
                              .gap = {USUAL_GAP_NS, USUAL_GAP_NS / 4, 0},
                              .is_kernel = call->kind == XS_CALL_LAUNCH};
    bool is_pageable = alike->is_pageable && call->bytes >= LARGE_BYTES;
    xs_learned_find(alike, XS_LEARNED_GAP, &work.gap);
    if (is_pageable && !xs_learned_has_kind(alike)) { /* the host stages the data during the call */
        int64_t lasted = call->return_ns - call->enter_ns;
        work.latency = (struct xs_length){lasted / 16, lasted / 16, 0};
        work.lasts.ns = xs_later(work.lasts.ns, lasted - lasted / 8);
    }
    if (work.is_kernel && call->detail == XS_LAUNCH_GRAPH)
        work.graph = xs_learned_graph(p->learned, call->object);
    if (work.graph) {
        double usual = work.graph->sum_ns > 0 ? (double)work.lasts.ns / (double)work.graph->sum_ns : 1;
        work.lasts.ns = (int64_t)((double)work.graph->span_ns * usual);
    }
    return work;
}

/* True if the call returns when its work has ended, both by its contract and according to the recorded calls. */
static bool is_blocking(const struct xs_alike *alike, const struct xs_modelled_call *call) {
    const struct xs_group *group = xs_learned_of(alike);
    bool by_contract = !call->is_async || (call->direction == XS_DIR_D2H && call->dst_kind == XS_MEM_PAGEABLE);
    if (call->kind != XS_CALL_TRANSFER || !by_contract || call->return_ns <= call->enter_ns)
        return false;
    return !group || group->returned_early * 10 <= group->values[XS_LEARNED_NOTICE].seen;
}

/* True if the work ends with its call. `notice_ns` gets the time from the work's end to the return; it is negative if
 * the work ends after the return. The times before and after the work are scaled to fit into the call. Calls take
 * longer inside windows, because CUPTI records there; so outside of windows these times are shorter, but not the
 * copy. */
static bool ends_with_call(const struct xs_alike *alike, const struct xs_modelled_call *call, struct xs_pending *work,
                           int64_t *notice_ns) {
    struct xs_length notice = {USUAL_NOTICE_NS, 0, 0};
    int64_t room_ns = call->return_ns - call->enter_ns - work->lasts.ns;
    if (xs_learned_fills_call(alike, call, &notice)) { /* the rest of the call's time comes before the copy */
        work->latency.ns = xs_later(0, room_ns - notice.ns);
        work->latency.unsure_ns = work->latency.ns / 4;
        work->gap = (struct xs_length){USUAL_GAP_NS, USUAL_GAP_NS / 4, 0};
        *notice_ns = notice.ns;
        return true;
    }
    if (!is_blocking(alike, call))
        return false;
    xs_learned_find(alike, XS_LEARNED_NOTICE, &notice);
    *notice_ns = xs_later(0, notice.ns);
    double around = (double)work->latency.ns + (double)*notice_ns, share = (double)xs_later(0, room_ns) / around;
    if (around > 0 && share < 1) {
        work->latency.ns = (int64_t)((double)work->latency.ns * share);
        work->latency.unsure_ns = (int64_t)((double)work->latency.unsure_ns * share);
        *notice_ns = (int64_t)((double)*notice_ns * share);
    }
    return true;
}

/* Handles a call that ends with its work: the earlier work in the lane has then ended, too. If the call took longer
 * than its own work, it waited for the earlier work. */
static void end_with_call(struct xs_placing *p, const struct xs_modelled_call *call, struct xs_lane *lane,
                          int64_t notice_ns) {
    struct xs_pending *own = &lane->items[lane->count - 1];
    int64_t end_ns = xs_later(call->enter_ns, call->return_ns - notice_ns);
    size_t count = xs_lane_pending(lane);
    bool is_late = end_ns - own->end_ns > xs_later(WAITED_NS, (own->latency.ns + own->lasts.ns) / 3);
    if (own->end_ns > end_ns || (is_late && count > 1))
        xs_lane_fit(lane, count, end_ns, is_late);
    settle_all(p, lane);
}

/* Handles an upload from pageable memory. Its call returns when the data has left that memory, but not before the end
 * of the earlier work in its stream. */
static void end_staged(struct xs_placing *p, const struct xs_alike *alike, const struct xs_modelled_call *call,
                       struct xs_lane *lane) {
    const struct xs_group *group = xs_learned_of(alike);
    bool is_staged = call->kind == XS_CALL_TRANSFER && call->direction == XS_DIR_H2D && !call->is_async &&
                     call->src_kind == XS_MEM_PAGEABLE && group && group->values[XS_LEARNED_STAGED].seen &&
                     group->values[XS_LEARNED_STAGED].median >= -XS_MODELLED_CLOCKS_NS;
    size_t before = xs_lane_pending(lane) - 1;
    if (!is_staged || !before)
        return;
    int64_t end_ns = call->return_ns - xs_later(0, group->values[XS_LEARNED_STAGED].median);
    bool waited = call->return_ns - call->enter_ns > WAITED_NS + 2 * xs_later(0, call->return_ns - end_ns);
    xs_lane_fit(lane, before, xs_later(call->enter_ns, end_ns), waited);
    xs_lane_settle(lane, before, p->placed->tables);
}

static void place_modelled(struct xs_placing *p, const struct xs_modelled_call *call, struct xs_lane *lane,
                           uint32_t number) {
    struct xs_alike alike = xs_learned_alike(p->learned, call);
    struct xs_pending work = work_of(p, &alike, call);
    int64_t alone_ns = work.lasts.ns, notice_ns = 0;
    bool ends = ends_with_call(&alike, call, &work, &notice_ns);
    if (work.graph)
        xs_placing_add_graph(p, &work, number);
    else
        xs_placing_add_row(p, &alike, call, &work, number);
    work.behind_ns = others_end(p, call, lane);
    struct xs_device_estimate *sum = &p->windows->sums[sum_of(call)];
    sum->expected_ns = xs_sum(sum->expected_ns, (uint64_t)alone_ns);
    xs_lane_add(lane, &work, p->placed->tables);
    list_lane(p, lane);
    mark_modelled(p, number);
    if (ends)
        end_with_call(p, call, lane, notice_ns);
    else
        end_staged(p, &alike, call, lane);
    note_latest(p, call, lane);
}

static void place_work(struct xs_placing *p, const struct xs_modelled_call *call) {
    size_t rows;
    struct xs_work work;
    add_strays(p, call->enter_ns);
    uint32_t number = number_call(p, call);
    struct xs_lane *lane = lane_at(p, call);
    const struct xs_recorded *first = xs_recordings_find(p->recordings, call->correlation, &rows);
    if (!number)
        return;
    if (!first) {
        place_modelled(p, call, lane, number);
        p->windows->transfers_modelled += call->kind == XS_CALL_TRANSFER;
        return;
    }
    p->windows->transfers_measured += call->kind == XS_CALL_TRANSFER;
    if (call->batch_index > 0)
        return;
    add_recorded(p, first, rows, number);
    if (xs_work_of(first, rows, &work))
        place_recorded(p, call, lane, &work);
}

/* --- waits --- */

/* Handles a wait: the first `count` pending items of the lane had ended when the call returned. If the model has work
 * at the call's enter, and the call took longer than the host needs to notice an end, the call waited for this work.
 * The work took longer than in the model only if the call took much longer, because the host may have been slow. */
static void end_waited(struct xs_placing *p, const struct xs_modelled_call *call, struct xs_lane *lane, size_t count,
                       bool longer) {
    int64_t notice_ns = p->learned->wait_notice.kept ? p->learned->wait_notice.median : USUAL_NOTICE_NS;
    int64_t took_ns = call->return_ns - call->enter_ns;
    int64_t end_ns = took_ns > notice_ns + XS_MODELLED_CLOCKS_NS ? call->return_ns - notice_ns : call->enter_ns;
    longer &= took_ns > notice_ns + WAITED_NS;
    if (!count)
        return;
    int64_t ends = lane->items[lane->first + count - 1].end_ns;
    if (ends > end_ns || (longer && end_ns - ends > WAITED_NS))
        xs_lane_fit(lane, count, end_ns, longer);
    xs_lane_settle(lane, count, p->placed->tables);
}

static void wait_for_device(struct xs_placing *p, const struct xs_modelled_call *call) {
    struct device *device = device_at(p, xs_device_of(p->learned, call));
    struct xs_lane *last = NULL;
    for (size_t i = 0; i < device->lane_count; i++)
        if (!last || xs_lane_end(device->lanes[i]) > xs_lane_end(last))
            last = device->lanes[i];
    for (size_t i = 0; i < device->lane_count; i++) {
        struct xs_lane *lane = device->lanes[i];
        end_waited(p, call, lane, xs_lane_pending(lane), lane == last && call->kind == XS_CALL_SYNC);
        lane->is_listed = false;
    }
    device->lane_count = 0;
}

static void wait_for_event(struct xs_placing *p, const struct xs_modelled_call *call) {
    const uint64_t *found = xs_hash_find(&p->event_of, call->object, 0);
    const struct xs_lane_work *moment = found ? (const struct xs_lane_work *)(uintptr_t)*found : NULL;
    if (!moment || !moment->lane)
        return;
    uint64_t before = moment->number - moment->lane->base + 1; /* meaningless if the work is no longer pending, which
                                                                * the next line checks */
    if (moment->number - moment->lane->base < xs_lane_pending(moment->lane))
        end_waited(p, call, moment->lane, before, before == xs_lane_pending(moment->lane));
}

static void take_event(struct xs_placing *p, const struct xs_modelled_call *call) {
    struct xs_lane_work *moment = made(&p->event_of, call->object, sizeof *moment);
    struct xs_lane *lane = lane_at(p, call);
    if (call->detail) {
        *moment = xs_lane_latest(lane);
        return;
    }
    raise(&lane->behind, *moment);
}

static void take_call(struct xs_placing *p, const struct xs_modelled_call *call) {
    switch ((enum xs_call_kind)call->kind) {
    case XS_CALL_TRANSFER:
    case XS_CALL_MEMSET:
    case XS_CALL_LAUNCH:
        place_work(p, call);
        break;
    case XS_CALL_EVENT:
        take_event(p, call);
        break;
    case XS_CALL_SYNC:
        if (call->detail == XS_SYNC_CONTEXT)
            wait_for_device(p, call);
        else if (call->detail == XS_SYNC_EVENT)
            wait_for_event(p, call);
        else
            end_waited(p, call, lane_at(p, call), xs_lane_pending(lane_at(p, call)), true);
        break;
    case XS_CALL_FREE:
        if (!xs_hash_find(&p->learned->returns_first, (uint64_t)call->entry_point, 0))
            wait_for_device(p, call);
        break;
    case XS_CALL_KINDS:
        break;
    }
}

/* --- all --- */

static void begin_parts(struct xs_placing *p) {
    enum { PARTS = 16 };
    struct xs_parts *parts = &p->placed->parts;
    size_t windows = p->windows->items.count;
    parts->in_window = windows && windows < PARTS ? (unsigned)(PARTS / windows) : 1;
    parts->count = windows * parts->in_window;
    parts->measured = xs_zeroed(parts->count + 1, sizeof *parts->measured);
    parts->expected = xs_zeroed(parts->count + 1, sizeof *parts->expected);
}

static void free_all(struct xs_hash *table, bool of_devices) {
    for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(table, entry));) {
        void *item = (void *)(uintptr_t)entry->value;
        if (of_devices)
            free(((struct device *)item)->lanes);
        free(item);
    }
    xs_hash_free(table);
}

static void end_lanes(struct xs_placing *p) {
    for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(&p->lane_of, entry));) {
        struct xs_lane *lane = (struct xs_lane *)(uintptr_t)entry->value;
        settle_all(p, lane);
        free(lane->items);
    }
    free_all(&p->event_of, false);
    free_all(&p->device_of, true);
    free_all(&p->lane_of, false);
}

int xs_place_work(struct xs_placed *placed, const struct xs_learned *learned, struct xs_recordings *recordings,
                  const struct xs_trace *trace, struct xs_device_windows *windows, char *message) {
    struct xs_placing p = {.placed = placed,
                           .learned = learned,
                           .recordings = recordings,
                           .windows = windows,
                           .file_bytes = xs_trace_bytes(trace->file)};
    struct xs_merge calls;
    const struct xs_modelled_call *call;
    begin_parts(&p);
    find_strays(&p);
    int status = xs_calls_begin(&calls, trace, false, message);
    while (status >= 0 && (call = xs_calls_next(&calls, &status)))
        take_call(&p, call);
    xs_merge_end(&calls);
    add_strays(&p, INT64_MAX);
    end_lanes(&p);
    xs_placing_add_up(&p);
    free(p.strays);
    return status;
}
