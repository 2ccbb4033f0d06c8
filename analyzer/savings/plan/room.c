/* Limits what a plan can save by the times that its repairs change; see xs_plan_room in replay_plan.h. The times are
 * united, so a wait inside a call and the work that it waits for count once. */
#include <math.h>

#include "analyzer/base/intervals.h"
#include "analyzer/base/numbers.h"
#include "analyzer/savings/plan/in_parts.h"

/* Returns the pause before an operation that goes away with it. */
static int64_t pause_ns(const struct xs_model_operation *operation) {
    int64_t ns = xs_later(operation->latency_ns, operation->gap_ns);
    return xs_later(0, xs_later(ns, operation->engine_gap_ns));
}

/* True if the change only makes the call's operations shorter. */
static bool only_shortens(const struct xs_call_change *change) {
    return change->lasts && !change->dropped && !change->unstaged && change->returns == XS_RETURNS_AS_IT_DID;
}

static void add_operations(struct xs_intervals *times, const struct xs_plan *plan, uint32_t call,
                           const struct xs_call_change *change) {
    const struct xs_model_call *c = &plan->model->calls[call];
    int64_t less_ns = xs_plan_operations_ns(plan, call) - change->operation_ns;
    for (uint32_t k = 0; k < c->operations; k++) {
        const struct xs_model_operation *operation = &plan->model->operations[c->operation + k];
        int64_t start_ns = operation->start_ns - pause_ns(operation), end_ns = operation->end_ns;
        if (only_shortens(change))
            start_ns = xs_later(operation->start_ns, end_ns - less_ns);
        else if (change->is_node) /* the kernel runs as before */
            end_ns = operation->start_ns;
        xs_intervals_add(times, start_ns, end_ns);
    }
}

static void add_change(struct xs_intervals *times, const struct xs_plan *plan, uint32_t call,
                       const struct xs_call_change *change) {
    const struct xs_model_call *c = &plan->model->calls[call];
    if (change->before_ns < 0)
        xs_intervals_add(times, c->enter_ns + change->before_ns, c->enter_ns);
    if (xs_plan_changes_only_work(change))
        return;
    if (!only_shortens(change))
        xs_intervals_add(times, c->enter_ns, c->return_ns);
    add_operations(times, plan, call, change);
}

/* Adds the calls that get another stream, from their enter to the end of their work. Calls that only wait for the
 * stream are among them. */
static void add_split(struct xs_intervals *times, const struct xs_plan *plan) {
    for (uint32_t i = 0; i < plan->model->call_count; i++) {
        const struct xs_model_call *call = &plan->model->calls[i], *split = &plan->replayed->calls[i];
        if (call->stream == split->stream && call->wait == split->wait)
            continue;
        int64_t end_ns = call->return_ns;
        for (uint32_t k = 0; k < call->operations; k++)
            end_ns = xs_later(end_ns, plan->model->operations[call->operation + k].end_ns);
        xs_intervals_add(times, call->enter_ns, end_ns);
    }
}

uint64_t xs_plan_room(const struct xs_plan *plan) {
    struct xs_intervals times = {0};
    for (uint32_t i = 0; i < plan->count; i++)
        add_change(&times, plan, plan->changed[i], &plan->changes[i]);
    if (plan->replayed != plan->model)
        add_split(&times, plan);
    uint64_t room = xs_intervals_unite(&times);
    xs_intervals_free(&times);
    return (uint64_t)fmin((double)room * xs_in_parts_scale(plan), (double)INT64_MAX);
}
