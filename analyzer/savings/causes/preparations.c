/* Joins needless uploads with the host's work before them; see preparations.h. */
#include "analyzer/savings/causes/preparations.h"

#include "analyzer/findings/engine/detector.h"
#include "analyzer/savings/plan/in_parts.h"
#include "analyzer/savings/plan/plan_repairs.h"
#include "analyzer/trace/scan.h"

/* True if the device has the bytes of these uploads, can make them itself, or does not use them. */
static bool are_needless(const struct xs_finding *f) {
    static const unsigned needless = 1u << XS_REPAIR_DROP | 1u << XS_REPAIR_MEMSET | 1u << XS_REPAIR_DEVICE_COPY;
    return needless >> xs_detector_repair(xs_detectors[f->detector], f->verdict) & 1;
}

static bool is_preparation(const struct xs_finding *f) {
    return xs_detector_repair(xs_detectors[f->detector], f->verdict) == XS_REPAIR_PREPARE_ON_DEVICE;
}

/* Needless uploads are joined with the work if they are at least this part of the prepared uploads. */
#define LEAST_SHARE 0.5

/* True if at least half of the uploads bring the bytes of an earlier upload from another host address. */
static bool are_made_again(const struct xs_diagnosis *diagnosis, const struct xs_plan *plan,
                           const struct xs_finding *needless) {
    size_t count, again = 0, first = xs_repairables_of(&diagnosis->findings->repairables, needless, &count);
    for (size_t i = 0; i < count; i++) {
        const struct xs_repairable *item = &diagnosis->findings->repairables.items[first + i];
        uint32_t upload = xs_plan_number(plan, item);
        uint32_t earlier = xs_plan_number_of(plan, XS_MODEL_TRANSFER, item->rows[1]);
        again += upload != XS_PLAN_NONE && earlier != XS_PLAN_NONE &&
                 xs_model_copy_at(plan->model, upload).address != xs_model_copy_at(plan->model, earlier).address;
    }
    return count && 2 * again >= count;
}

/* Returns which part of the prepared uploads is needless. */
static double share_of(const struct xs_finding *needless, const struct xs_finding *preparation) {
    double count = needless->sample.is_of_contents ? needless->sample.estimate : (double)needless->instances;
    return count < (double)preparation->instances ? count / (double)preparation->instances : 1;
}

/* Joins needless uploads with their preparation. For the most saving, the needless uploads go away, and their share of
 * the preparation, too. */
static void add(struct xs_diagnosed *needless, const struct xs_diagnosed *preparation) {
    struct xs_saving *saves = &needless->saves;
    double share = share_of(needless->finding, preparation->finding);
    if (share < LEAST_SHARE)
        return;
    uint64_t most_ns = (uint64_t)((double)preparation->saves.most_ns * share);
    needless->preparation = preparation->finding;
    needless->preparation_share = share;
    saves->most_ns = most_ns > saves->most_ns ? most_ns : saves->most_ns;
}

/* Turns a finding into advice. The saving of its repair is then not known. */
static void make_advice(struct xs_diagnosis *diagnosis, struct xs_diagnosed *d) {
    for (size_t i = 0; i < diagnosis->findings->count; i++)
        if (&diagnosis->findings->items[i] == d->finding)
            diagnosis->findings->items[i].advice = true;
    d->saves = (struct xs_saving){0};
}

/* Limits the least saving to what the replay saves without the samples in which the thread slept. */
static void leave_sleep(struct xs_diagnosis *diagnosis, struct xs_plan *plan, struct xs_diagnosed *d, int64_t run_ns) {
    size_t count, first = xs_repairables_of(&diagnosis->findings->repairables, d->finding, &count);
    const struct xs_repairable *items = &diagnosis->findings->repairables.items[first];
    xs_plan_clear(plan);
    xs_in_parts_of(plan, d->finding, items, count);
    xs_plan_add(plan, items, count, XS_PLAN_LEAST);
    uint64_t awake_ns = xs_plan_saves_at(plan, run_ns, XS_PLAN_LEAST);
    d->saves.least_ns = awake_ns < d->saves.least_ns ? awake_ns : d->saves.least_ns;
    d->saves.scaled_least_ns = 0;
}

void xs_preparations_add(struct xs_diagnosis *diagnosis, struct xs_plan *plan, int64_t run_ns) {
    plan->counts_only_awake = true;
    for (size_t i = 0; i < diagnosis->count; i++) {
        struct xs_diagnosed *preparation = &diagnosis->items[i];
        for (size_t k = 0; k < diagnosis->count && is_preparation(preparation->finding); k++)
            if (diagnosis->items[k].finding->site == preparation->finding->site &&
                are_needless(diagnosis->items[k].finding) &&
                are_made_again(diagnosis, plan, diagnosis->items[k].finding))
                add(&diagnosis->items[k], preparation);
        if (is_preparation(preparation->finding) && !preparation->saves.least_ns)
            make_advice(diagnosis, preparation);
        else if (is_preparation(preparation->finding))
            leave_sleep(diagnosis, plan, preparation, run_ns);
    }
}
