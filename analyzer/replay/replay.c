/* The replay: each thread goes from call to call, the one that comes first next; see replay.h. */
#include "analyzer/replay/replay.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/replay/queues.h"

static int64_t later(int64_t a, int64_t b) { return a > b ? a : b; }

/* A thread of the program: its next call, and when it will be entered. */
struct thread {
    uint32_t call, last; /* XS_NO_CALL: there is none */
    int64_t enter_ns;
    int64_t return_ns; /* of its last call so far */
};
#define XS_NO_CALL UINT32_MAX

struct replay {
    const struct xs_model *model;
    const uint32_t *change_of;
    const struct xs_change *changes;
    struct xs_queues queues;
    uint32_t *next; /* by call: the same thread's next */
    struct thread *threads;
    int32_t *heap; /* of threads that have a next call, by its time */
    int32_t heap_count;
};

/* --- the heap --- */

static bool is_first(const struct replay *r, int32_t a, int32_t b) {
    const struct thread *x = &r->threads[a], *y = &r->threads[b];
    return x->enter_ns != y->enter_ns ? x->enter_ns < y->enter_ns : x->call < y->call;
}

static void sink(struct replay *r, int32_t place) {
    for (;;) {
        int32_t least = place, child = 2 * place + 1;
        for (int32_t k = child; k < child + 2 && k < r->heap_count; k++)
            if (is_first(r, r->heap[k], r->heap[least]))
                least = k;
        if (least == place)
            return;
        int32_t swap = r->heap[place];
        r->heap[place] = r->heap[least];
        r->heap[least] = swap;
        place = least;
    }
}

/* --- begin and end --- */

static void begin(struct replay *r) {
    const struct xs_model *model = r->model;
    xs_queues_begin(&r->queues, model);
    r->next = xs_realloc(NULL, model->call_count * sizeof *r->next);
    r->threads = xs_realloc(NULL, (size_t)model->threads * sizeof *r->threads);
    r->heap = xs_realloc(NULL, (size_t)model->threads * sizeof *r->heap);
    for (int32_t t = 0; t < model->threads; t++)
        r->threads[t] = (struct thread){.call = XS_NO_CALL, .last = XS_NO_CALL};
    for (uint32_t i = 0; i < model->call_count; i++) {
        struct thread *thread = &r->threads[model->calls[i].thread];
        r->next[i] = XS_NO_CALL;
        if (thread->last == XS_NO_CALL)
            *thread = (struct thread){.call = i, .enter_ns = model->calls[i].enter_ns};
        else
            r->next[thread->last] = i;
        thread->last = i;
    }
    for (int32_t t = 0; t < model->threads; t++)
        if (r->threads[t].call != XS_NO_CALL)
            r->heap[r->heap_count++] = t;
    for (int32_t place = r->heap_count / 2; place-- > 0;)
        sink(r, place);
}

static void end(struct replay *r) {
    xs_queues_end(&r->queues);
    free(r->next);
    free(r->threads);
    free(r->heap);
}

/* --- one call --- */

static int64_t start_operations(struct replay *r, const struct xs_model_call *call, const struct xs_change *change,
                                int64_t enter, int64_t returned) {
    int64_t own = 0;
    for (uint32_t k = 0; k < call->operations; k++) {
        const struct xs_model_operation *o = &r->model->operations[call->operation + k];
        int64_t before = xs_queues_before(&r->queues, call, o);
        int64_t start = later((o->after_return ? returned : enter) + o->latency_ns, before ? before + o->gap_ns : 0);
        int64_t length = change && change->lasts ? change->operation_ns / call->operations : o->end_ns - o->start_ns;
        xs_queues_add(&r->queues, call, o, start + length);
        own = later(own, start + length);
    }
    return own;
}

static int64_t measured_end(const struct replay *r, const struct xs_model_call *call) {
    int64_t end = 0;
    for (uint32_t k = 0; k < call->operations; k++)
        end = later(end, r->model->operations[call->operation + k].end_ns);
    return end;
}

