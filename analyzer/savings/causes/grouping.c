/* Groups findings into causes. First, findings of one place about one kind of thing form a cause. Then, beginning with
 * the largest saving, a cause becomes part of a larger cause if the larger one's repair already removes or changes its
 * transfers. */
#include "analyzer/savings/causes/grouping.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/numbers.h"
#include "analyzer/base/search.h"
#include "analyzer/findings/engine/detector.h"
#include "analyzer/savings/plan/in_parts.h"
#include "analyzer/savings/plan/plan_repairs.h"
#include "analyzer/savings/plan/scale.h"
#include "analyzer/trace/scan.h"
#include "analyzer/trace/site.h"

/* A repair that removes transfers ranks before one that makes them faster if its saving is at least this share of the
 * other's saving. */
#define NEARLY 0.8

enum what { UPLOAD, DOWNLOAD, OTHER_COPY, MEMSET, ALLOCATION, OTHER };

struct grouping {
    struct xs_diagnosis *diagnosis;
    struct xs_plan *plan;
    int64_t run_ns;
    struct xs_hash by_key; /* maps place and kind of thing to the cause's index plus 1 */
    uint32_t *owner;       /* by number of a transfer (xs_plan_number): the cause whose repair changes it, plus 1 */
    size_t *owned;         /* by cause: a count that larger_cause uses; always 0 outside of that function */
};

/* --- by place --- */

static bool is_removed(const struct xs_finding *f, unsigned verdict) {
    static const unsigned removing = 1u << XS_REPAIR_DROP | 1u << XS_REPAIR_DROP_BOTH | 1u << XS_REPAIR_PEER_COPY |
                                     1u << XS_REPAIR_KEEP | 1u << XS_REPAIR_NOT_ALLOCATE | 1u << XS_REPAIR_READ_ONCE;
    return removing >> xs_detector_repair(xs_detectors[f->detector], verdict) & 1;
}

static bool removes(const struct xs_finding *f) {
    bool removed = true;
    for (unsigned verdict = 0; verdict < XS_VERDICTS; verdict++)
        removed &= !xs_finding_has_verdict(f, verdict) || is_removed(f, verdict);
    return removed;
}

/* A run of launches has the place of the call after it, which is the third row of its evidence. The run and the
 * findings about this call belong to one cause. */
static enum what what_of(const struct grouping *g, const struct xs_finding *f) {
    const struct xs_instance *instance = &f->first[0];
    bool is_run = f->first_count && xs_detectors[f->detector]->repair == XS_REPAIR_GRAPH;
    const struct xs_evidence *subject = &instance->evidence[is_run ? 2 : 0];
    if (!f->first_count || instance->evidence_count <= (is_run ? 2 : 0))
        return OTHER;
    switch (subject->table) {
    case XS_EVIDENCE_TRANSFER: {
        uint32_t call = xs_plan_find(g->plan, XS_MODEL_TRANSFER, subject->row);
        unsigned direction = call == XS_PLAN_NONE ? XS_DIR_UNKNOWN : g->plan->model->calls[call].direction;
        return direction == XS_DIR_H2D ? UPLOAD : direction == XS_DIR_D2H ? DOWNLOAD : OTHER_COPY;
    }
    case XS_EVIDENCE_MEMSET:
        return MEMSET;
    case XS_EVIDENCE_ALLOCATION:
        return ALLOCATION;
    default:
        return OTHER;
    }
}

static void add_finding(struct xs_cause *cause, size_t finding) {
    cause->findings = xs_realloc(cause->findings, (cause->count + 1) * sizeof *cause->findings);
    cause->findings[cause->count++] = finding;
}

