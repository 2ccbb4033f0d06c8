/* Makes the changes of each repair; see plan_repairs.h. */
#include "analyzer/savings/plan/plan_repairs.h"

#include "analyzer/base/numbers.h"
#include "analyzer/findings/engine/detector.h"
#include "analyzer/findings/engine/graph_launch.h"
#include "analyzer/savings/plan/locked_memory.h"
#include "analyzer/savings/plan/managed.h"
#include "analyzer/savings/plan/preparation.h"
#include "analyzer/savings/plan/statement.h"
#include "analyzer/savings/plan/work_on_data.h"
#include "analyzer/trace/scan.h"
#include "schema/format/kinds.h"

/* The host's time per byte to gather small pieces in one buffer. */
#define GATHER_NS_PER_BYTE 0.1

/* The host's time per byte to copy within its memory: SLOW if the memory is in no cache, FAST if it is in a cache of
 * the core. */
#define SLOW_COPY_NS_PER_BYTE 0.25
#define FAST_COPY_NS_PER_BYTE 0.03

/* If work suits a device, the device takes at most the host's time divided by this number. One core of the host moves
 * some 10 GB/s, and a device's memory moves 400 GB/s or more. The number is therefore right even if the work uses only
 * a tenth of the device's memory bandwidth. */
enum { DEVICE_IS_FASTER = 4 };

static enum xs_model_kind kind_of(unsigned table) {
    static const enum xs_model_kind kinds[] = {[XS_EVIDENCE_TRANSFER] = XS_MODEL_TRANSFER,
                                               [XS_EVIDENCE_MEMSET] = XS_MODEL_MEMSET,
                                               [XS_EVIDENCE_ALLOCATION] = XS_MODEL_ALLOCATION,
                                               [XS_EVIDENCE_LAUNCH] = XS_MODEL_LAUNCH,
                                               [XS_EVIDENCE_SYNC] = XS_MODEL_SYNC,
                                               [XS_EVIDENCE_API_CALL] = XS_MODEL_OTHER,
                                               [XS_EVIDENCE_MIGRATION] = XS_MODEL_OTHER};
    return kinds[table];
}

/* Drops the main thread's wait for a framework's download, because the download is not made, or its data is needed
 * later. For the least saving, the main thread still works on its own until the download is requested. */
static void not_wait_of_main(struct xs_plan *plan, uint32_t call, enum xs_plan_end end) {
    const struct xs_model_call *calls = plan->model->calls;
    uint32_t wait = call == XS_PLAN_NONE ? 0 : calls[call].main_wait;
    if (!wait)
        return;
    int64_t own_ns = end == XS_PLAN_LEAST ? xs_later(0, calls[call].enter_ns - calls[wait - 1].enter_ns) : 0;
    xs_plan_change(plan, wait - 1, &(struct xs_call_change){.dropped = true, .before_ns = own_ns});
}

/* Removes `before_ns` from the work of a call's statement. If the statement begins with this call, changes nothing, and
 * returns the change that the time before this call needs. If the statement begins with another call, changes the time
 * before that call, and returns 0. */
static int64_t shorten_statement(struct xs_plan *plan, uint32_t call, int64_t before_ns) {
    uint32_t first = xs_statement_first(plan, call);
    if (first == call)
        return -before_ns;
    xs_plan_change(plan, first, &(struct xs_call_change){.before_ns = -before_ns});
    return 0;
}

/* Drops a call, the calls of the same statement that follow it directly, and `before_ns` of the time before the
 * statement. */
static void drop_call(struct xs_plan *plan, uint32_t call, int64_t before_ns) {
    int64_t change_ns = shorten_statement(plan, call, before_ns);
    xs_plan_change(plan, call, &(struct xs_call_change){.dropped = true, .before_ns = change_ns});
    for (uint32_t i = call;
         (i = plan->model->calls[i].next) != XS_PLAN_NONE && xs_statement_continues(plan, call, i);) {
        int64_t before = plan->model->calls[i].enter_ns - plan->model->calls[plan->model->calls[i].previous].return_ns;
        struct xs_call_change of_it = {.before_ns = -before};
        if (plan->model->calls[i].kind ==
            XS_MODEL_RECORD) /* the event is still recorded, because calls may wait for it */
            of_it.returns = XS_RETURNS_AT_ONCE;
        else
            of_it.dropped = true;
        xs_plan_change(plan, i, &of_it);
    }
}