/* When the call returns; `end` is that of what it waits for. */
static int64_t return_of(const struct replay *r, const struct xs_model_call *call, int64_t enter, int64_t end) {
    int64_t done = enter + call->own_ns;
    if (call->waited)
        return later(call->wait == XS_WAITS_OWN ? enter : done, end + call->rest_ns);
    if (call->wait == XS_WAITS_OWN) /* it ended before the call was entered, as clocks go */
        return later(enter, end + call->return_ns - measured_end(r, call));
    return call->wait == XS_WAITS_NOT ? done : later(done, end);
}

static int64_t make_call(struct replay *r, uint32_t index, int64_t enter) {
    const struct xs_model_call *call = &r->model->calls[index];
    uint32_t number = r->change_of ? r->change_of[index] : 0;
    const struct xs_change *change = number ? &r->changes[number - 1] : NULL;
    if (change && change->dropped)
        return enter;
    int64_t end = call->wait == XS_WAITS_OWN ? 0 : xs_queues_wait_end(&r->queues, call, 0);
    int64_t returned = change && change->returns_at_once ? enter + change->host_ns
                       : call->wait == XS_WAITS_OWN      ? enter
                                                         : later(enter, return_of(r, call, enter, end));
    int64_t own = start_operations(r, call, change, enter, returned);
    xs_queues_order(&r->queues, call);
    if (call->wait == XS_WAITS_OWN && !(change && change->returns_at_once))
        returned = later(enter, return_of(r, call, enter, own));
    return returned;
}

/* The program's work between two calls of a thread, and what a change adds to it. */
static int64_t work_before(const struct replay *r, uint32_t index, int64_t work) {
    uint32_t number = r->change_of ? r->change_of[index] : 0;
    return number ? later(0, work + r->changes[number - 1].before_ns) : work;
}

/* The thread that ends the process is the one that returned last in the measured run. */
static int64_t run_end(const struct replay *r) {
    const struct xs_model *model = r->model;
    int64_t run = 0, last = -1;
    int32_t main = -1;
    for (int32_t t = 0; t < model->threads; t++) {
        uint32_t call = r->threads[t].last;
        if (call == XS_NO_CALL)
            continue;
        run = later(run, r->threads[t].return_ns);
        if (model->calls[call].return_ns > last) {
            last = model->calls[call].return_ns;
            main = t;
        }
    }
    return main < 0 ? model->run_ns : later(run, r->threads[main].return_ns + later(0, model->run_ns - last));
}

int64_t xs_replay_run(const struct xs_model *model, const uint32_t *change_of, const struct xs_change *changes,
                      int64_t *returns) {
    struct replay r = {.model = model, .change_of = change_of, .changes = changes};
    begin(&r);
    for (int32_t t = 0; t < model->threads; t++)
        if (r.threads[t].call != XS_NO_CALL)
            r.threads[t].enter_ns = work_before(&r, r.threads[t].call, r.threads[t].enter_ns);
    while (r.heap_count) {
        struct thread *thread = &r.threads[r.heap[0]];
        uint32_t index = thread->call, next = r.next[index];
        thread->return_ns = make_call(&r, index, thread->enter_ns);
        if (returns)
            returns[index] = thread->return_ns;
        thread->call = next;
        if (next == XS_NO_CALL) {
            r.heap[0] = r.heap[--r.heap_count];
        } else {
            int64_t work = model->calls[next].enter_ns - model->calls[index].return_ns;
            thread->enter_ns = thread->return_ns + work_before(&r, next, later(0, work));
        }
        sink(&r, 0);
    }
    int64_t run = run_end(&r);
    end(&r);
    return run;
}

double xs_replay_error(const struct xs_model *model) {
    if (!model->call_count || model->run_ns <= 0)
        return 0;
    int64_t *returns = xs_realloc(NULL, model->call_count * sizeof *returns);
    int64_t run = xs_replay_run(model, NULL, NULL, returns), worst = llabs(run - model->run_ns);
    for (uint32_t i = 0; i < model->call_count; i++)
        worst = later(worst, llabs(returns[i] - model->calls[i].return_ns));
    free(returns);
    return (double)worst / (double)model->run_ns;
}
