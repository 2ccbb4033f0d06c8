/* Computes what each finding saves, and the causes of the findings; see find_savings.h. */
#include "analyzer/savings/causes/find_savings.h"

#include <math.h>
#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/numbers.h"
#include "analyzer/base/progress.h"
#include "analyzer/base/search.h"
#include "analyzer/findings/engine/detector.h"
#include "analyzer/savings/causes/contexts.h"
#include "analyzer/savings/causes/detours.h"
#include "analyzer/savings/causes/grouping.h"
#include "analyzer/savings/causes/host_work_least.h"
#include "analyzer/savings/causes/preparations.h"
#include "analyzer/savings/causes/released_at.h"
#include "analyzer/savings/causes/turns.h"
#include "analyzer/savings/causes/worked_at.h"
#include "analyzer/savings/idle/scale_up.h"
#include "analyzer/savings/plan/in_parts.h"
#include "analyzer/savings/plan/plan_repairs.h"
#include "analyzer/savings/plan/scale.h"
#include "analyzer/trace/scan.h"

/* Only this many findings, those with the largest claims, are replayed one by one. */
enum { REPLAYED_FINDINGS = 64 };

/* --- savings --- */

static bool is_unsure(const struct xs_finding *f) {
    return xs_detectors[f->detector]->unsure_verdicts >> f->verdict & 1;
}

/* True if the repair may save nothing for a reason that the replay does not know. Three repairs have bounds of their
 * own. The replay of a stream for each thread knows which threads wait for each other. The replay of work before
 * uploads knows which work was seen. The least saving of work on the device is set later (host_work_least.h). */
static bool may_save_nothing(const struct xs_finding *f) {
    enum xs_repair_kind repair = xs_detector_repair(xs_detectors[f->detector], f->verdict);
    bool is_bounded =
        repair == XS_REPAIR_OWN_STREAM || repair == XS_REPAIR_PREPARE_ON_DEVICE || repair == XS_REPAIR_WORK_ON_DEVICE;
    return is_unsure(f) || (f->potential && !is_bounded);
}

/* Returns the bounds without a replay: the least is 0, the most is the finding's claim including the estimate for
 * copies that the sample left out. Several threads can claim more than the run, but none saves more. */
static struct xs_saving bounds(const struct xs_findings *findings, const struct xs_finding *f) {
    uint64_t run_ns = findings->recorded.run_ns ? findings->recorded.run_ns : UINT64_MAX;
    uint64_t most_ns = f->claimed_ns < run_ns ? f->claimed_ns : run_ns, in_all = 0;
    if (xs_sample_is_part(&f->sample))
        in_all = (uint64_t)fmin(9e18, fmax(0, xs_sample_is_few(&f->sample) ? f->sample.high_ns : f->sample.ns));
    in_all = in_all < run_ns ? in_all : run_ns;
    return (struct xs_saving){.known = true,
                              .bounds = true,
                              .most_ns = in_all > most_ns ? in_all : most_ns,
                              .scaled_most_ns = in_all > most_ns ? in_all - most_ns : 0};
}

/* Limits the least saving if kernels were not recorded. The replay then does not know what calls waited for, so the
 * least saving is only the copies' own time. */
static void leave_waiting(struct xs_diagnosed *d) {
    const struct xs_times *removable = &d->finding->removable;
    uint64_t own_ns = removable->device_known ? removable->device_ns : 0;
    d->saves.least_ns = d->saves.least_ns < own_ns ? d->saves.least_ns : own_ns;
}

static uint64_t in_ns(double ns) { return ns < 0 ? 0 : ns < 9e18 ? (uint64_t)ns : INT64_MAX; }

/* Sets both ends of the saving, and how much of each end is estimated for copies that the sample left out. `error` has
 * how far each end may be from the truth because only parts of the run are replayed. */