static void group_by_place(struct grouping *g) {
    struct xs_diagnosis *diagnosis = g->diagnosis;
    diagnosis->causes = xs_realloc(NULL, (diagnosis->count + 1) * sizeof *diagnosis->causes);
    for (size_t i = 0; i < diagnosis->count; i++) {
        const struct xs_finding *f = diagnosis->items[i].finding;
        if (!diagnosis->items[i].saves.known)
            continue;
        struct xs_site parts = xs_site_parts(diagnosis->findings->sites, f->site);
        uint64_t place = parts.place ? parts.place : 1ull << 32 | f->site;
        uint64_t *number = xs_hash_put(&g->by_key, place, what_of(g, f));
        if (!*number) {
            diagnosis->causes[diagnosis->cause_count++] = (struct xs_cause){0};
            *number = diagnosis->cause_count;
        }
        add_finding(&diagnosis->causes[*number - 1], i);
    }
}

/* --- rank --- */

static uint64_t middle(const struct xs_saving *s) { return s->least_ns + (s->most_ns - s->least_ns) / 2; }

/* True if the repair of finding a is better than the repair of b. */
static bool is_better(const struct xs_diagnosed *a, const struct xs_diagnosed *b) {
    double x = (double)middle(&a->saves), y = (double)middle(&b->saves);
    if (removes(a->finding) != removes(b->finding))
        return removes(a->finding) ? x >= NEARLY * y : NEARLY * x > y;
    return x > y;
}

static void rank_within(const struct xs_diagnosis *diagnosis, struct xs_cause *cause) {
    for (size_t i = 1; i < cause->count; i++)
        for (size_t k = i; k > 0; k--) {
            size_t *at = &cause->findings[k];
            if (!is_better(&diagnosis->items[at[0]], &diagnosis->items[at[-1]]))
                break;
            size_t swap = at[0];
            at[0] = at[-1];
            at[-1] = swap;
        }
    cause->saves = diagnosis->items[cause->findings[0]].saves;
}

static int by_saving(const void *a, const void *b) {
    const struct xs_cause *x = a, *y = b;
    return xs_compare_uint64(middle(&y->saves), middle(&x->saves)) ?: xs_compare_uint64(x->findings[0], y->findings[0]);
}

/* --- what a larger cause already repairs --- */

static const struct xs_repairable *instances_in(const struct grouping *g, const struct xs_finding *finding,
                                                size_t *count) {
    const struct xs_repairables *all = &g->diagnosis->findings->repairables;
    size_t first = xs_repairables_of(all, finding, count);
    return &all->items[first];
}

static const struct xs_repairable *instances_of(const struct grouping *g, size_t finding, size_t *count) {
    return instances_in(g, g->diagnosis->items[finding].finding, count);
}

/* Returns how many transfers one changed transfer represents. It is more than 1 if only a part of the contents was
 * looked at, because the result then holds for the others, too. */
static double stands_for(const struct xs_diagnosis *diagnosis, size_t cause) {
    const struct xs_finding *f = diagnosis->items[diagnosis->causes[cause].findings[0]].finding;
    bool is_part = f->sample.is_of_contents && f->sample.checked < f->sample.of && f->instances;
    return is_part && f->sample.estimate > (double)f->instances ? f->sample.estimate / (double)f->instances : 1;
}

/* Returns the larger cause whose repair changes at least half of the transfers of this cause's first finding;
 * cause_count: none. */
static size_t larger_cause(const struct grouping *g, size_t cause) {
    size_t count, best = g->diagnosis->cause_count;
    const struct xs_repairable *items = instances_of(g, g->diagnosis->causes[cause].findings[0], &count);
    double all = (double)count * stands_for(g->diagnosis, cause);
    for (size_t i = 0; i < count; i++) {
        uint32_t number = xs_plan_number(g->plan, &items[i]);
        uint32_t owner = number == XS_PLAN_NONE ? 0 : g->owner[number];
        if (owner && (double)++g->owned[owner - 1] * stands_for(g->diagnosis, owner - 1) * 2 >= all)
            best = owner - 1;
    }
    for (size_t i = 0; i < count;
         i++) { /* resets only the counts that were used, because there may be as many causes as calls */
        uint32_t number = xs_plan_number(g->plan, &items[i]);
        if (number != XS_PLAN_NONE && g->owner[number])
            g->owned[g->owner[number] - 1] = 0;
    }
    return best;
}

