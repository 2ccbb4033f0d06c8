/* Grouping findings into causes. First, findings of one place about one kind of thing are one cause. Then, from the
 * largest saving down, a cause becomes part of a larger one whose repair removes or changes its transfers already. */
#include "analyzer/savings/causes/grouping.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/findings/engine/detector.h"
#include "analyzer/savings/causes/plan_repairs.h"
#include "analyzer/savings/causes/scale.h"
#include "analyzer/trace/scan.h"
#include "analyzer/trace/site.h"

/* A repair that removes transfers goes before one that makes them faster if it saves at least this share of it. */
#define NEARLY 0.8

enum what { UPLOAD, DOWNLOAD, OTHER_COPY, MEMSET, ALLOCATION, OTHER };

struct grouping {
    struct xs_findings *findings;
    struct xs_plan *plan;
    const struct xs_repairables *all;
    int64_t run_ns;
    struct xs_hash by_key; /* (place, kind of thing) to the cause's index plus 1 */
    uint32_t *owner;       /* by number (xs_plan_number): the cause that changes it, plus 1 */
    size_t *owned;         /* by cause; 0 outside of larger_cause */
};

/* --- by place --- */

static enum what what_of(const struct grouping *g, const struct xs_finding *f) {
    const struct xs_instance *instance = &f->first[0];
    if (!f->first_count || !instance->evidence_count)
        return OTHER;
    switch (instance->evidence[0].table) {
    case XS_EVIDENCE_TRANSFER: {
        uint32_t call = xs_plan_find(g->plan, XS_MODEL_TRANSFER, instance->evidence[0].row);
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
    struct xs_findings *findings = g->findings;
    findings->causes = xs_realloc(NULL, (findings->count + 1) * sizeof *findings->causes);
    for (size_t i = 0; i < findings->count; i++) {
        const struct xs_finding *f = &findings->items[i];
        if (!f->saves.known)
            continue;
        struct xs_site parts = xs_site_parts(findings->sites, f->site);
        uint64_t place = parts.place ? parts.place : 1ull << 32 | f->site;
        uint64_t *number = xs_hash_put(&g->by_key, place, what_of(g, f));
        if (!*number) {
            findings->causes[findings->cause_count++] = (struct xs_cause){0};
            *number = findings->cause_count;
        }
        add_finding(&findings->causes[*number - 1], i);
    }
}

/* --- rank --- */

static uint64_t middle(const struct xs_saving *s) { return s->least_ns + (s->most_ns - s->least_ns) / 2; }

static bool is_removed(const struct xs_finding *f, unsigned verdict) {
    switch (xs_detector_repair(xs_detectors[f->detector], verdict)) {
    case XS_REPAIR_DROP:
    case XS_REPAIR_DROP_BOTH:
    case XS_REPAIR_PEER_COPY:
    case XS_REPAIR_KEEP:
    case XS_REPAIR_NOT_ALLOCATE:
        return true;
    default:
        return false;
    }
}

static bool removes(const struct xs_finding *f) {
    bool removed = true;
    for (unsigned verdict = 0; verdict < XS_VERDICTS; verdict++)
        removed &= !xs_finding_has_verdict(f, verdict) || is_removed(f, verdict);
    return removed;
}

/* Whether repair a is to be preferred to b. */
static bool is_better(const struct xs_finding *a, const struct xs_finding *b) {
    double x = (double)middle(&a->saves), y = (double)middle(&b->saves);
    if (removes(a) != removes(b))
        return removes(a) ? x >= NEARLY * y : NEARLY * x > y;
    return x > y;
}

static void rank_within(const struct xs_findings *findings, struct xs_cause *cause) {
    for (size_t i = 1; i < cause->count; i++)
        for (size_t k = i; k > 0; k--) {
            size_t *at = &cause->findings[k];
            if (!is_better(&findings->items[at[0]], &findings->items[at[-1]]))
                break;
            size_t swap = at[0];
            at[0] = at[-1];
            at[-1] = swap;
        }
    cause->saves = findings->items[cause->findings[0]].saves;
}

static int by_saving(const void *a, const void *b) {
    const struct xs_cause *x = a, *y = b;
    uint64_t mine = middle(&x->saves), others = middle(&y->saves);
    if (mine != others)
        return mine < others ? 1 : -1;
    return (x->findings[0] > y->findings[0]) - (x->findings[0] < y->findings[0]);
}

/* --- what a larger cause already repairs --- */

static const struct xs_repairable *instances_of(const struct grouping *g, size_t finding, size_t *count) {
    size_t first = xs_repairables_of(g->all, &g->findings->items[finding], count);
    return &g->all->items[first];
}

/* How many transfers one changed transfer stands for: if only a part of the contents was looked at, the result holds
 * for the others, too. */
static double stands_for(const struct xs_findings *findings, size_t cause) {
    const struct xs_finding *f = &findings->items[findings->causes[cause].findings[0]];
    bool is_part = f->sample.is_of_contents && f->sample.checked < f->sample.of && f->instances;
    return is_part && f->sample.estimate > (double)f->instances ? f->sample.estimate / (double)f->instances : 1;
}

/* The larger cause that changes at least half of the transfers of this cause's first finding; cause_count: none. */
static size_t larger_cause(const struct grouping *g, size_t cause) {
    size_t count, best = g->findings->cause_count;
    const struct xs_repairable *items = instances_of(g, g->findings->causes[cause].findings[0], &count);
    double all = (double)count * stands_for(g->findings, cause);
    for (size_t i = 0; i < count; i++) {
        uint32_t number = xs_plan_number(g->plan, &items[i]);
        uint32_t owner = number == XS_PLAN_NONE ? 0 : g->owner[number];
        if (owner && (double)++g->owned[owner - 1] * stands_for(g->findings, owner - 1) * 2 >= all)
            best = owner - 1;
    }
    for (size_t i = 0; i < count; i++) { /* reset only the counted ones: there may be as many causes as calls */
        uint32_t number = xs_plan_number(g->plan, &items[i]);
        if (number != XS_PLAN_NONE && g->owner[number])
            g->owned[g->owner[number] - 1] = 0;
    }
    return best;
}

/* Notes the transfers that the cause changes. If it moves copies to a stream of their own, other copies of the
 * stream are only moved along: their own problems remain. */
static void own(struct grouping *g, const struct xs_repairable *items, size_t count, uint32_t cause) {
    uint32_t before = g->plan->count;
    bool moves = count && xs_detector_repair(xs_detectors[items->detector], items->verdict) == XS_REPAIR_OVERLAP;
    xs_plan_add(g->plan, items, count, XS_PLAN_MOST);
    for (uint32_t k = before; k < g->plan->count && !moves; k++)
        g->owner[g->plan->changed[k]] = cause;
    for (size_t k = 0; k < count; k++) {
        uint32_t number = xs_plan_number(g->plan, &items[k]);
        bool is_new = number != XS_PLAN_NONE && !g->owner[number];
        if (is_new && (moves || number >= g->plan->model->call_count))
            g->owner[number] = cause;
    }
}

static void merge_covered(struct grouping *g) {
    struct xs_findings *findings = g->findings;
    size_t kept = 0;
    xs_plan_clear(g->plan);
    for (size_t i = 0; i < findings->cause_count; i++) {
        struct xs_cause *cause = &findings->causes[i];
        size_t into = larger_cause(g, i), count;
        if (into < kept) {
            for (size_t k = 0; k < cause->count; k++)
                add_finding(&findings->causes[into], cause->findings[k]);
            free(cause->findings);
            continue;
        }
        findings->causes[kept] = *cause;
        const struct xs_repairable *items = instances_of(g, cause->findings[0], &count);
        own(g, items, count, (uint32_t)kept + 1);
        kept++;
    }
    findings->cause_count = kept;
}

/* --- together --- */

/* Whether a cause's repair is made at this end of the range. */
static bool is_made(const struct xs_finding *f, enum xs_plan_end end) {
    return f->saves.most_ns && (end == XS_PLAN_MOST || f->saves.least_ns);
}

/* What a replay with the repairs of all causes' first findings saves; with `with_left_out` also for copies that were
 * left out by chance. */
static uint64_t replay_all(struct grouping *g, enum xs_plan_end end, bool with_left_out) {
    xs_plan_clear(g->plan);
    const int rounds = with_left_out ? 2 : 1;
    for (int left_out = 0; left_out < rounds; left_out++)
        for (size_t i = 0; i < g->findings->cause_count; i++) {
            const struct xs_finding *f = &g->findings->items[g->findings->causes[i].findings[0]];
            size_t count;
            const struct xs_repairable *items = instances_of(g, g->findings->causes[i].findings[0], &count);
            if (!is_made(f, end))
                continue;
            if (!left_out)
                xs_plan_add(g->plan, items, count, end);
            else if (xs_sample_is_part(&f->sample))
                xs_scale_add(g->plan, f, items, count, end);
        }
    int64_t left = xs_plan_run(g->plan);
    return g->run_ns > left ? (uint64_t)(g->run_ns - left) : 0;
}

/* The saving with extrapolated parts. They are added only as far as a replay of all these copies confirms, because
 * two repairs may save one wait. */
static uint64_t without(struct grouping *g, enum xs_plan_end end) {
    uint64_t scaled_ns = 0, saved = replay_all(g, end, false);
    for (size_t i = 0; i < g->findings->cause_count; i++) {
        const struct xs_finding *f = &g->findings->items[g->findings->causes[i].findings[0]];
        if (is_made(f, end))
            scaled_ns = xs_sum(scaled_ns, end == XS_PLAN_LEAST ? f->saves.scaled_least_ns : f->saves.scaled_most_ns);
    }
    if (scaled_ns) {
        uint64_t all = replay_all(g, end, true), more = all > saved ? all - saved : 0;
        scaled_ns = scaled_ns < more ? scaled_ns : more;
    }
    saved = xs_sum(saved, scaled_ns);
    return saved < (uint64_t)g->run_ns ? saved : (uint64_t)g->run_ns;
}

static void sum_up(struct grouping *g) {
    struct xs_findings *findings = g->findings;
    struct xs_saving *all = &findings->together;
    uint64_t least_ns = 0;
    *all = (struct xs_saving){.known = true};
    if (findings->replayed) {
        all->least_ns = without(g, XS_PLAN_LEAST);
        all->most_ns = without(g, XS_PLAN_MOST);
    }
    for (size_t i = 0; i < findings->cause_count; i++) {
        const struct xs_saving *one = &findings->causes[i].saves;
        least_ns = xs_sum(least_ns, one->least_ns);
        all->least_ns = one->least_ns > all->least_ns ? one->least_ns : all->least_ns;
        if (findings->replayed)
            all->most_ns = one->most_ns > all->most_ns ? one->most_ns : all->most_ns;
        else
            all->most_ns = xs_sum(all->most_ns, one->most_ns);
    }
    if (!findings->exposed_known && least_ns < all->least_ns) /* the replay took waits for kernels away */
        all->least_ns = least_ns;
    all->bounds = !findings->replayed;
    if (all->bounds && findings->recorded.run_ns && all->most_ns > findings->recorded.run_ns)
        all->most_ns = findings->recorded.run_ns;
    all->most_ns = all->most_ns > all->least_ns ? all->most_ns : all->least_ns;
}

/* --- what every output shows --- */

/* Sorts the findings: the causes' first findings by rank, then the others in their old order. */
static void put_in_order(struct xs_findings *findings) {
    size_t *order = xs_realloc(NULL, (findings->count + 1) * sizeof *order), count = 0;
    size_t *place = xs_realloc(NULL, (findings->count + 1) * sizeof *place);
    for (size_t i = 0; i < findings->count; i++)
        place[i] = SIZE_MAX;
    for (size_t i = 0; i < findings->cause_count; i++) {
        place[findings->causes[i].findings[0]] = count;
        order[count++] = findings->causes[i].findings[0];
    }
    for (size_t i = 0; i < findings->count; i++)
        if (place[i] == SIZE_MAX) {
            place[i] = count;
            order[count++] = i;
        }
    xs_findings_reorder(findings, order);
    for (size_t i = 0; i < findings->cause_count; i++)
        for (size_t k = 0; k < findings->causes[i].count; k++)
            findings->causes[i].findings[k] = place[findings->causes[i].findings[k]];
    free(order);
    free(place);
}

/* Replaces claims by savings. */
static void replace_claims(struct xs_findings *findings) {
    for (size_t i = 0; i < findings->count; i++) {
        struct xs_finding *f = &findings->items[i];
        f->claimed_ns = f->gives_back_ns;
        if (!f->saves.known)
            continue;
        f->gives_back_ns = f->saves.most_ns;
        f->folded = f->gives_back_ns < findings->floor_ns;
    }
    findings->total.gives_back_ns = findings->together.most_ns;
    xs_site_totals_clear_gains(&findings->at_sites);
    for (size_t i = 0; i < findings->cause_count; i++) {
        const struct xs_finding *f = &findings->items[findings->causes[i].findings[0]];
        uint64_t *of_site = &xs_site_total(&findings->at_sites, f->site)->gives_back_ns;
        *of_site = xs_sum(*of_site, f->gives_back_ns);
    }
}

/* Folds causes below either limit, except the first one. Folded causes come last, so that the numbers of shown
 * causes have no gap. */
static void fold(struct xs_findings *findings) {
    uint64_t floor_ns = xs_floor_of_either(findings->recorded.ns);
    struct xs_cause *small = xs_realloc(NULL, (findings->cause_count + 1) * sizeof *small);
    size_t kept = 0, small_count = 0;
    for (size_t i = 0; i < findings->cause_count; i++) {
        struct xs_cause *cause = &findings->causes[i];
        cause->folded = i && findings->floor_ns && cause->saves.most_ns < floor_ns;
        if (cause->folded)
            small[small_count++] = *cause;
        else
            findings->causes[kept++] = *cause;
    }
    for (size_t i = 0; i < small_count; i++)
        findings->causes[kept + i] = small[i];
    free(small);
}

void xs_group_causes(struct xs_findings *findings, struct xs_plan *plan, const struct xs_repairables *all,
                     int64_t run_ns) {
    struct grouping g = {.findings = findings, .plan = plan, .all = all, .run_ns = run_ns};
    group_by_place(&g);
    for (size_t i = 0; i < findings->cause_count; i++)
        rank_within(findings, &findings->causes[i]);
    if (findings->cause_count)
        qsort(findings->causes, findings->cause_count, sizeof *findings->causes, by_saving);
    if (findings->cause_count && plan->model->call_count) {
        size_t numbers = (size_t)plan->model->call_count + plan->model->copy_count;
        g.owner = xs_realloc(NULL, numbers * sizeof *g.owner);
        for (size_t i = 0; i < numbers; i++)
            g.owner[i] = 0;
        g.owned = xs_realloc(NULL, findings->cause_count * sizeof *g.owned);
        for (size_t i = 0; i < findings->cause_count; i++)
            g.owned[i] = 0;
        merge_covered(&g);
    }
    sum_up(&g);
    fold(findings);
    put_in_order(findings);
    replace_claims(findings);
    free(g.owner);
    free(g.owned);
    xs_hash_free(&g.by_key);
}
