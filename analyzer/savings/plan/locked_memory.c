/* Unpins host memory, and drops what page-locks it for nothing; see locked_memory.h. */
#include "analyzer/savings/plan/locked_memory.h"

/* CUDA stages an upload of up to this size before its asynchronous call returns, from any memory. */
enum { STAGED_BYTES = 65536 };

/* Drops a call even if the plan has changed it, without its copies or the rest of its statement. */
static void drop_only(struct xs_plan *plan, uint32_t call) {
    struct xs_call_change *change = xs_plan_alter(plan, call);
    if (change)
        change->dropped = true;
}

/* Makes a copy use pageable memory, with `touch_ns` of the host's work before the call. A call that the plan has
 * already changed is not changed again, unless the copy is of a batch, whose copies are changed one by one. */
static void copy_pageable(struct xs_plan *plan, uint32_t number, int64_t touch_ns) {
    const struct xs_model *model = plan->model;
    bool is_of_batch = xs_plan_is_of_batch(plan, number);
    if (is_of_batch && plan->copies[number - model->call_count].is_left_out)
        return;
    uint32_t index = xs_plan_call_of(plan, number);
    const struct xs_model_call *call = &model->calls[index];
    struct xs_call_change *change = plan->change_of[index] && !is_of_batch ? NULL : xs_plan_alter(plan, index);
    if (!change)
        return;
    int64_t longer_ns = xs_host_memory_worth(plan, number);
    change->before_ns = xs_model_ns(change->before_ns + touch_ns);
    if (!call->operations) { /* the copy was not recorded, so the host takes the extra time */
        change->before_ns = xs_model_ns(change->before_ns + longer_ns);
        return;
    }
    if (!change->lasts)
        change->operation_ns = xs_plan_operations_ns(plan, index);
    change->lasts = true;
    change->operation_ns = xs_model_ns(change->operation_ns + longer_ns);
    if (call->is_async && (call->direction != XS_DIR_H2D || call->bytes > STAGED_BYTES)) {
        change->unstaged = true; /* the copy runs within the call, not after it */
        change->returns = XS_RETURNS_BEHIND;
        change->host_ns = XS_BEHIND_COPY_NS;
    }
}

size_t xs_plan_unpin(struct xs_plan *plan, uint32_t allocation, enum xs_plan_end end) {
    const struct xs_locked_memory *memory = xs_host_memory_of(&plan->host_memory, plan, allocation);
    if (!memory)
        return 0;
    double bytes = (double)memory->bytes;
    bool is_touched_again = end == XS_PLAN_LEAST && !memory->is_registered;
    int64_t touch_ns = is_touched_again ? xs_model_ns((int64_t)(bytes * XS_FIRST_TOUCH_NS_PER_BYTE)) : 0;
    drop_only(plan, allocation);
    if (memory->free != XS_PLAN_NONE)
        drop_only(plan, memory->free);
    for (uint32_t copy = memory->first_copy; copy != XS_PLAN_NONE; copy = plan->host_memory.next[copy]) {
        copy_pageable(plan, copy, touch_ns);
        touch_ns = 0;
    }
    return 1;
}

void xs_plan_drop_useless_memory(struct xs_plan *plan) {
    for (const struct xs_locked_memory *item; (item = xs_host_memory_next_useless(&plan->host_memory));) {
        xs_plan_change(plan, item->allocation, &(struct xs_call_change){.dropped = true});
        if (item->free != XS_PLAN_NONE)
            xs_plan_change(plan, item->free, &(struct xs_call_change){.dropped = true});
    }
}
