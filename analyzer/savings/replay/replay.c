/* Replays the run: again and again, the thread with the earliest next call makes this call, and the device is advanced
 * to the same time; see replay.h. */
#include "analyzer/savings/replay/replay.h"

#include <stdlib.h>

#include "analyzer/base/heap.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/numbers.h"
#include "analyzer/savings/replay/replay_device.h"

/* Time from the call of a copy with page-locked memory to the copy's start, if it does not have to wait. */
#define UNSTAGED_NS 10000

/* A thread of the program, with its next call and the enter time of that call. */
struct thread {
    uint32_t call, last; /* next call, and (in begin) last call; XS_NO_CALL: none */
    uint32_t point;      /* point of the device that it waits for within its call */
    int64_t enter_ns;
    int64_t return_ns; /* return time of its latest call */
    int32_t paused;    /* first of the threads that pause until a call of this thread has returned; -1: none */
    int32_t next;      /* next thread that pauses for the same thread; -1: none */
};

struct replay {
    const struct xs_model *model;
    const uint32_t *change_of;
    const struct xs_call_change *changes;
    struct xs_device device;
    struct thread *threads;
    struct xs_heap heap; /* the threads that have a next call, ordered by its enter time */
    int64_t *returned;   /* by call: its return time, or -1 if it has not returned yet */
};

/* --- begin and end --- */

static void begin(struct replay *r) {
    const struct xs_model *model = r->model;
    xs_device_begin(&r->device, model);
    r->threads = xs_realloc(NULL, (size_t)model->threads * sizeof *r->threads);
    for (int32_t t = 0; t < model->threads; t++)
        r->threads[t] = (struct thread){.call = XS_NO_CALL, .last = XS_NO_CALL, .paused = -1, .next = -1};
    for (uint32_t i = 0; i < model->call_count; i++) {
        struct thread *thread = &r->threads[model->calls[i].thread];
        if (thread->last == XS_NO_CALL)
            thread->call = i;
        thread->last = i;
        r->returned[i] = -1;
    }
}

static void end(struct replay *r) {
    xs_device_end(&r->device);
    free(r->threads);
    xs_heap_free(&r->heap);
}

/* --- one call --- */

static const struct xs_call_change *change_at(const struct replay *r, uint32_t index) {
    uint32_t number = r->change_of ? r->change_of[index] : 0;
    return number ? &r->changes[number - 1] : NULL;
}

/* Puts on the device the call's operations that begin after the call's own work (`after_return`), or all its other
 * operations. `given` is the time at which they are requested. With `unstaged`, no operation has to begin after the
 * call's own work, because the data need not be staged. */
static void put_operations(struct replay *r, uint32_t index, bool after_return, int64_t given) {
    const struct xs_model_call *call = &r->model->calls[index];
    const struct xs_call_change *change = change_at(r, index);
    bool unstaged = change && change->unstaged, beside = change && change->beside;
    for (uint32_t k = 0; k < call->operations; k++) {
        const struct xs_model_operation *o = &r->model->operations[call->operation + k];
        int64_t length = change && change->lasts ? change->operation_ns / call->operations : o->end_ns - o->start_ns;
        int64_t gap = change && change->is_node && o->gap_ns > change->gap_ns ? change->gap_ns : o->gap_ns;
        int64_t latency = unstaged && o->latency_ns > UNSTAGED_NS ? UNSTAGED_NS : o->latency_ns;
        if ((o->after_return && !unstaged) == after_return)
            xs_device_put(&r->device, call, call->operation + k, given + latency, length, gap, beside);
    }
}

static int64_t measured_end(const struct replay *r, const struct xs_model_call *call) {
    int64_t end = 0;
    for (uint32_t k = 0; k < call->operations; k++)
        end = xs_later(end, r->model->operations[call->operation + k].end_ns);
    return end;
}