void xs_plan_drop_call(struct xs_plan *plan, uint32_t call, enum xs_plan_end end) {
    not_wait_of_main(plan, call, end);
    drop_call(plan, call, xs_statement_before(plan, call, end));
}

static int64_t pinned_ns(const struct xs_plan *plan, uint32_t call) {
    const struct xs_model_call *c = &plan->model->calls[call];
    int64_t now = xs_plan_operations_ns(plan, call);
    int64_t ns = (int64_t)xs_link_ns(&plan->findings->link, xs_link_class_of(c->direction, XS_MEM_PINNED), c->bytes);
    return ns < now ? ns : now;
}

/* Page-locks a copy's host memory, so that the copy need not be staged. The call of an asynchronous copy then returns
 * at once. For the least saving, existing memory has to be page-locked for this; for the most saving, the memory is
 * allocated page-locked at no extra cost. If the copy is of a batch, all copies of the batch are assumed to have
 * page-locked memory, because each of them is an instance of its own. */
static void pin(struct xs_plan *plan, uint32_t number, enum xs_plan_end end) {
    uint32_t call = xs_plan_call_of(plan, number);
    const struct xs_model_call *c = &plan->model->calls[call];
    if (!xs_link_ns(&plan->findings->link, xs_link_class_of(c->direction, XS_MEM_PINNED), c->bytes))
        return;
    xs_plan_change(plan, call,
                   &(struct xs_call_change){.lasts = true,
                                            .operation_ns = pinned_ns(plan, call),
                                            .unstaged = true,
                                            .returns = c->is_async ? XS_RETURNS_AT_ONCE : XS_RETURNS_BEHIND,
                                            .host_ns = c->is_async ? XS_ASYNC_CALL_NS : XS_BEHIND_COPY_NS});
    struct xs_model_copy copy = xs_model_copy_at(plan->model, number);
    if (end == XS_PLAN_LEAST)
        xs_pinning_add(&plan->pinning, copy.address, copy.bytes);
}

/* --- copies of a batch --- */

/* Shortens the call's time on the device by `ns`. Has no effect if the copy was changed before. */
static void take_less(struct xs_plan *plan, uint32_t number, int64_t ns) {
    struct xs_plan_copy *copy = &plan->copies[number - plan->model->call_count];
    uint32_t call = xs_plan_call_of(plan, number);
    struct xs_call_change *less = copy->is_changed ? NULL : xs_plan_alter(plan, call);
    int64_t now = xs_plan_operations_ns(plan, call);
    copy->is_changed = true;
    if (!less || now <= 0)
        return;
    if (!less->lasts)
        less->operation_ns = now;
    less->lasts = true;
    if (less->unstaged) /* the call's memory is page-locked by the plan, so its copies are faster */
        ns = (int64_t)((double)ns * (double)pinned_ns(plan, call) / (double)now);
    less->operation_ns = less->operation_ns > ns ? less->operation_ns - ns : 0;
}

/* Leaves out a copy of a batch, or replaces it by work of the device that takes `instead_ns`. The call's time on the
 * device shrinks by the copy's share. If this was the last copy of the call, the call itself is dropped, or replaced by
 * that work. */
