/* Contains what all repairs share: the order in which their hooks are called, the settings of the process, and the
 * tallies. */
#include "preload/repair/repair_hooks.h"

#include <string.h>

#include "preload/driver/real.h"
#include "preload/repair/repair_hooks_internal.h"

const struct xs_repair_hooks *xs_repairs_on[XS_REPAIR_COUNT];
size_t xs_repair_budget_bytes;
_Atomic int xs_repair_captures;
_Atomic bool xs_repair_handed_out, xs_repair_may_hold;
void *xs_repair_beneath[XS_ROW_COUNT];
struct xs_tally xs_repair_tallies[XS_REPAIR_COUNT];

void *xs_repair_put_beneath(unsigned row, void *by) {
    void *there = __atomic_load_n(&xs_repair_beneath[row], __ATOMIC_RELAXED);
    if (there)
        __atomic_store_n(&xs_repair_beneath[row], by, __ATOMIC_RELEASE);
    return there;
}

const char *xs_repair_unfit(const struct xs_repair_copy *copy) {
    if (atomic_load_explicit(&xs_repair_captures, memory_order_relaxed) > 0)
        return XS_REPAIR_CAPTURING;
    if (!copy->context)
        return "no context";
    return NULL;
}

bool xs_repairs_copy(const struct xs_repair_copy *copy, CUresult *result) {
    for (unsigned i = 0; i < XS_REPAIR_COUNT; i++)
        if (xs_repairs_on[i] && xs_repairs_on[i]->copy && xs_repairs_on[i]->copy(copy, result))
            return true;
    return false;
}

void xs_repairs_before(const struct xs_repair_call *call) {
    for (unsigned i = 0; i < XS_REPAIR_COUNT; i++)
        if (xs_repairs_on[i] && xs_repairs_on[i]->before)
            xs_repairs_on[i]->before(call);
}

void xs_repairs_after(const struct xs_repair_call *call) {
    for (unsigned i = 0; i < XS_REPAIR_COUNT; i++)
        if (xs_repairs_on[i] && xs_repairs_on[i]->after)
            xs_repairs_on[i]->after(call);
}

bool xs_repairs_give_back(void) {
    bool given = false;
    for (unsigned i = 0; i < XS_REPAIR_COUNT; i++)
        given |= xs_repairs_on[i] && xs_repairs_on[i]->give_back && xs_repairs_on[i]->give_back();
    return given;
}

void xs_repair_settle(void) {
    for (unsigned i = 0; i < XS_REPAIR_COUNT; i++)
        if (xs_repairs_on[i] && xs_repairs_on[i]->settle)
            xs_repairs_on[i]->settle();
}

void xs_repair_applied(enum xs_repair_id id, uint64_t bytes) {
    atomic_fetch_add_explicit(&xs_repair_tallies[id].applied, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&xs_repair_tallies[id].bytes, bytes, memory_order_relaxed);
}

void xs_repair_checked(enum xs_repair_id id, bool is_wrong) {
    atomic_fetch_add_explicit(&xs_repair_tallies[id].checked, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&xs_repair_tallies[id].wrong, is_wrong, memory_order_relaxed);
}

void xs_repair_accessed(enum xs_repair_id id, bool is_accessed) {
    struct xs_tally *t = &xs_repair_tallies[id];
    atomic_fetch_add_explicit(is_accessed ? &t->accessed : &t->unsure, 1, memory_order_relaxed);
}

void xs_repair_refused(enum xs_repair_id id, const char *reason) {
    for (unsigned i = 0; i < XS_REFUSALS; i++) {
        struct xs_refusal *refusal = &xs_repair_tallies[id].refusals[i];
        const char *there = NULL;
        if (atomic_compare_exchange_strong(&refusal->reason, &there, reason) || there == reason ||
            strcmp(there, reason) == 0) {
            atomic_fetch_add_explicit(&refusal->count, 1, memory_order_relaxed);
            return;
        }
    }
}