/* Returns the time at which the call returns. `end` is the end of what it waits for. */
static int64_t return_of(const struct replay *r, const struct xs_model_call *call, int64_t enter, int64_t end) {
    int64_t done = enter + call->own_ns;
    if (call->waited)
        return xs_later(call->wait == XS_WAITS_OWN ? enter : done, end + call->rest_ns);
    if (call->wait == XS_WAITS_OWN) /* its operation ended before the call began, as far as the clocks can tell */
        return xs_later(enter, end + call->return_ns - measured_end(r, call));
    if (call->wait == XS_WAITS_NOT || end <= enter)
        return done;
    return xs_model_is_staged(call) ? end + call->own_ns : xs_later(done, end + r->model->notice_ns);
}

/* Returns the time of the program's work before a call: `work` as measured, plus what the call's change adds. */
static int64_t work_before(const struct replay *r, uint32_t index, int64_t work) {
    const struct xs_call_change *change = change_at(r, index);
    return change ? xs_later(0, work + change->before_ns) : work;
}

static void push(struct replay *r, int32_t t) {
    xs_heap_push(&r->heap, (struct xs_heap_item){r->threads[t].enter_ns, r->threads[t].call, (uint64_t)t});
}

/* Ends the pause of a thread. Its next call was handed over by call `by`, which has now returned. */
static void end_pause(struct replay *r, int32_t t, uint32_t by) {
    struct thread *thread = &r->threads[t];
    const struct xs_model_call *calls = r->model->calls;
    int64_t work = xs_later(0, calls[thread->call].enter_ns - calls[by].return_ns);
    thread->enter_ns = xs_model_ns(xs_later(thread->return_ns, r->returned[by] + work_before(r, thread->call, work)));
    push(r, t);
}

/* Sets the time of a thread's next call. The call comes after the program's work, which began at `since_ns` in the
 * replay and at `measured_ns` in the run; or, if another thread hands over to it, after that thread's call has
 * returned. */
static void await_call(struct replay *r, int32_t t, int64_t since_ns, int64_t measured_ns) {
    struct thread *thread = &r->threads[t];
    const struct xs_model_call *call = &r->model->calls[thread->call];
    uint32_t by = call->handed_by;
    if (by && r->returned[by - 1] >= 0) {
        end_pause(r, t, by - 1);
    } else if (by) {
        struct thread *other = &r->threads[r->model->calls[by - 1].thread];
        thread->next = other->paused;
        other->paused = t;
    } else {
        int64_t work = xs_later(0, call->enter_ns - measured_ns);
        thread->enter_ns = xs_model_ns(since_ns + work_before(r, thread->call, work));
        push(r, t);
    }
}

static void end_pauses(struct replay *r, int32_t t, uint32_t index) {
    int32_t *place = &r->threads[t].paused;
    while (*place >= 0) {
        int32_t waiting = *place;
        if (r->model->calls[r->threads[waiting].call].handed_by - 1 != index) {
            place = &r->threads[waiting].next;
            continue;
        }
        *place = r->threads[waiting].next;
        end_pause(r, waiting, index);
    }
}

/* Continues a thread whose call has returned. */
static void go_on(struct replay *r, int32_t t, int64_t return_ns) {
    struct thread *thread = &r->threads[t];
    uint32_t index = thread->call;
    return_ns = xs_model_ns(return_ns);
    thread->return_ns = return_ns;
    r->returned[index] = return_ns;
    end_pauses(r, t, index);
    thread->call = r->model->calls[index].next;
    if (thread->call != XS_NO_CALL)
        await_call(r, t, return_ns, r->model->calls[index].return_ns);
}

static void end_call(struct replay *r, int32_t t, int64_t end) {
    const struct thread *thread = &r->threads[t];
    const struct xs_model_call *call = &r->model->calls[thread->call];
    const struct xs_call_change *change = change_at(r, thread->call);
    int64_t return_ns = change && change->returns == XS_RETURNS_BEHIND
                            ? xs_later(thread->enter_ns, end) + change->host_ns + call->look_ns
                            : xs_later(thread->enter_ns, return_of(r, call, thread->enter_ns, end));
    put_operations(r, thread->call, true, return_ns);
    xs_device_order(&r->device, call);
    go_on(r, t, return_ns);
}