static void leave_out(struct xs_plan *plan, uint32_t number, uint64_t instead_ns, enum xs_plan_end end) {
    const struct xs_model_copy *copy = &plan->model->copies[number - plan->model->call_count];
    const struct xs_model_call *call = &plan->model->calls[copy->call];
    struct xs_plan_copy *own = &plan->copies[number - plan->model->call_count], *all = &plan->copies[call->copy];
    if (own->is_left_out)
        return;
    double share = call->bytes ? (double)copy->bytes / (double)call->bytes : 0;
    int64_t ns = (int64_t)((double)xs_plan_operations_ns(plan, copy->call) * share + 0.5);
    take_less(plan, number, (uint64_t)ns > instead_ns ? ns - (int64_t)instead_ns : 0);
    own->is_left_out = true;
    xs_host_memory_leave(&plan->host_memory, plan, number);
    all->instead_ns = xs_sum(all->instead_ns, instead_ns);
    if (++all->left_out < call->copies)
        return;
    int64_t before_ns =
        all->instead_ns ? shorten_statement(plan, copy->call, xs_statement_before(plan, copy->call, end)) : 0;
    struct xs_call_change *left = all->instead_ns ? xs_plan_alter(plan, copy->call) : NULL;
    if (left)
        *left = (struct xs_call_change){.lasts = true,
                                        .operation_ns = (int64_t)all->instead_ns,
                                        .unstaged = true,
                                        .returns = XS_RETURNS_AT_ONCE,
                                        .host_ns = XS_ASYNC_CALL_NS,
                                        .before_ns = before_ns};
    else
        xs_plan_drop_call(plan, copy->call, end);
}

/* --- calls, and copies of a batch --- */

static void drop_copy(struct xs_plan *plan, uint32_t number, enum xs_plan_end end) {
    if (xs_plan_is_of_batch(plan, number))
        leave_out(plan, number, 0, end);
    else
        xs_plan_drop_call(plan, number, end);
}

/* Drops a download of a value. For the least saving, the value is then in the host's memory or is handled on the
 * device, and the statement takes as long as before until its call. */
static void read_once(struct xs_plan *plan, uint32_t number, enum xs_plan_end end) {
    if (end == XS_PLAN_MOST || xs_plan_is_of_batch(plan, number)) {
        drop_copy(plan, number, end);
        return;
    }
    not_wait_of_main(plan, number, end);
    drop_call(plan, number, 0);
}

static uint64_t link_ns(const struct xs_plan *plan, uint32_t number, enum xs_link_class class) {
    return xs_link_ns(&plan->findings->link, class, xs_model_copy_at(plan->model, number).bytes);
}

/* Replaces a copy by work of the device that takes `ns`: the device makes the bytes itself, or copies them from another
 * device. */
static void replace(struct xs_plan *plan, uint32_t number, uint64_t ns, enum xs_plan_end end) {
    if (xs_plan_is_of_batch(plan, number)) {
        leave_out(plan, number, ns, end);
        return;
    }
    int64_t before_ns = shorten_statement(plan, number, xs_statement_before(plan, number, end));
    not_wait_of_main(plan, number, end);
    xs_plan_change_use(plan, number,
                       &(struct xs_call_change){.lasts = true,
                                                .operation_ns = xs_model_length(ns),
                                                .unstaged = true,
                                                .returns = XS_RETURNS_AT_ONCE,
                                                .host_ns = XS_ASYNC_CALL_NS,
                                                .before_ns = before_ns},
                       true);
}

/* Replaces a copy by a peer copy, which is as fast as the trace's peer copies. If there are none, the least saving
 * assumes the rate of an upload from pinned memory; the most saving assumes a link between the devices, over which the
 * copy takes nearly no time. */
static void replace_by_peer(struct xs_plan *plan, uint32_t number, enum xs_plan_end end) {
    double ns = (double)xs_model_copy_at(plan->model, number).bytes * plan->peer_ns_per_byte;
    if (ns <= 0 && end == XS_PLAN_LEAST)
        ns = (double)link_ns(plan, number, XS_LINK_H2D_PINNED);
    if (ns <= 0)
        drop_copy(plan, number, end);
    else
        replace(plan, number, (uint64_t)ns, end);
}

static void shorten(struct xs_plan *plan, uint32_t number, uint64_t by_ns) {
    int64_t now = xs_plan_operations_ns(plan, xs_plan_call_of(plan, number)), by = xs_model_length(by_ns);
    int64_t less = by < now ? by : now;
    if (xs_plan_is_of_batch(plan, number))
        take_less(plan, number, less);
    else
        xs_plan_change(plan, number, &(struct xs_call_change){.lasts = true, .operation_ns = now - less});
}

