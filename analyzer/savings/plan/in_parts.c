/* Estimates savings of a run from replays of its parts; see in_parts.h. */
#include "analyzer/savings/plan/in_parts.h"

#include <math.h>
#include <stdlib.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/numbers.h"
#include "analyzer/base/search.h"
#include "analyzer/findings/engine/detector.h"
#include "analyzer/savings/plan/plan_repairs.h"

/* Returns the factor of Student's distribution for an interval with 95 % certainty. */
static double student(size_t freedom) {
    static const double of[] = {12.71, 12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23};
    return freedom < sizeof of / sizeof *of ? of[freedom] : 1.96 + 2.6 / (double)freedom;
}

/* --- instances --- */

static bool is_last_of_finding(const struct xs_repairables *all, size_t i) {
    const struct xs_repairable *a = &all->items[i], *b = a + 1;
    return i + 1 == all->count || a->detector != b->detector || a->site != b->site ||
           (a->verdict != b->verdict && !xs_detectors[a->detector]->verdicts_join);
}

/* True if the model has the instance. If its repair also changes a second call, the model must have both, because half
 * a repair saves less. */
static bool is_known(const struct xs_plan *plan, const struct xs_repairable *item) {
    static const unsigned of_two =
        1u << XS_REPAIR_DROP_BOTH | 1u << XS_REPAIR_PEER_COPY | 1u << XS_REPAIR_GATHER | 1u << XS_REPAIR_GRAPH;
    uint32_t number = xs_plan_number(plan, item);
    if (number == XS_PLAN_NONE)
        return false;
    if (!item->rows[1] || !(of_two >> xs_detector_repair(xs_detectors[item->detector], item->verdict) & 1))
        return true;
    enum xs_model_kind kind = plan->model->calls[xs_plan_call_of(plan, number)].kind;
    return xs_plan_number_of(plan, kind, item->rows[1]) != XS_PLAN_NONE;
}

/* Makes a copy of the instances that are in the model. The last instance of a finding stays, because some repairs leave
 * it as it is (xs_plan_add). */
static struct xs_repairables take_known(const struct xs_plan *plan, const struct xs_repairables *all) {
    struct xs_repairables known = {0};
    for (size_t i = 0; i < all->count; i++)
        if (xs_repairable_is_of_run(&all->items[i]) || is_last_of_finding(all, i) || is_known(plan, &all->items[i])) {
            xs_grow(&known.items, known.count, &known.capacity, sizeof *known.items);
            known.items[known.count++] = all->items[i];
        }
    return known;
}

static bool begins_by(const void *item, const void *call) {
    return ((const struct xs_run_part *)item)->first_call <= *(const uint32_t *)call;
}

/* Counts the instances of each part. Returns how many there are. */
static size_t count_by_part(const struct xs_plan *plan, const struct xs_repairable *items, size_t count,
                            double by_part[XS_PARTS_REPLAYED]) {
    const struct xs_parts *parts = plan->in_parts->parts;
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t call = xs_plan_call_of(plan, xs_plan_number(plan, &items[i]));
        if (call == XS_PLAN_NONE)
            continue;
        by_part[xs_search(parts->items, parts->count, sizeof *parts->items, begins_by, &call) - 1]++;
        found++;
    }
    return found;
}

void xs_in_parts_of_none(struct xs_plan *plan) {
    struct xs_in_parts *in = plan->in_parts;
    if (!in)
        return;
    for (size_t k = 0; k < in->parts->count; k++)
        in->instances[k] = 0;
    in->instances_of_run = in->claimed_ns = 0;
    plan->pinning.scale = 1;
}

void xs_in_parts_add(struct xs_plan *plan, const struct xs_finding *finding, const struct xs_repairable *items,
                     size_t count, uint64_t saves_ns) {
    struct xs_in_parts *in = plan->in_parts;
    double by_part[XS_PARTS_REPLAYED] = {0}, of_run = (double)finding->instances;
    if (!in || !count || !saves_ns)
        return;
    if (xs_repairable_is_of_run(items)) {
        of_run = (double)in->parts->of;
        for (size_t k = 0; k < in->parts->count; k++)
            by_part[k] = 1;
    } else {
        of_run = fmax(of_run, (double)count_by_part(plan, items, count, by_part));
    }
    for (size_t k = 0; k < in->parts->count; k++)
        in->instances[k] += by_part[k] / of_run * (double)saves_ns;
    in->instances_of_run += (double)saves_ns;
    in->claimed_ns += (double)finding->claimed_ns;
    plan->pinning.scale = xs_in_parts_scale(plan);
}

void xs_in_parts_of(struct xs_plan *plan, const struct xs_finding *finding, const struct xs_repairable *items,
                    size_t count) {
    xs_in_parts_of_none(plan);
    xs_in_parts_add(plan, finding, items, count, finding->instances);
}

void xs_in_parts_of_all(struct xs_plan *plan) {
    struct xs_in_parts *in = plan->in_parts;
    xs_in_parts_of_none(plan);
    for (size_t k = 0; in && k < in->parts->count; k++)
        in->instances[k] = 1;
    if (in)
        in->instances_of_run = (double)in->parts->of;
}