/* Records which transfers the cause's repair changes. If it moves copies to a side stream, other copies of the stream,
 * which are only moved with them, are not recorded, because their own problems remain. Nor are calls before which only
 * the program's work changes, unless the call is a detour's upload, which is not needed any more. */
static void own(struct grouping *g, size_t finding, const struct xs_repairable *items, size_t count, uint32_t cause) {
    uint32_t detour = g->diagnosis->items[finding].detour;
    uint32_t up_site = detour ? g->diagnosis->detours[detour - 1].up_site : 0;
    uint32_t before = g->plan->count;
    bool moves = count && xs_detector_repair(xs_detectors[items->detector], items->verdict) == XS_REPAIR_OVERLAP;
    xs_plan_add(g->plan, items, count, XS_PLAN_MOST);
    for (uint32_t k = before; k < g->plan->count && !moves; k++) {
        uint32_t call = g->plan->changed[k];
        bool is_up = detour && g->plan->model->calls[call].site == up_site;
        if (is_up || !xs_plan_changes_only_work(&g->plan->changes[k]))
            g->owner[call] = cause;
    }
    for (size_t k = 0; k < count; k++) {
        uint32_t number = xs_plan_number(g->plan, &items[k]);
        bool is_new = number != XS_PLAN_NONE && !g->owner[number];
        if (is_new && (moves || number >= g->plan->model->call_count))
            g->owner[number] = cause;
    }
}

static void merge_covered(struct grouping *g) {
    struct xs_diagnosis *diagnosis = g->diagnosis;
    size_t kept = 0;
    xs_plan_clear(g->plan);
    for (size_t i = 0; i < diagnosis->cause_count; i++) {
        struct xs_cause *cause = &diagnosis->causes[i];
        size_t into = larger_cause(g, i), count;
        if (into < kept) {
            for (size_t k = 0; k < cause->count; k++)
                add_finding(&diagnosis->causes[into], cause->findings[k]);
            free(cause->findings);
            continue;
        }
        diagnosis->causes[kept] = *cause;
        const struct xs_repairable *items = instances_of(g, cause->findings[0], &count);
        own(g, cause->findings[0], items, count, (uint32_t)kept + 1);
        kept++;
    }
    diagnosis->cause_count = kept;
}

/* --- together --- */

/* True if a cause's repair is made at this end of the range. */
static bool is_made(const struct xs_diagnosed *d, enum xs_plan_end end) {
    return d->saves.most_ns && (end == XS_PLAN_MOST || d->saves.least_ns);
}

/* Tells the estimate for a run in parts which instances are repaired, and how much each of them counts. */
static void weigh(struct grouping *g, enum xs_plan_end end) {
    xs_in_parts_of_none(g->plan);
    for (size_t i = 0; i < g->diagnosis->cause_count; i++) {
        const struct xs_diagnosed *d = &g->diagnosis->items[g->diagnosis->causes[i].findings[0]];
        size_t count;
        const struct xs_repairable *items = instances_of(g, g->diagnosis->causes[i].findings[0], &count);
        if (is_made(d, end) && !d->saves.bounds)
            xs_in_parts_add(g->plan, d->finding, items, count, d->saves.most_ns);
    }
}

/* Returns what a replay with the repairs of all causes' first findings saves; with `with_left_out`, the repairs are
 * also applied to copies that the sample left out. */