/* Moves a copy to a side stream. The call of an upload then returns at once. */
static void move(struct xs_plan *plan, uint32_t call) {
    struct xs_call_change beside = {.beside = true};
    if (plan->model->calls[call].direction == XS_DIR_H2D) {
        beside.returns = XS_RETURNS_AT_ONCE;
        beside.host_ns = XS_ASYNC_CALL_NS;
    }
    xs_plan_change(plan, call, &beside);
}

/* Moves a copy to a side stream. For the least saving nothing else changes, because the program may need a download's
 * bytes at once. For the most saving, the thread's later copies in the same stream are moved, too. */
static void overlap(struct xs_plan *plan, uint32_t call, enum xs_plan_end end) {
    const struct xs_model_call *calls = plan->model->calls;
    move(plan, call);
    for (uint32_t i = call; end == XS_PLAN_MOST && (i = plan->model->calls[i].next) != XS_PLAN_NONE;) {
        bool is_copy = calls[i].direction == XS_DIR_H2D || calls[i].direction == XS_DIR_D2H;
        if (!is_copy || calls[i].stream != calls[call].stream)
            continue;
        bool is_changed = plan->change_of[i] && !xs_plan_changes_only_work(&plan->changes[plan->change_of[i] - 1]);
        if (is_changed || calls[i].site == calls[call].site)
            break; /* the next instance of the finding, which was changed before; or a call of the place that is no
                    * instance */
        move(plan, i);
    }
}

/* Joins the copies of a place from call `first` to call `last` into one copy. */
static void gather(struct xs_plan *plan, uint32_t first, uint32_t last, enum xs_plan_end end) {
    const struct xs_model *model = plan->model;
    const struct xs_model_call *to = &model->calls[first];
    uint64_t bytes = 0;
    for (uint32_t i = first; i != XS_PLAN_NONE; i = plan->model->calls[i].next) {
        const struct xs_model_call *call = &model->calls[i];
        if (call->kind == XS_MODEL_TRANSFER && call->site == to->site) {
            bytes = xs_sum(bytes, call->bytes);
            if (i != first)
                xs_plan_drop_call(plan, i, end);
        }
        if (i == last)
            break;
    }
    enum xs_link_class class = xs_link_class_of(to->direction, to->memory_kind);
    int64_t ns = xs_model_length(xs_link_ns(&plan->findings->link, class, bytes)),
            now = xs_plan_operations_ns(plan, first);
    xs_plan_change(plan, first,
                   &(struct xs_call_change){.lasts = true,
                                            .operation_ns = ns > now ? ns : now,
                                            .before_ns = xs_model_ns((int64_t)((double)bytes * GATHER_NS_PER_BYTE))});
}

/* --- waits, and the host's work --- */

/* Makes a call return at once. The device still does the work that the call requests. */
static void not_wait(struct xs_plan *plan, uint32_t call, enum xs_plan_end end) {
    not_wait_of_main(plan, call, end);
    if (call != XS_PLAN_NONE)
        xs_plan_change(plan, call,
                       &(struct xs_call_change){.returns = XS_RETURNS_AT_ONCE, .host_ns = XS_ASYNC_CALL_NS});
}

/* Makes the processor copy within host memory, at the lowest (for the least saving) or the highest usual rate. */
static void copy_by_host(struct xs_plan *plan, uint32_t number, enum xs_plan_end end) {
    if (xs_plan_is_of_batch(plan, number)) {
        leave_out(plan, number, 0, end);
        return;
    }
    uint32_t call = xs_plan_call_of(plan, number);
    double ns =
        (double)plan->model->calls[call].bytes * (end == XS_PLAN_LEAST ? SLOW_COPY_NS_PER_BYTE : FAST_COPY_NS_PER_BYTE);
    xs_plan_change(plan, call, &(struct xs_call_change){.dropped = true, .before_ns = xs_model_ns((int64_t)ns)});
}

/* Replaces a download by the device's work on its data. The device takes the time of the work, or of the copy if that
 * takes longer. The host does not wait for the device. */
