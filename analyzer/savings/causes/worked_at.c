/* Sums up the samples during the host's work by place; see worked_at.h. */
#include "analyzer/savings/causes/worked_at.h"

#include "analyzer/base/hash.h"
#include "analyzer/base/numbers.h"
#include "analyzer/findings/engine/detector.h"
#include "analyzer/savings/plan/plan_repairs.h"
#include "analyzer/savings/plan/work_on_data.h"
#include "analyzer/trace/scan.h"
#include "analyzer/trace/site.h"

/* Fewer samples than this do not show where most of the time was. */
enum { LEAST_SAMPLES = 8 };

struct sampled {
    struct xs_hash by_place; /* by xs_pause_sample.place: the time that its samples stand for */
    uint64_t all_ns;
    size_t count;
};

static void add_samples(struct sampled *sampled, const struct xs_plan *plan, const struct xs_model_call *call,
                        int64_t from_ns, int64_t to_ns) {
    int64_t thread = plan->model->thread_ids[call->thread];
    for (size_t i = xs_pause_samples_from(&plan->samples, thread, from_ns); i < plan->samples.count; i++) {
        const struct xs_pause_sample *sample = &plan->samples.items[i];
        if (sample->thread != thread || sample->at_ns >= to_ns)
            return;
        uint64_t *ns = xs_hash_put(&sampled->by_place, sample->place, 0);
        *ns = xs_sum(*ns, sample->ns);
        sampled->all_ns = xs_sum(sampled->all_ns, sample->ns);
        sampled->count++;
    }
}

/* Adds the samples of one instance: those before an upload, or those between a download and the next work of the
 * device. */
static void add_instance(struct sampled *sampled, const struct xs_plan *plan, const struct xs_repairable *item,
                         enum xs_repair_kind repair) {
    uint32_t call = xs_plan_call_of(plan, xs_plan_number(plan, item)), next;
    if (call == XS_PLAN_NONE)
        return;
    const struct xs_model_call *calls = plan->model->calls, *reader = &calls[xs_plan_reader(plan, call)];
    if (repair == XS_REPAIR_PREPARE_ON_DEVICE) {
        add_samples(sampled, plan, &calls[call], calls[call].enter_ns - xs_model_length(item->device_ns),
                    calls[call].enter_ns);
        return;
    }
    xs_plan_work_on_data(plan, call, &next);
    if (next != XS_PLAN_NONE)
        add_samples(sampled, plan, reader, reader->return_ns, calls[next].enter_ns);
}

/* Returns the place with most of the sampled time; 0: no place has half of it. */
static uint32_t most_of(const struct sampled *sampled) {
    uint32_t most = 0;
    uint64_t most_ns = sampled->all_ns / 2;
    for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(&sampled->by_place, entry));)
        if (entry->value > most_ns) {
            most = (uint32_t)entry->low;
            most_ns = entry->value;
        }
    return sampled->count >= LEAST_SAMPLES ? most : 0;
}

void xs_worked_at_find(struct xs_diagnosis *diagnosis, const struct xs_plan *plan) {
    for (size_t i = 0; i < diagnosis->count && plan->samples.count; i++) {
        struct xs_diagnosed *d = &diagnosis->items[i];
        enum xs_repair_kind repair = xs_detector_repair(xs_detectors[d->finding->detector], d->finding->verdict);
        if (repair != XS_REPAIR_PREPARE_ON_DEVICE && repair != XS_REPAIR_WORK_ON_DEVICE)
            continue;
        const struct xs_repairables *all = &diagnosis->findings->repairables;
        struct sampled sampled = {0};
        size_t count, first = xs_repairables_of(all, d->finding, &count);
        for (size_t k = first; k < first + count; k++)
            add_instance(&sampled, plan, &all->items[k], repair);
        uint32_t place = most_of(&sampled);
        if (place != xs_site_parts(diagnosis->findings->sites, d->finding->site).place)
            d->worked_at = place;
        xs_hash_free(&sampled.by_place);
    }
}
