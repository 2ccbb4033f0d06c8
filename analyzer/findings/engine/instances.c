/* Keeps the instances whose findings have repairs; see instances.h. */
#include "analyzer/findings/engine/instances.h"

#include <stdlib.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/numbers.h"
#include "analyzer/base/search.h"
#include "analyzer/findings/engine/detector.h"

bool xs_repairable_is_of_run(const struct xs_repairable *item) {
    static const unsigned of_run =
        1u << XS_REPAIR_PREFETCH | 1u << XS_REPAIR_KEEP_ON_DEVICE | 1u << XS_REPAIR_OWN_STREAM;
    return of_run >> xs_detector_repair(xs_detectors[item->detector], item->verdict) & 1;
}

static bool begins_by(const void *interval, const void *ns) {
    return ((const struct xs_interval *)interval)->start <= *(const int64_t *)ns;
}

static bool is_in(const struct xs_intervals *set, int64_t ns) {
    size_t begun = xs_search(set->items, set->count, sizeof *set->items, begins_by, &ns);
    return begun && ns < set->items[begun - 1].end;
}

/* True if the repair is about managed memory. It then changes every access to this memory, wherever it was allocated.
 * There is one such instance for each allocation, so they are few. */
static bool is_of_managed(const struct xs_repairable *item) {
    static const unsigned of_managed = 1u << XS_REPAIR_PREFETCH | 1u << XS_REPAIR_KEEP_ON_DEVICE;
    return of_managed >> xs_detector_repair(xs_detectors[item->detector], item->verdict) & 1;
}

static void append(struct xs_repairables *all, const struct xs_repairable *item) {
    xs_grow(&all->items, all->count, &all->capacity, sizeof *all->items);
    all->items[all->count++] = *item;
}

static void keep_last(struct xs_repairables *all, const struct xs_repairable *item) {
    uint64_t finding = (uint64_t)item->detector << 32 | item->site;
    struct xs_repairable *last = xs_hash_item(&all->last, finding, item->verdict, sizeof *last);
    if (item->rows[0] >= last->rows[0])
        *last = *item;
}

void xs_repairables_add(struct xs_repairables *all, unsigned detector, const struct xs_instance *instance,
                        const struct xs_intervals *only) {
    if (!xs_detector_repair(xs_detectors[detector], instance->verdict) || !instance->evidence_count)
        return;
    bool is_of_host = xs_detector_repair(xs_detectors[detector], instance->verdict) == XS_REPAIR_PREPARE_ON_DEVICE;
    const struct xs_repairable item = {
        .detector = (uint8_t)detector,
        .verdict = (uint8_t)instance->verdict,
        .site = instance->site,
        .table = (uint8_t)instance->evidence[0].table,
        .rows = {instance->evidence[0].row, instance->evidence_count > 1 ? instance->evidence[1].row : 0},
        .device_ns = is_of_host ? instance->removable.host_ns : instance->removable.device_ns,
        .held = instance->held,
        .is_run = xs_instance_is_run(instance),
    };
    if (!only || is_in(only, instance->at_ns) || is_of_managed(&item))
        append(all, &item);
    else
        keep_last(all, &item);
}

/* Orders by site before verdict, because a finding may have several verdicts. With `joins` the verdicts count as
 * one. */
static int compare(const struct xs_repairable *a, uint32_t detector, uint32_t site, unsigned verdict, bool joins) {
    int order = xs_compare(a->detector, detector) ?: xs_compare(a->site, site);
    return order || joins ? order : xs_compare(a->verdict, verdict);
}

static int compare_with(const struct xs_repairable *a, const struct xs_finding *f) {
    return compare(a, f->detector, f->site, f->verdict, f->verdict == XS_SEVERAL_VERDICTS);
}

static int by_finding(const void *a, const void *b) {
    const struct xs_repairable *x = a, *y = b;
    bool joins = xs_detectors[x->detector]->verdicts_join;
    return compare(x, y->detector, y->site, y->verdict, joins) ?: xs_compare(x->rows[0], y->rows[0]);
}

void xs_repairables_sort(struct xs_repairables *all) {
    for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(&all->last, entry));)
        append(all, (const struct xs_repairable *)(uintptr_t)entry->value);
    xs_hash_free(&all->last);
    xs_sort(all->items, all->count, sizeof *all->items, by_finding);
}

static bool comes_before(const void *item, const void *finding) { return compare_with(item, finding) < 0; }

size_t xs_repairables_of(const struct xs_repairables *all, const struct xs_finding *finding, size_t *count) {
    size_t first = xs_search(all->items, all->count, sizeof *all->items, comes_before, finding), end = first;
    while (end < all->count && !compare_with(&all->items[end], finding))
        end++;
    *count = end - first;
    return first;
}

void xs_repairables_free(struct xs_repairables *all) {
    free(all->items);
    xs_hash_free(&all->last);
    *all = (struct xs_repairables){0};
}
