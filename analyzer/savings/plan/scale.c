/* Replays the run with the copies that the sample left out; see scale.h. */
#include "analyzer/savings/plan/scale.h"

#include <math.h>
#include <stdlib.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/hash.h"
#include "analyzer/base/numbers.h"
#include "analyzer/findings/engine/detector.h"
#include "analyzer/findings/engine/selection.h"
#include "analyzer/savings/plan/in_parts.h"

/* Copies that were not looked at, in the form of instances. */
struct left_out {
    struct xs_repairable *items;
    size_t count, capacity;
    size_t own; /* number of copies at the finding's site; the others are at the site of the second copies */
};

/* The data that is needed about the instances that were found. */
struct found {
    const struct xs_plan *plan;
    const struct xs_finding *finding;
    const struct xs_repairable *items;
    size_t count;
    uint64_t classes[2]; /* one bit for each xs_size_class of the first copies, and of the second copies */
    uint32_t second;     /* site of the second copies; 0: there are none */
    struct xs_hash rows; /* the rows of the second copies */
    double device_ns_per_byte;
};

static uint64_t class_bit(uint64_t bytes) {
    unsigned class = xs_size_class(bytes);
    return UINT64_C(1) << (class < 63 ? class : 63);
}

static bool takes_second(const struct xs_repairable *item) {
    enum xs_repair_kind repair = xs_detector_repair(xs_detectors[item->detector], item->verdict);
    return repair == XS_REPAIR_DROP_BOTH || repair == XS_REPAIR_PEER_COPY;
}

static void look_at_found(struct found *found) {
    const struct xs_plan *plan = found->plan;
    double device_ns = 0, bytes = 0;
    for (size_t i = 0; i < found->count; i++) {
        const struct xs_repairable *item = &found->items[i];
        uint32_t number = xs_plan_number(plan, item);
        uint32_t other = takes_second(item) ? xs_plan_number_of(plan, XS_MODEL_TRANSFER, item->rows[1]) : XS_PLAN_NONE;
        if (number == XS_PLAN_NONE)
            continue;
        found->classes[0] |= class_bit(xs_model_copy_at(plan->model, number).bytes);
        device_ns += (double)item->device_ns;
        bytes += (double)xs_model_copy_at(plan->model, number).bytes;
        if (other == XS_PLAN_NONE)
            continue;
        found->second = plan->model->calls[xs_plan_call_of(plan, other)].site;
        *xs_hash_put(&found->rows, (uint64_t)item->rows[1], 0) = 1;
        found->classes[1] |= class_bit(xs_model_copy_at(plan->model, other).bytes);
    }
    found->device_ns_per_byte = bytes > 0 ? device_ns / bytes : 0;
}

static void add(struct left_out *left, const struct found *found, int64_t row, uint64_t bytes) {
    if (!xs_selection_has(found->plan->findings->selection, XS_EVIDENCE_TRANSFER, row))
        return;
    xs_grow(&left->items, left->count, &left->capacity, sizeof *left->items);
    struct xs_repairable *item = &left->items[left->count];
    *item = found->items[left->count % found->count]; /* the verdicts of the instances are used in rotation */
    *item = (struct xs_repairable){.detector = item->detector,
                                   .verdict = item->verdict,
                                   .site = found->finding->site,
                                   .table = XS_EVIDENCE_TRANSFER,
                                   .rows = {row, 0},
                                   .device_ns = (uint64_t)(found->device_ns_per_byte * (double)bytes)};
    left->count++;
}

/* True if the copy may be a second copy of a left-out first one: it is none of an instance, and there are more first
 * copies than second ones so far. */
static bool may_be_second(const struct left_out *left, const struct found *found, int64_t row) {
    return left->count - left->own < left->own && !xs_hash_find(&found->rows, (uint64_t)row, 0);
}

static void add_copy(struct left_out *left, const struct found *found, bool is_second, int64_t row, uint64_t bytes) {
    if (found->classes[is_second] & class_bit(bytes) && (!is_second || may_be_second(left, found, row)))
        add(left, found, row, bytes);
}