static void work_in_place(struct xs_plan *plan, uint32_t number, int64_t work_ns, enum xs_plan_end end) {
    uint32_t call = xs_plan_call_of(plan, number);
    if (xs_plan_is_of_batch(plan, number))
        leave_out(plan, number, (uint64_t)work_ns, end);
    else
        xs_plan_change(plan, call,
                       &(struct xs_call_change){.lasts = true,
                                                .operation_ns = xs_later(work_ns, xs_plan_operations_ns(plan, call)),
                                                .returns = XS_RETURNS_AT_ONCE,
                                                .host_ns = XS_ASYNC_CALL_NS});
}

/* Drops a download and the wait for it. The host's work behind it stays, because it is about something else. */
static void drop_with_wait(struct xs_plan *plan, uint32_t number, uint32_t wait, enum xs_plan_end end) {
    drop_copy(plan, number, end);
    if (wait != XS_PLAN_NONE)
        xs_plan_change(plan, wait, &(struct xs_call_change){.dropped = true});
}

/* Drops a download, the wait for it, and the program's work until its thread gives the device more work. The time of
 * the download's statement before the download stays, because a statement that requests the work replaces it. */
static void drop_with_work(struct xs_plan *plan, uint32_t number, uint32_t wait, enum xs_plan_end end) {
    uint32_t download = xs_plan_call_of(plan, number), next;
    int64_t work = xs_plan_work_on_data(plan, download, &next);
    if (end == XS_PLAN_LEAST)
        work_in_place(plan, number, work / DEVICE_IS_FASTER, end);
    else if (xs_plan_is_of_batch(plan, number))
        leave_out(plan, number, 0, end);
    else
        drop_call(plan, download, 0);
    if (wait != XS_PLAN_NONE)
        xs_plan_change(plan, wait, &(struct xs_call_change){.dropped = true});
    not_wait_of_main(plan, download, end);
    for (uint32_t i = xs_plan_reader(plan, download); i != next && (i = plan->model->calls[i].next) != XS_PLAN_NONE;)
        if (xs_plan_work_before(plan, i))
            xs_plan_shorten_work(plan, i, xs_plan_work_before(plan, i));
}

/* Drops `ns` of the program's work before a call. The work may go on beyond allocations and frees. */
static void shorten_work_before(struct xs_plan *plan, uint32_t call, int64_t ns) {
    const struct xs_model_call *calls = plan->model->calls;
    for (uint32_t i = call; i != XS_PLAN_NONE && ns > 0; i = calls[i].previous) {
        int64_t gap = xs_statement_gap(plan, i), less = gap < ns ? gap : ns;
        if (less > 0)
            xs_plan_shorten_work(plan, i, less);
        ns -= less;
        uint32_t previous = calls[i].previous;
        if (previous == XS_PLAN_NONE ||
            (calls[previous].kind != XS_MODEL_ALLOCATION && calls[previous].kind != XS_MODEL_FREE))
            return;
    }
}

/* Drops the host's work before an upload. For the least saving, only the work is dropped that the thread was seen to do
 * in the function that uploads. A statement that gives the work to the device replaces it, and the upload stays. For
 * the most saving, all of the work and the upload are dropped. The work after the upload is dropped as far as it was
 * seen in this function, which then frees its data. */
static void prepare_on_device(struct xs_plan *plan, const struct xs_repairable *item, uint32_t number,
                              enum xs_plan_end end) {
    uint32_t upload = xs_plan_call_of(plan, number), next = xs_preparation_next(plan, upload);
    bool is_least = end == XS_PLAN_LEAST;
    int64_t stays = is_least ? XS_STATEMENT_LIMIT_NS : XS_ASYNC_CALL_NS, work = xs_model_length(item->device_ns);
    if (is_least)
        work = (int64_t)((double)work * plan->preparation.before);
    else
        drop_copy(plan, number, end);
    shorten_work_before(plan, upload, work - stays);
    if (next != XS_PLAN_NONE)
        shorten_work_before(plan, next,
                            (int64_t)((double)xs_statement_gap(plan, next) * plan->preparation.after) - stays);
}