static void set_saving(struct xs_diagnosed *d, const double found[2], const double all[2], const double error[2],
                       double most_ns, double run_ns) {
    bool swapped = all[XS_PLAN_LEAST] > all[XS_PLAN_MOST];
    enum xs_plan_end least = swapped ? XS_PLAN_MOST : XS_PLAN_LEAST, most = swapped ? XS_PLAN_LEAST : XS_PLAN_MOST;
    double least_all = fmin(all[least], most_ns), most_all = fmin(all[most], most_ns);
    d->saves = (struct xs_saving){.known = true,
                                  .least_ns = in_ns(least_all - error[XS_PLAN_LEAST]),
                                  .most_ns = in_ns(fmin(most_all + error[XS_PLAN_MOST], run_ns)),
                                  .scaled_least_ns = in_ns(least_all - found[least]),
                                  .scaled_most_ns = in_ns(most_all - found[most])};
}

static void replay(struct xs_plan *plan, struct xs_diagnosed *d, const struct xs_repairable *items, size_t count,
                   int64_t run) {
    const struct xs_finding *f = d->finding;
    double saved[2], all[2], error[2], run_ns = (double)xs_plan_run_ns(plan, run);
    uint64_t room = 0;
    size_t found = 0;
    xs_in_parts_of(plan, f, items, count);
    for (enum xs_plan_end end = XS_PLAN_LEAST; end <= XS_PLAN_MOST; end++) {
        xs_plan_clear(plan);
        found += xs_plan_add(plan, items, count, end);
        all[end] = saved[end] = (double)xs_plan_saves(plan, run);
        error[end] = xs_in_parts_error(plan, end);
        room = xs_plan_room(plan) > room ? xs_plan_room(plan) : room;
        if (end == XS_PLAN_LEAST) {
            d->pinning_ns = xs_pinning_ns(&plan->pinning);
            d->pinning_assumed = d->pinning_ns && plan->pinning.assumed;
        }
    }
    if (!found) { /* the finding's rows are not in the model */
        d->saves = bounds(plan->findings, f);
        return;
    }
    if (xs_sample_is_part(&f->sample))
        xs_scale(plan, f, items, count, run, all, &room);
    set_saving(d, saved, all, error, fmin((double)room, run_ns), run_ns);
    if (may_save_nothing(f))
        d->saves.least_ns = 0;
    if (!plan->findings->exposed_known)
        leave_waiting(d);
    if (d->saves.scaled_least_ns > d->saves.least_ns)
        d->saves.scaled_least_ns = d->saves.least_ns;
}

/* Makes a copy of a finding with only the verdicts for which is_in_part is true. False: it has none of them. */
static bool take_part(const struct xs_finding *f, const struct xs_analysis_options *options, struct xs_finding *part) {
    *part = *f;
    part->instances = part->claimed_ns = 0;
    part->sample.estimate = part->sample.ns = part->sample.left_hits = part->sample.left_hit_ns = 0;
    part->removable = (struct xs_times){.device_known = true, .exposed_known = true};
    for (unsigned verdict = 0; verdict < XS_VERDICTS; verdict++) {
        const struct xs_variant *variant = &f->variants[verdict];
        if (!variant->instances || !options->is_in_part(f->detector, verdict))
            continue;
        part->instances += variant->instances;
        part->claimed_ns = xs_sum(part->claimed_ns, variant->claimed_ns);
        part->sample.estimate += variant->estimate;
        part->sample.ns += variant->ns;
        part->sample.left_hits += variant->left_hits;
        part->sample.left_hit_ns += variant->left_hit_ns;
        xs_times_add(&part->removable, &variant->removable);
    }
    double share = f->sample.estimate > 0 ? fmin(1, part->sample.estimate / f->sample.estimate) : 1;
    part->sample.low = fmax((double)part->instances, part->sample.low * share);
    part->sample.high = fmax(part->sample.low, part->sample.high * share);
    part->sample.high_ns = fmax(part->sample.ns, part->sample.high_ns * share);
    return part->instances > 0;
}

