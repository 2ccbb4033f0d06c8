/* Finds the call site of most frees of a finding; see released_at.h. */
#include "analyzer/savings/causes/released_at.h"

#include "analyzer/findings/engine/detector.h"
#include "analyzer/savings/plan/replay_plan.h"
#include "analyzer/trace/site.h"

static uint32_t site_of(const struct xs_plan *plan, const struct xs_repairable *item) {
    uint32_t call = xs_plan_find(plan, XS_MODEL_FREE, item->rows[1]);
    return call == XS_PLAN_NONE ? 0 : plan->model->calls[call].site;
}

/* Returns the site of more than half of the frees; 0: there is none. Each free of another site takes one from the count
 * of the candidate, so a site with more than half of the frees remains. */
static uint32_t most_of(const struct xs_plan *plan, const struct xs_repairable *items, size_t count) {
    uint32_t candidate = 0;
    size_t more = 0, found = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t site = site_of(plan, &items[i]);
        if (!more)
            candidate = site;
        more = site == candidate ? more + 1 : more - 1;
    }
    for (size_t i = 0; i < count; i++)
        found += site_of(plan, &items[i]) == candidate;
    return found * 2 > count ? candidate : 0;
}

void xs_released_at_find(struct xs_diagnosis *diagnosis, const struct xs_plan *plan) {
    const struct xs_findings *findings = diagnosis->findings;
    for (size_t i = 0; i < diagnosis->count; i++) {
        struct xs_diagnosed *d = &diagnosis->items[i];
        if (xs_detector_repair(xs_detectors[d->finding->detector], d->finding->verdict) != XS_REPAIR_KEEP)
            continue;
        size_t count, first = xs_repairables_of(&findings->repairables, d->finding, &count);
        uint32_t site = most_of(plan, &findings->repairables.items[first], count);
        d->released_at = xs_site_parts(findings->sites, site).place ? site : 0;
    }
}