static void begin_call(struct replay *r, int32_t t) {
    struct thread *thread = &r->threads[t];
    const struct xs_model_call *call = &r->model->calls[thread->call];
    const struct xs_call_change *change = change_at(r, thread->call);
    int64_t enter = thread->enter_ns, end;
    if (change && change->dropped) {
        go_on(r, t, enter + call->look_ns);
        return;
    }
    uint32_t own = r->device.point_count;
    bool returns_at_once = change && change->returns == XS_RETURNS_AT_ONCE;
    bool waits_own = change && change->returns == XS_RETURNS_BEHIND ? true : call->wait == XS_WAITS_OWN;
    thread->point = XS_NO_POINT;
    if (!waits_own && !returns_at_once)
        thread->point = xs_device_wait(&r->device, call, (enum xs_model_wait)call->wait, own);
    put_operations(r, thread->call, false, enter);
    if (returns_at_once) {
        int64_t returns = enter + change->host_ns + call->look_ns;
        put_operations(r, thread->call, true, returns);
        xs_device_order(&r->device, call);
        go_on(r, t, returns);
        return;
    }
    if (waits_own)
        thread->point = xs_device_wait(&r->device, call, XS_WAITS_OWN, own);
    if (xs_device_end_of(&r->device, thread->point, t, &end))
        end_call(r, t, end);
}

static void move_device(struct replay *r) {
    xs_device_step(&r->device);
    for (int32_t i = 0; i < r->device.woken_count; i++) {
        int32_t t = r->device.woken[i];
        end_call(r, t, r->device.points[r->threads[t].point].end_ns);
    }
}

/* Returns the end of the run. The process is ended by the thread whose last call returned last in the measured run. */
static int64_t run_end(const struct replay *r) {
    const struct xs_model *model = r->model;
    int64_t run = 0, last = -1;
    int32_t main = -1;
    for (int32_t t = 0; t < model->threads; t++) {
        uint32_t call = r->threads[t].last;
        if (call == XS_NO_CALL)
            continue;
        run = xs_later(run, r->threads[t].return_ns);
        if (model->calls[call].return_ns > last) {
            last = model->calls[call].return_ns;
            main = t;
        }
    }
    return main < 0 ? model->run_ns : xs_later(run, r->threads[main].return_ns + xs_later(0, model->run_ns - last));
}

int64_t xs_replay_run(const struct xs_model *model, const uint32_t *change_of, const struct xs_call_change *changes,
                      int64_t *returns) {
    struct replay r = {.model = model, .change_of = change_of, .changes = changes, .returned = returns};
    if (!returns)
        r.returned = xs_realloc(NULL, model->call_count * sizeof *r.returned);
    begin(&r);
    for (int32_t t = 0; t < model->threads; t++)
        if (r.threads[t].call != XS_NO_CALL)
            await_call(&r, t, 0, 0);
    for (;;) {
        int64_t device = xs_device_next(&r.device), host = xs_heap_next(&r.heap);
        if (device <= host && device != INT64_MAX)
            move_device(&r);
        else if (host != INT64_MAX)
            begin_call(&r, (int32_t)xs_heap_pop(&r.heap));
        else
            break;
    }
    int64_t run = run_end(&r);
    end(&r);
    if (!returns)
        free(r.returned);
    return run;
}

double xs_replay_error(const struct xs_model *model, int64_t *run_ns) {
    *run_ns = 0;
    if (!model->call_count)
        return 0;
    int64_t *returns = xs_realloc(NULL, model->call_count * sizeof *returns);
    *run_ns = xs_replay_run(model, NULL, NULL, returns);
    int64_t worst = llabs(*run_ns - model->run_ns);
    for (uint32_t i = 0; i < model->call_count; i++)
        worst = xs_later(worst, returns[i] < 0 ? model->run_ns : llabs(returns[i] - model->calls[i].return_ns));
    free(returns);
    return model->run_ns > 0 ? (double)worst / (double)model->run_ns : 0;
}