/* Finds the saving of these verdicts alone. `plan` NULL: there is no replay. */
static void find_part_saving(struct xs_diagnosed *d, const struct xs_findings *findings, struct xs_plan *plan,
                             const struct xs_repairable *items, size_t count, const struct xs_analysis_options *options,
                             int64_t run) {
    struct xs_finding finding;
    struct xs_diagnosed part = {.finding = &finding};
    size_t kept = 0;
    if (!take_part(d->finding, options, &finding))
        return;
    struct xs_repairable *chosen = xs_realloc(NULL, (count + 1) * sizeof *chosen);
    for (size_t i = 0; i < count; i++)
        if (options->is_in_part(items[i].detector, items[i].verdict))
            chosen[kept++] = items[i];
    if (plan)
        replay(plan, &part, chosen, kept, run);
    d->part_saves = plan ? part.saves : bounds(findings, &finding);
    free(chosen);
}

static bool has_repair(const struct xs_finding *f) {
    return xs_detector_repair(xs_detectors[f->detector], f->verdict) != 0;
}

/* A finding with a repair. */
struct claim {
    size_t finding;
    uint64_t ns;
};

static int by_claim(const void *a, const void *b) {
    const struct claim *x = a, *y = b;
    return xs_compare_uint64(y->ns, x->ns) ?: xs_compare_uint64(x->finding, y->finding);
}

/* Returns the findings with repairs, the largest claim first. The caller frees the array. */
static struct claim *rank_claims(const struct xs_findings *findings, size_t *count) {
    struct claim *claims = xs_realloc(NULL, (findings->count + 1) * sizeof *claims);
    *count = 0;
    for (size_t i = 0; i < findings->count; i++)
        if (has_repair(&findings->items[i]))
            claims[(*count)++] = (struct claim){i, findings->items[i].claimed_ns};
    xs_sort(claims, *count, sizeof *claims, by_claim);
    return claims;
}

static void find_savings(struct xs_diagnosis *diagnosis, struct xs_plan *plan,
                         const struct xs_analysis_options *options, int64_t run) {
    const struct xs_repairables *all = &diagnosis->findings->repairables;
    size_t count;
    struct claim *claims = rank_claims(diagnosis->findings, &count);
    xs_progress_at(XS_PROGRESS_SAVINGS);
    for (size_t i = 0; i < count; i++) {
        xs_progress_did(i, count);
        struct xs_diagnosed *d = &diagnosis->items[claims[i].finding];
        bool is_replayed = diagnosis->replayed && i < REPLAYED_FINDINGS;
        size_t of, first = xs_repairables_of(all, d->finding, &of);
        if (is_replayed)
            replay(plan, d, &all->items[first], of, run);
        else
            d->saves = bounds(diagnosis->findings, d->finding);
        if (d->finding->verdict == XS_SEVERAL_VERDICTS && options && options->is_in_part)
            find_part_saving(d, diagnosis->findings, is_replayed ? plan : NULL, &all->items[first], of, options, run);
    }
    free(claims);
}

/* --- all --- */

static void set_fit(struct xs_diagnosis *diagnosis, const struct xs_model *model, int64_t run) {
    uint32_t calls = 0;
    for (uint32_t i = 0; i < model->call_count; i++)
        calls += model->calls[i].row >= 0; /* the others are waits outside of CUDA */
    diagnosis->replay_fit = (struct xs_replay_fit){.calls = calls,
                                                   .operations = model->operation_count,
                                                   .unmatched = model->unmatched,
                                                   .parts = model->parts ? model->parts->count : 0,
                                                   .parts_of_run = model->parts ? model->parts->of : 0,
                                                   .measured_ns = model->run_ns > 0 ? (uint64_t)model->run_ns : 0,
                                                   .replayed_ns = run > 0 ? (uint64_t)run : 0};
}

/* True if a model of the run is needed. It is not made otherwise, because its memory grows with the number of calls. */
static bool is_replay_needed(const struct xs_findings *findings, const struct xs_analysis_options *options) {
    for (size_t i = 0; i < findings->count; i++)
        if (has_repair(&findings->items[i]))
            return true;
    return options && options->shows_replay;
}