static uint64_t replay_all(struct grouping *g, enum xs_plan_end end, bool with_left_out) {
    xs_plan_clear(g->plan);
    const int rounds = with_left_out ? 2 : 1;
    for (int left_out = 0; left_out < rounds; left_out++)
        for (size_t i = 0; i < g->diagnosis->cause_count; i++) {
            const struct xs_diagnosed *d = &g->diagnosis->items[g->diagnosis->causes[i].findings[0]];
            size_t count;
            const struct xs_repairable *items = instances_of(g, g->diagnosis->causes[i].findings[0], &count);
            if (!is_made(d, end))
                continue;
            if (!left_out) {
                xs_plan_add(g->plan, items, count, end);
                if (d->preparation && end == XS_PLAN_MOST) {
                    items = instances_in(g, d->preparation, &count);
                    xs_plan_add(g->plan, items, (size_t)((double)count * d->preparation_share + 0.5), end);
                }
            } else if (xs_sample_is_part(&d->finding->sample))
                xs_scale_add(g->plan, d->finding, items, count, end);
        }
    return xs_plan_saves_at(g->plan, g->run_ns, end);
}

/* Returns the saving of all repairs including the estimated parts for copies that the sample left out. These parts are
 * limited to what a replay with all these copies saves in addition, because two repairs may save the same wait. The
 * whole is limited as each finding's saving is (xs_plan_room). */
static uint64_t without(struct grouping *g, enum xs_plan_end end) {
    weigh(g, end);
    uint64_t scaled_ns = 0, saved = replay_all(g, end, false);
    for (size_t i = 0; i < g->diagnosis->cause_count; i++) {
        const struct xs_diagnosed *d = &g->diagnosis->items[g->diagnosis->causes[i].findings[0]];
        if (is_made(d, end))
            scaled_ns = xs_sum(scaled_ns, end == XS_PLAN_LEAST ? d->saves.scaled_least_ns : d->saves.scaled_most_ns);
    }
    if (scaled_ns) {
        uint64_t all = replay_all(g, end, true), more = all > saved ? all - saved : 0;
        scaled_ns = scaled_ns < more ? scaled_ns : more;
    }
    saved = xs_sum(saved, scaled_ns);
    double error_ns = end == XS_PLAN_MOST ? xs_in_parts_error(g->plan, end) : 0; /* of parts that were not replayed */
    uint64_t room = xs_sum(xs_plan_room(g->plan), (uint64_t)error_ns),
             run_ns = (uint64_t)xs_plan_run_ns(g->plan, g->run_ns);
    return xs_least(saved, xs_least(room, run_ns));
}

static void sum_up(struct grouping *g) {
    struct xs_diagnosis *diagnosis = g->diagnosis;
    struct xs_saving *all = &diagnosis->together;
    uint64_t least_ns = 0;
    bool is_limited = !diagnosis->findings->exposed_known; /* the replay removed waits that may have been for kernels */
    *all = (struct xs_saving){.known = true};
    if (diagnosis->replayed) {
        all->least_ns = without(g, XS_PLAN_LEAST);
        all->most_ns = without(g, XS_PLAN_MOST);
    }
    for (size_t i = 0; i < diagnosis->cause_count; i++) {
        const struct xs_saving *one = &diagnosis->causes[i].saves;
        is_limited |= diagnosis->items[diagnosis->causes[i].findings[0]].finding->potential; /* host_work_least.h */
        least_ns = xs_sum(least_ns, one->least_ns);
        all->least_ns = one->least_ns > all->least_ns ? one->least_ns : all->least_ns;
        if (diagnosis->replayed)
            all->most_ns = one->most_ns > all->most_ns ? one->most_ns : all->most_ns;
        else
            all->most_ns = xs_sum(all->most_ns, one->most_ns);
    }
    if (is_limited && least_ns < all->least_ns)
        all->least_ns = least_ns;
    all->bounds = !diagnosis->replayed;
    if (all->bounds && diagnosis->findings->recorded.run_ns && all->most_ns > diagnosis->findings->recorded.run_ns)
        all->most_ns = diagnosis->findings->recorded.run_ns;
    all->most_ns = all->most_ns > all->least_ns ? all->most_ns : all->least_ns;
}

/* --- what every output shows --- */