/* Launches the kernels of a thread from call `first` to call `last` by one graph. For the least saving, the graph's
 * launch takes the host XS_GRAPH_LAUNCH_NS longer than the first launch, and the device pauses before each kernel as it
 * does in a stream (XS_GRAPH_GAP_NS). For the most saving, the graph's launch takes no longer than the first launch,
 * and the device does not pause. */
static void launch_graph(struct xs_plan *plan, uint32_t first, uint32_t last, enum xs_plan_end end) {
    const struct xs_model_call *calls = plan->model->calls;
    bool is_least = end == XS_PLAN_LEAST;
    xs_plan_change(plan, first, &(struct xs_call_change){.before_ns = is_least ? XS_GRAPH_LAUNCH_NS : 0});
    for (uint32_t i = first; i != last && (i = calls[i].next) != XS_PLAN_NONE;) {
        int64_t gap = xs_statement_gap(plan, i);
        if (calls[i].kind == XS_MODEL_LAUNCH && gap < XS_LAUNCH_PAUSE_NS)
            xs_plan_change(
                plan, i,
                &(struct xs_call_change){.before_ns = -gap, .is_node = true, .gap_ns = is_least ? XS_GRAPH_GAP_NS : 0});
    }
}

/* --- all repairs --- */

static size_t repair(struct xs_plan *plan, const struct xs_repairable *item, enum xs_plan_end end) {
    enum xs_model_kind kind = kind_of(item->table);
    uint32_t number = xs_plan_number_of(plan, kind, item->rows[0]),
             other = xs_plan_number_of(plan, kind, item->rows[1]); /* both are numbers of copies */
    uint32_t first = xs_plan_call_of(plan, number), second = xs_plan_call_of(plan, other);
    enum xs_repair_kind repair = xs_detector_repair(xs_detectors[item->detector], item->verdict);
    if (repair == XS_REPAIR_KEEP && kind == XS_MODEL_ALLOCATION)
        second = xs_plan_find(plan, XS_MODEL_FREE, item->rows[1]);
    if (repair == XS_REPAIR_NOT_ALLOCATE)
        second = xs_plan_find(plan, XS_MODEL_FREE, item->rows[0]);
    if (first == XS_PLAN_NONE)
        return 0;
    bool is_unread = xs_is_unread(&plan->findings->reads, item);
    switch (repair) {
    case XS_REPAIR_DROP:
        drop_copy(plan, number, end);
        break;
    case XS_REPAIR_DROP_BOTH:
        drop_copy(plan, number, end);
        if (second != XS_PLAN_NONE && (end == XS_PLAN_MOST || is_unread))
            drop_copy(plan, other, end);
        break;
    case XS_REPAIR_PEER_COPY:
        replace_by_peer(plan, number, end);
        if (second != XS_PLAN_NONE && (end == XS_PLAN_MOST || is_unread))
            drop_copy(plan, other, end);
        break;
    case XS_REPAIR_KEEP:
        if (kind == XS_MODEL_ALLOCATION)
            xs_managed_set(plan->managed, item->rows[0], XS_MANAGED_IS_THERE);
        /* fall through */
    case XS_REPAIR_NOT_ALLOCATE:
        xs_plan_drop_call(plan, first, end);
        if (second != XS_PLAN_NONE)
            xs_plan_drop_call(plan, second, end);
        break;
    case XS_REPAIR_GATHER:
        if (second != XS_PLAN_NONE)
            gather(plan, first, second, end);
        break;
    case XS_REPAIR_SHORTEN:
        shorten(plan, number, item->device_ns);
        break;
    case XS_REPAIR_PIN:
        pin(plan, number, end);
        break;
    case XS_REPAIR_MEMSET:
        replace(plan, number, link_ns(plan, number, XS_LINK_MEMSET), end);
        break;
    case XS_REPAIR_DEVICE_COPY:
        replace(plan, number, link_ns(plan, number, XS_LINK_D2D), end);
        break;
    case XS_REPAIR_UNPIN:
        return xs_plan_unpin(plan, first, end);
    case XS_REPAIR_OVERLAP:
        overlap(plan, first, end);
        break;
    case XS_REPAIR_PREFETCH:
        xs_managed_set(plan->managed, item->rows[0], XS_MANAGED_PREFETCHED);
        return 0; /* as in the next case */
    case XS_REPAIR_KEEP_ON_DEVICE:
        xs_managed_set(plan->managed, item->rows[0], XS_MANAGED_STAYS);
        return 0; /* xs_managed_change counts its calls, after all instances have been read */
    case XS_REPAIR_READ_LATER:
        if (end == XS_PLAN_MOST || is_unread)
            drop_copy(plan, number, end);
        else
            not_wait(plan, first, end);
        not_wait(plan, xs_plan_find(plan, XS_MODEL_SYNC, item->rows[1]), end);
        break;
    case XS_REPAIR_READ_ONCE:
        read_once(plan, number, end);
        break;
    case XS_REPAIR_NOT_WAIT:
        not_wait(plan, first, end);
        not_wait(plan, xs_plan_find(plan, XS_MODEL_SYNC, item->rows[1]), end);
        break;
    case XS_REPAIR_HOST_COPY:
        copy_by_host(plan, number, end);
        break;
    case XS_REPAIR_WORK_ON_DEVICE:
        second = xs_plan_find(plan, XS_MODEL_SYNC, item->rows[1]);
        if (is_unread)
            drop_with_wait(plan, number, second, end);
        else
            drop_with_work(plan, number, second, end);
        break;
    case XS_REPAIR_PREPARE_ON_DEVICE:
        prepare_on_device(plan, item, number, end);
        break;
    case XS_REPAIR_GRAPH:
        if (second != XS_PLAN_NONE)
            launch_graph(plan, first, second, end);
        break;
    case XS_REPAIR_OWN_STREAM:
        xs_plan_split_streams(plan, end);
        break;
    case XS_REPAIR_OF_DETECTOR:
        return 0;
    }
    return 1;
}

