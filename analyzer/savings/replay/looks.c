/* Computes how much longer calls took because contents were looked at; see looks.h. */
#include "analyzer/savings/replay/looks.h"

#include "analyzer/base/hash.h"
#include "analyzer/base/numbers.h"
#include "analyzer/savings/replay/durations.h"

enum { LEAST_OTHERS = 4 }; /* this many calls without a look are needed for a comparison */

/* Copies of one site and one size class (a power of two). */
struct group {
    struct xs_durations looked_at, others;
    size_t other_count;
    int64_t look_ns, longest_other_ns;
};

static bool is_copy(const struct xs_model_call *call) { return call->kind == XS_MODEL_TRANSFER && call->site; }

/* Returns a call's time; if the call waits for its copy, without the copy's time, because copies of one place may take
 * different times. */
static int64_t besides_ns(const struct xs_model *model, const struct xs_model_call *call) {
    int64_t ns = call->return_ns - call->enter_ns;
    for (uint32_t i = 0; call->wait == XS_WAITS_OWN && i < call->operations; i++)
        ns -= xs_model_lasted(&model->operations[call->operation + i]);
    return ns > 0 ? ns : 0;
}

static void end_group(struct group *group) {
    int64_t others = xs_durations_usual(&group->others, 0), looked_at = xs_durations_usual(&group->looked_at, others);
    if (group->other_count >= LEAST_OTHERS && looked_at > others)
        group->look_ns = looked_at - others;
}

void xs_model_find_looks(struct xs_model *model) {
    struct xs_hash groups = {0}; /* by site and size class: struct group */
    for (uint32_t i = 0; i < model->call_count; i++) {
        const struct xs_model_call *call = &model->calls[i];
        if (!is_copy(call))
            continue;
        struct group *group = xs_hash_item(&groups, call->site, xs_size_class(call->bytes), sizeof *group);
        xs_durations_add(call->is_looked_at ? &group->looked_at : &group->others, besides_ns(model, call));
        group->other_count += !call->is_looked_at;
        if (!call->is_looked_at && besides_ns(model, call) > group->longest_other_ns)
            group->longest_other_ns = besides_ns(model, call);
    }
    for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(&groups, entry));)
        end_group((struct group *)(uintptr_t)entry->value);
    for (uint32_t i = 0; i < model->call_count; i++) {
        struct xs_model_call *call = &model->calls[i];
        if (!is_copy(call) || !call->is_looked_at)
            continue;
        const struct group *group = xs_hash_item(&groups, call->site, xs_size_class(call->bytes), sizeof *group);
        int64_t most = besides_ns(model, call), look_ns = group->look_ns;
        if (group->other_count >= LEAST_OTHERS && most - group->longest_other_ns > look_ns)
            look_ns = most - group->longest_other_ns; /* the first call may take longer, because it waits until the
                                                       * library's kernels are loaded */
        call->look_ns = look_ns < most ? look_ns : most;
    }
    xs_hash_free(&groups);
}