/* Sorts the findings: the causes' first findings by rank, then the others in their old order. */
static void put_in_order(struct xs_diagnosis *diagnosis) {
    size_t *place = xs_realloc(NULL, (diagnosis->count + 1) * sizeof *place), count = 0;
    for (size_t i = 0; i < diagnosis->count; i++)
        place[i] = SIZE_MAX;
    for (size_t i = 0; i < diagnosis->cause_count; i++)
        place[diagnosis->causes[i].findings[0]] = count++;
    for (size_t i = 0; i < diagnosis->count; i++)
        if (place[i] == SIZE_MAX)
            place[i] = count++;
    xs_diagnosis_reorder(diagnosis, place);
    for (size_t i = 0; i < diagnosis->cause_count; i++)
        for (size_t k = 0; k < diagnosis->causes[i].count; k++)
            diagnosis->causes[i].findings[k] = place[diagnosis->causes[i].findings[k]];
    free(place);
}

/* Sets which findings are folded because they save too little, and sums up the savings by site. */
static void apply_savings(struct xs_diagnosis *diagnosis) {
    for (size_t i = 0; i < diagnosis->count; i++) {
        struct xs_diagnosed *d = &diagnosis->items[i];
        d->folded = d->saves.known && d->saves.most_ns < diagnosis->findings->floor_ns;
        if (d->finding->site >= diagnosis->site_count)
            diagnosis->site_count = (size_t)d->finding->site + 1;
    }
    diagnosis->saves_at = xs_zeroed(diagnosis->site_count, sizeof *diagnosis->saves_at);
    for (size_t i = 0; i < diagnosis->cause_count; i++) {
        const struct xs_diagnosed *d = &diagnosis->items[diagnosis->causes[i].findings[0]];
        uint64_t *of_site = &diagnosis->saves_at[d->finding->site];
        *of_site = xs_sum(*of_site, d->saves.most_ns);
    }
}

/* Folds causes that save less than one of the two limits, except the first cause. Folded causes are moved to the end,
 * so that the numbers of shown causes have no gap. */
static void fold(struct xs_diagnosis *diagnosis) {
    uint64_t floor_ns = xs_floor_of_either(diagnosis->findings->recorded.ns);
    struct xs_cause *small = xs_realloc(NULL, (diagnosis->cause_count + 1) * sizeof *small);
    size_t kept = 0, small_count = 0;
    for (size_t i = 0; i < diagnosis->cause_count; i++) {
        struct xs_cause *cause = &diagnosis->causes[i];
        cause->folded = i && diagnosis->findings->floor_ns && cause->saves.most_ns < floor_ns;
        if (cause->folded)
            small[small_count++] = *cause;
        else
            diagnosis->causes[kept++] = *cause;
    }
    for (size_t i = 0; i < small_count; i++)
        diagnosis->causes[kept + i] = small[i];
    free(small);
}

void xs_group_causes(struct xs_diagnosis *diagnosis, struct xs_plan *plan, int64_t run_ns) {
    struct grouping g = {.diagnosis = diagnosis, .plan = plan, .run_ns = run_ns};
    group_by_place(&g);
    for (size_t i = 0; i < diagnosis->cause_count; i++)
        rank_within(diagnosis, &diagnosis->causes[i]);
    xs_sort(diagnosis->causes, diagnosis->cause_count, sizeof *diagnosis->causes, by_saving);
    if (diagnosis->cause_count && plan->model->call_count) {
        size_t numbers = (size_t)plan->model->call_count + plan->model->copy_count;
        g.owner = xs_zeroed(numbers, sizeof *g.owner);
        g.owned = xs_zeroed(diagnosis->cause_count, sizeof *g.owned);
        merge_covered(&g);
    }
    sum_up(&g);
    fold(diagnosis);
    put_in_order(diagnosis);
    apply_savings(diagnosis);
    free(g.owner);
    free(g.owned);
    xs_hash_free(&g.by_key);
}