/* Accounts for idle time, and says which waits pay. The first steps and what is before and after the loop have other
 * reasons to be slow than the loop. `run_ns` is the duration of the replay; `is_believed`: it is like the run. */
static int account_idle(const struct xs_trace *trace, struct xs_diagnosis *diagnosis,
                        const struct xs_analysis_options *options, const struct xs_model *model, int64_t run_ns,
                        bool is_believed, char *message) {
    bool judges_all = options && options->judged_waits == XS_JUDGES_WAITS;
    int status = XS_OK;
    if (options && options->judged_waits && is_believed)
        xs_waits_paid_find(&diagnosis->waits, model, run_ns, judges_all ? XS_WAITS_MOST_ROWS : 1);
    if (judges_all && is_believed)
        status = xs_waited_work_read(&diagnosis->waits, model, trace, message);
    xs_waits_paid_count_unread(&diagnosis->waits, model, &diagnosis->findings->reads);
    xs_waits_paid_scale_up(&diagnosis->waits, model->parts);
    if (status < 0 || !options || !options->accounts_idle || !diagnosis->findings->exposed_known)
        return status;
    const struct xs_steps *steps = &diagnosis->findings->steps;
    int64_t start_ns = 0, end_ns = xs_parts_trace_ns(model->parts, model->run_ns);
    if (steps->count > steps->warm_up) {
        start_ns = steps->items[steps->warm_up].begin_ns;
        end_ns = steps->items[steps->count].begin_ns;
        diagnosis->idle_steps = steps->count - steps->warm_up;
    }
    struct xs_pause_samples samples;
    status = xs_pause_samples_read(&samples, trace, diagnosis->findings->sites, message, NULL);
    xs_pause_samples_move(&samples, model->parts);
    if (status >= 0) {
        struct xs_capture_ranges ranges;
        xs_capture_ranges_read(&ranges, trace);
        bool is_in_parts = model->parts && model->parts->count; /* the ranges have times of the trace */
        xs_idle_account_in(&diagnosis->idle, model, diagnosis->findings->sites, &samples,
                           xs_parts_model_ns(model->parts, start_ns, NULL),
                           xs_parts_model_ns(model->parts, end_ns, NULL),
                           ranges.has_gaps && !is_in_parts ? &ranges : NULL);
        xs_capture_ranges_free(&ranges);
        xs_idle_scale_up(&diagnosis->idle, model->parts, start_ns, end_ns);
    }
    xs_pause_samples_free(&samples);
    return status;
}

static bool is_believed(const struct xs_model *model, double error) {
    return model->call_count && error <= XS_REPLAY_LARGEST_ERROR;
}

/* Reads the model of the run, or of parts of a long run. */
static int read_model(struct xs_model *model, struct xs_parts *parts, const struct xs_trace *trace,
                      struct xs_diagnosis *diagnosis, char *message) {
    const struct xs_findings *findings = diagnosis->findings;
    int status = xs_parts_place(parts, trace, &findings->steps, message);
    return status < 0 ? status : xs_model_read(model, trace, parts, findings->sites, message, NULL);
}

/* There are no causes. The model is read only for idle time and waits. */
static int find_no_causes(const struct xs_trace *trace, struct xs_diagnosis *diagnosis, struct xs_parts *parts,
                          const struct xs_analysis_options *options, char *message) {
    struct xs_model model = {0};
    int64_t run;
    diagnosis->replay_fit.measured_ns = diagnosis->findings->recorded.run_ns;
    diagnosis->together.known = true;
    if (!options || (!options->accounts_idle && !options->judged_waits))
        return XS_OK;
    int status = read_model(&model, parts, trace, diagnosis, message);
    if (status >= 0) {
        double error = xs_replay_error(&model, &run);
        status = account_idle(trace, diagnosis, options, &model, run, is_believed(&model, error), message);
    }
    xs_model_free(&model);
    return status;
}