/* Sums up the parts between the first and the last one. */
static double between(const struct xs_in_parts *in, const double *by_part) {
    double sum = 0;
    for (size_t k = 1; k + 1 < in->parts->count; k++)
        sum += by_part[k];
    return sum;
}

/* Returns how many instances the run has for each instance in the parts between the first and the last one. */
static double scale_between(const struct xs_in_parts *in) {
    double found = between(in, in->instances);
    double all = in->instances_of_run - in->instances[0] - in->instances[in->parts->count - 1];
    return found > 0 && all > found ? all / found : 1;
}

double xs_in_parts_scale(const struct xs_plan *plan) { return plan->in_parts ? scale_between(plan->in_parts) : 1; }

/* --- the estimate --- */

/* Returns the half width of the interval around the estimate of the parts between the first and the last one. Each part
 * may also differ by one instance, because calls before and after it are missing. */
static double half_width(const struct xs_in_parts *in, double scale) {
    double found = between(in, in->instances), mean = between(in, in->saved_ns) / found, squares = 0, whole = 0;
    size_t parts = 0;
    for (size_t k = 1; k + 1 < in->parts->count; k++) {
        double differs = in->saved_ns[k] - mean * in->instances[k];
        squares += differs * differs;
        parts += in->instances[k] > 0;
        whole = fmax(whole, in->instances[k]);
    }
    double n = (double)parts, spread = sqrt(squares * n / (n - 1) * (1 - 1 / scale));
    return scale * (student(parts - 1) * spread + fabs(mean) * fmin(sqrt(n), whole));
}

/* Estimates what the run saves from what its parts save. */
static double estimate(struct xs_in_parts *in) {
    double sure = in->saved_ns[0] + in->saved_ns[in->parts->count - 1], sampled = between(in, in->saved_ns);
    double scale = scale_between(in), left = in->instances_of_run;
    size_t parts = 0;
    for (size_t k = 0; k < in->parts->count; k++)
        left -= in->instances[k];
    for (size_t k = 1; k + 1 < in->parts->count; k++)
        parts += in->instances[k] > 0;
    in->below_ns = in->above_ns = 0;
    if (left <= in->instances_of_run * 1e-9)
        return sure + sampled;
    if (parts < 2) { /* there is no spread; the others may save nothing, or all that they claim */
        in->above_ns = in->claimed_ns * left / in->instances_of_run;
        return sure + sampled;
    }
    double all = sampled * scale, half = half_width(in, scale);
    in->below_ns = fmin(half, fmax(0, all - sampled));
    in->above_ns = half;
    return sure + all;
}

/* Finds when each part ends in a replay: when all calls up to its end have returned. The last part ends with the run.
 */
static void find_ends(const struct xs_parts *parts, const struct xs_model *model, const int64_t *returns,
                      int64_t run_ns, int64_t ends[XS_PARTS_REPLAYED]) {
    int64_t latest_ns = 0;
    for (size_t k = 0; k < parts->count; k++) {
        bool is_last = k + 1 == parts->count;
        uint32_t end = is_last ? model->call_count : parts->items[k + 1].first_call;
        for (uint32_t i = parts->items[k].first_call; i < end; i++)
            latest_ns = xs_later(latest_ns, returns[i]);
        ends[k] = is_last ? run_ns : latest_ns;
    }
}

double xs_in_parts_saved(struct xs_in_parts *in, const struct xs_model *model, const int64_t *returns, int64_t run_ns) {
    int64_t ends[XS_PARTS_REPLAYED], before_ns = 0;
    find_ends(in->parts, model, returns, run_ns, ends);
    for (size_t k = 0; k < in->parts->count; k++) {
        int64_t sooner_ns = in->unchanged_ns[k] - ends[k];
        in->saved_ns[k] = (double)(sooner_ns - before_ns);
        before_ns = sooner_ns;
    }
    return estimate(in);
}

double xs_in_parts_error(const struct xs_plan *plan, enum xs_plan_end end) {
    const struct xs_in_parts *in = plan->in_parts;
    return !in ? 0 : end == XS_PLAN_LEAST ? in->below_ns : in->above_ns;
}

/* --- begin and end --- */

void xs_in_parts_begin(struct xs_in_parts *in, struct xs_plan *plan, struct xs_findings *findings) {
    const struct xs_model *model = plan->model;
    *in = (struct xs_in_parts){.parts = model->parts};
    if (!in->parts || !in->parts->count)
        return;
    in->all = findings->repairables;
    findings->repairables = take_known(plan, &in->all);
    in->unchanged_ns = xs_zeroed(XS_PARTS_REPLAYED, sizeof *in->unchanged_ns);
    int64_t *returns = xs_realloc(NULL, ((size_t)model->call_count + 1) * sizeof *returns);
    int64_t run_ns = xs_replay_run(model, NULL, NULL, returns);
    find_ends(in->parts, model, returns, run_ns, in->unchanged_ns);
    free(returns);
    plan->in_parts = in;
    xs_in_parts_of_all(plan);
}

void xs_in_parts_end(struct xs_in_parts *in, struct xs_plan *plan, struct xs_findings *findings) {
    if (!plan->in_parts)
        return;
    xs_repairables_free(&findings->repairables);
    findings->repairables = in->all;
    free(in->unchanged_ns);
    plan->in_parts = NULL;
}
