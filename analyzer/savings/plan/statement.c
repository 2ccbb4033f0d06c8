/* Models Python statements and their work before and after a call; see statement.h. */
#include "analyzer/savings/plan/statement.h"

#include "analyzer/savings/replay/durations.h"
#include "analyzer/trace/callsites.h"
#include "analyzer/trace/link.h"
#include "analyzer/trace/site.h"
#include "schema/format/kinds.h"

/* The times before the calls of one line vary, because they include the program's own work. The value below which a
 * tenth of them lies is near to the statement's own time. A statement of CuPy takes 20 to 40 us
 * (tests/bench/results/savings.md), so time above XS_STATEMENT_LIMIT_NS is the program's work. */
enum { SAMPLED = 512, LEAST_SAMPLES = 8, TENTH = 10 };

static bool is_python(const struct xs_plan *plan, uint32_t site) {
    const struct xs_frame *frame = site ? xs_site_frame(plan->findings, site) : NULL;
    return frame && frame->python;
}

int64_t xs_statement_gap(const struct xs_plan *plan, uint32_t call) {
    uint32_t previous = plan->model->calls[call].previous;
    return previous == XS_PLAN_NONE ? 0 : plan->model->calls[call].enter_ns - plan->model->calls[previous].return_ns;
}

uint32_t xs_statement_first(const struct xs_plan *plan, uint32_t call) {
    enum { CALLS = 8 }; /* a framework makes a few calls for a copy */
    const struct xs_model_call *calls = plan->model->calls;
    uint32_t first = call;
    for (unsigned i = 0; i < CALLS && calls[call].is_of_main && first != XS_NO_CALL; i++) {
        if (calls[first].handed_by)
            return first;
        first = calls[first].previous;
    }
    return call;
}

/* Returns the time in which the statement that makes the call may have worked for it. */
static int64_t time_before(const struct xs_plan *plan, uint32_t call) {
    uint32_t first = xs_statement_first(plan, call);
    const struct xs_model_call *c = &plan->model->calls[first];
    return plan->model->calls[call].is_of_main && c->handed_by
               ? c->enter_ns - plan->model->calls[c->handed_by - 1].return_ns
               : xs_statement_gap(plan, call);
}

static uint64_t overhead_of(struct xs_durations *gaps) {
    bool are_enough = gaps->count >= LEAST_SAMPLES;
    int64_t tenth = xs_durations_below(gaps, TENTH, 0);
    return are_enough ? (uint64_t)(tenth < XS_STATEMENT_LIMIT_NS ? tenth : XS_STATEMENT_LIMIT_NS) : 0;
}

void xs_statement_overheads(struct xs_plan *plan) {
    struct xs_hash of_site = {0}; /* by site of Python code: struct xs_durations of the times before its calls */
    for (uint32_t i = 0; i < plan->model->call_count; i++) {
        const struct xs_model_call *call = &plan->model->calls[i];
        if (call->row < 0 || call->previous == XS_NO_CALL || !is_python(plan, call->site))
            continue;
        struct xs_durations *gaps = xs_hash_item(&of_site, call->site, 0, sizeof *gaps);
        if (gaps->count < SAMPLED)
            xs_durations_add(gaps, xs_statement_gap(plan, i));
    }
    for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(&of_site, entry));)
        *xs_hash_put(&plan->overheads, entry->low, 0) = overhead_of((struct xs_durations *)(uintptr_t)entry->value) + 1;
    xs_hash_free(&of_site);
}

int64_t xs_statement_overhead(const struct xs_plan *plan, uint32_t call, int64_t otherwise) {
    const uint64_t *overhead = xs_hash_find(&plan->overheads, plan->model->calls[call].site, 0);
    return overhead ? (int64_t)*overhead - 1 : otherwise;
}

bool xs_statement_is_same_place(const struct xs_plan *plan, uint32_t a, uint32_t b) {
    const struct xs_sites *sites = plan->findings->sites;
    uint32_t place = a == XS_PLAN_NONE ? 0 : xs_site_parts(sites, plan->model->calls[a].site).place;
    return place && place == xs_site_parts(sites, plan->model->calls[b].site).place;
}

/* True if only code of a library made the call. */
static bool is_of_library(const struct xs_plan *plan, uint32_t site) {
    const struct xs_frame *frame = site ? xs_site_frame(plan->findings, site) : NULL;
    return frame && frame->library;
}

int64_t xs_statement_before(const struct xs_plan *plan, uint32_t call, enum xs_plan_end end) {
    const struct xs_model_call *c = &plan->model->calls[call];
    int64_t own = xs_statement_overhead(plan, call, is_of_library(plan, c->site) ? 0 : -1);
    int64_t all = time_before(plan, call);
    if (own < 0)
        return 0;
    uint32_t previous = plan->model->calls[call].previous;
    while (previous != XS_PLAN_NONE &&
           plan->model->calls[previous].kind == XS_MODEL_RECORD) /* the place of such a call is not known */
        previous = plan->model->calls[previous].previous;
    if (!xs_statement_is_same_place(plan, previous, call)) /* half of the time counts as the end of another statement */
        own /= 2;
    bool staged = c->direction == XS_DIR_H2D && c->memory_kind == XS_MEM_PINNED;
    if (staged && end == XS_PLAN_MOST)
        own += (int64_t)((double)c->bytes * XS_STAGING_NS_PER_BYTE);
    return own < all ? own : all;
}

bool xs_statement_continues(const struct xs_plan *plan, uint32_t call, uint32_t later) {
    const struct xs_model_call *c = &plan->model->calls[call], *l = &plan->model->calls[later];
    if (!xs_hash_find(&plan->overheads, c->site, 0) || l->stream != c->stream)
        return false;
    if (l->kind == XS_MODEL_RECORD)
        return xs_statement_gap(plan, later) <= XS_STATEMENT_LIMIT_NS;
    return l->kind == XS_MODEL_SYNC && (l->wait == XS_WAITS_STREAM || l->wait == XS_WAITS_LATEST) &&
           xs_statement_is_same_place(plan, call, later);
}