/* Finds causes from the replay of the model. `run` is the duration of a replay without changes. */
static int find_causes_in(const struct xs_trace *trace, struct xs_diagnosis *diagnosis, struct xs_plan *plan,
                          const struct xs_analysis_options *options, int64_t run, char *message) {
    find_savings(diagnosis, plan, options, run);
    xs_progress_at(XS_PROGRESS_CAUSES);
    xs_preparations_add(diagnosis, plan, run);
    xs_contexts_time(diagnosis, plan);
    xs_released_at_find(diagnosis, plan);
    xs_worked_at_find(diagnosis, plan);
    int status = xs_detours_find(diagnosis, plan, trace, run, message);
    if (status >= 0) {
        xs_host_work_bound(diagnosis, plan);
        xs_group_causes(diagnosis, plan, run);
    }
    return status;
}

static int find_causes(const struct xs_trace *trace, struct xs_diagnosis *diagnosis, struct xs_parts *parts,
                       const struct xs_analysis_options *options, char *message) {
    struct xs_findings *findings = diagnosis->findings;
    struct xs_model model = {0};
    struct xs_in_parts in_parts;
    struct xs_plan plan = {0};
    if (!is_replay_needed(findings, options))
        return find_no_causes(trace, diagnosis, parts, options, message);
    int status = read_model(&model, parts, trace, diagnosis, message);
    if (status >= 0)
        status = xs_turns_read(trace, diagnosis, message);
    if (status >= 0)
        status = xs_plan_begin(&plan, &model, trace, findings, message);
    if (status >= 0) {
        int64_t run;
        diagnosis->replay_error = xs_replay_error(&model, &run);
        diagnosis->replayed = is_believed(&model, diagnosis->replay_error);
        set_fit(diagnosis, &model, run);
        status = account_idle(trace, diagnosis, options, &model, run, diagnosis->replayed, message);
        xs_in_parts_begin(&in_parts, &plan, findings);
        status = status < 0 ? status : find_causes_in(trace, diagnosis, &plan, options, run, message);
        xs_in_parts_end(&in_parts, &plan, findings);
    }
    xs_plan_end(&plan);
    xs_model_free(&model);
    return status;
}

/* Analyses a run. Of a long run, only the instances in the chosen parts are kept, unless the caller wants all. */
static int analyse(const struct xs_trace *trace, const struct xs_analysis_options *options,
                   const struct xs_parts *parts, struct xs_findings **findings, char *message) {
    struct xs_analysis_options own = options ? *options : (struct xs_analysis_options){0};
    struct xs_intervals times = {0};
    if (parts->count && !own.keeps_repairables) {
        xs_parts_possible_times(parts, &times);
        own.repaired_times = &times;
    }
    own.keeps_repairables = true;
    int status = xs_analyse(trace, &own, findings, message);
    xs_intervals_free(&times);
    return status;
}

static int diagnose(const struct xs_trace *trace, const struct xs_analysis_options *options, struct xs_parts *parts,
                    struct xs_diagnosis **diagnosis, char *message) {
    struct xs_findings *findings;
    int status = analyse(trace, options, parts, &findings, message);
    if (status < 0)
        return status;
    *diagnosis = xs_diagnosis_of(findings);
    xs_progress_at(XS_PROGRESS_MODEL);
    status = xs_contexts_read(trace, *diagnosis, message);
    if (status >= 0)
        status = find_causes(trace, *diagnosis, parts, options, message);
    if (status < 0) {
        xs_diagnosis_free(*diagnosis);
        *diagnosis = NULL;
    } else if (!options || !options->keeps_repairables) {
        xs_repairables_free(&findings->repairables);
    }
    return status;
}

int xs_diagnose(const struct xs_trace *trace, const struct xs_analysis_options *options,
                struct xs_diagnosis **diagnosis, char *message) {
    struct xs_parts parts;
    *diagnosis = NULL;
    int status = xs_parts_choose(&parts, trace, options ? options->replayed_rows : 0, message);
    if (status >= 0)
        status = diagnose(trace, options, &parts, diagnosis, message);
    xs_parts_free(&parts);
    return status;
}