/* True if the repaired program still does this once: it reads the data, or waits, after its loop. */
static bool is_done_once(const struct xs_repairable *item) {
    static const unsigned once = 1u << XS_REPAIR_READ_LATER | 1u << XS_REPAIR_READ_ONCE | 1u << XS_REPAIR_NOT_WAIT |
                                 1u << XS_REPAIR_WORK_ON_DEVICE | 1u << XS_REPAIR_HOST_COPY;
    return once >> xs_detector_repair(xs_detectors[item->detector], item->verdict) & 1;
}

size_t xs_plan_add(struct xs_plan *plan, const struct xs_repairable *items, size_t count, enum xs_plan_end end) {
    if (count && xs_detector_repair(xs_detectors[items->detector], items->verdict) == XS_REPAIR_PREPARE_ON_DEVICE)
        xs_preparation_look(plan, items, count, end);
    size_t found = 0, changed = count > 1 && is_done_once(&items[count - 1]) ? count - 1 : count;
    for (size_t i = 0; i < changed; i++)
        found += repair(plan, &items[i], end);
    found += xs_managed_change(plan->managed, plan, end);
    if (end == XS_PLAN_MOST)
        xs_plan_drop_useless_memory(plan);
    return found;
}

void xs_plan_add_left_out(struct xs_plan *plan, const struct xs_repairable *items, size_t own, size_t count,
                          bool drops_host_memory, enum xs_plan_end end) {
    for (size_t i = 0; i < own; i++)
        repair(plan, &items[i], end);
    for (size_t i = own; i < count; i++)
        if (end == XS_PLAN_MOST || xs_is_unread_by_share(&plan->findings->reads, &items[i]))
            drop_copy(plan, xs_plan_number(plan, &items[i]), end);
    if (drops_host_memory && end == XS_PLAN_MOST)
        xs_plan_drop_useless_memory(plan);
}

uint32_t xs_plan_number(const struct xs_plan *plan, const struct xs_repairable *item) {
    return xs_plan_number_of(plan, kind_of(item->table), item->rows[0]);
}