/* Adds the copies of a site that have the size classes of instances and were looked at, or were not. */
static void add_site(struct left_out *left, const struct found *found, bool is_second, bool is_looked_at) {
    const struct xs_model *model = found->plan->model;
    uint32_t site = is_second ? found->second : found->finding->site;
    for (uint32_t i = 0; i < model->call_count; i++) {
        const struct xs_model_call *call = &model->calls[i];
        if (call->kind != XS_MODEL_TRANSFER || call->site != site || call->is_looked_at != is_looked_at)
            continue;
        if (!call->copies)
            add_copy(left, found, is_second, call->row, call->bytes);
        for (uint32_t k = call->copy; k < call->copy + call->copies; k++)
            add_copy(left, found, is_second, model->copies[k].row, model->copies[k].bytes);
    }
}

/* Returns the share of the left-out copies' saving that counts if the finding has `instances` instances in all.
 * Instances may take longer or shorter than other copies, which the share takes into account. */
static double part_of(const struct xs_finding *f, double instances, size_t left) {
    const struct xs_sample *s = &f->sample;
    double more = instances - (double)f->instances, longer = 1;
    if (s->left_hits > 0 && s->left_ns > 0)
        longer = s->left_hit_ns / s->left_hits * s->left / s->left_ns;
    return left && more > 0 ? fmin(1, more / (double)left * longer) : 0;
}

/* True if nearly all left-out copies are instances, by what the sample says, so that page-locked memory which only they
 * and the instances use is not needed either. */
static bool are_nearly_all(const struct xs_finding *f, double instances, size_t left) {
    return left && instances - (double)f->instances > 0.95 * (double)left;
}

/* Returns how many copies were left out in the whole run, if the model has `left` of them. */
static size_t in_run(const struct xs_plan *plan, size_t left) {
    return (size_t)((double)left * xs_in_parts_scale(plan) + 0.5);
}

/* Returns how many instances the finding has in all, for one end of the range. */
static double instances_of(const struct xs_sample *s, enum xs_plan_end end) {
    return !xs_sample_is_few(s) ? s->estimate : end == XS_PLAN_LEAST ? s->low : s->high;
}

/* Returns the left-out copies of a finding; the caller frees the items. */
static struct left_out left_out_of(const struct xs_plan *plan, const struct xs_finding *finding,
                                   const struct xs_repairable *items, size_t count) {
    struct found found = {.plan = plan, .finding = finding, .items = items, .count = count};
    struct left_out left = {0};
    look_at_found(&found);
    add_site(&left, &found, false, false);
    left.own = left.count;
    if (found.second && found.second != finding->site) {
        add_site(&left, &found, true, false);
        add_site(&left, &found, true, true); /* may be second copies of first ones that were not looked at */
    }
    xs_hash_free(&found.rows);
    return left;
}

void xs_scale_add(struct xs_plan *plan, const struct xs_finding *finding, const struct xs_repairable *items,
                  size_t count, enum xs_plan_end end) {
    struct left_out left = left_out_of(plan, finding, items, count);
    bool all = are_nearly_all(finding, instances_of(&finding->sample, end), in_run(plan, left.own));
    xs_plan_add_left_out(plan, left.items, left.own, left.count, all, end);
    free(left.items);
}

void xs_scale(struct xs_plan *plan, const struct xs_finding *finding, const struct xs_repairable *items, size_t count,
              int64_t run, double saved[2], uint64_t *room) {
    struct left_out left = left_out_of(plan, finding, items, count);
    size_t left_in_run = in_run(plan, left.own);
    for (enum xs_plan_end end = XS_PLAN_LEAST; end <= XS_PLAN_MOST; end++) {
        double instances = instances_of(&finding->sample, end);
        bool all_are = are_nearly_all(finding, instances, left_in_run);
        xs_plan_clear(plan);
        xs_plan_add(plan, items, count, end);
        xs_plan_add_left_out(plan, left.items, left.own, left.count, all_are, end);
        double all = (double)xs_plan_saves(plan, run);
        uint64_t own_room = xs_plan_room(plan);
        if (all > saved[end])
            saved[end] += (all - saved[end]) * part_of(finding, instances, left_in_run);
        *room = own_room > *room ? own_room : *room;
    }
    free(left.items);
}
