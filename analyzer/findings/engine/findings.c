/* Collects instances into findings, and ranks these; see findings.h. */
#include "analyzer/findings/engine/findings.h"
#include "analyzer/base/grow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/numbers.h"
#include "analyzer/base/search.h"
#include "analyzer/findings/engine/detector.h"
#include "analyzer/findings/engine/findings_build.h"
#include "analyzer/findings/engine/selection.h"
#include "analyzer/trace/scan.h"
#include "analyzer/trace/site.h"

const char *const xs_evidence_table_names[] = {"transfer", "memset",   "allocation",      "launch",
                                               "sync",     "api_call", "device_migration"};

uint64_t xs_times_rank_ns(const struct xs_times *times) {
    if (times->exposed_known)
        return times->exposed_ns;
    return times->device_known ? times->device_ns : times->host_ns;
}

struct xs_times xs_event_times(const struct xs_trace_event *event) {
    return (struct xs_times){.device_ns = event->device_ns,
                             .exposed_ns = event->exposed_ns,
                             .host_ns = xs_event_host_ns(event),
                             .device_known = event->timed,
                             .exposed_known = event->exposed_known};
}

void xs_times_add(struct xs_times *sum, const struct xs_times *times) {
    sum->device_ns = xs_sum(sum->device_ns, times->device_ns);
    sum->exposed_ns = xs_sum(sum->exposed_ns, times->exposed_ns);
    sum->host_ns = xs_sum(sum->host_ns, times->host_ns);
    sum->device_known &= times->device_known;
    sum->exposed_known &= times->exposed_known;
}

static struct xs_finding *finding_of(struct xs_findings_builder *builder, unsigned detector,
                                     const struct xs_instance *instance) {
    static const struct xs_times nothing = {.device_known = true, .exposed_known = true};
    struct xs_finding *finding =
        xs_hash_item(&builder->items, (uint64_t)detector << 32 | instance->verdict, instance->site, sizeof *finding);
    if (finding->kept)
        return finding;
    *finding = (struct xs_finding){.detector = detector,
                                   .verdict = instance->verdict,
                                   .site = instance->site,
                                   .cost = nothing,
                                   .removable = nothing,
                                   .apart = nothing,
                                   .first_ns = instance->at_ns,
                                   .last_ns = instance->at_ns,
                                   .kept = builder->items.count <= XS_WELL_KEPT_FINDINGS ? XS_KEPT_INSTANCES : 1,
                                   .advice = xs_detectors[detector]->kind == XS_ADVICE,
                                   .potential = xs_detectors[detector]->kind == XS_POTENTIAL};
    return finding;
}

/* Makes room for one more instance. The array grows from a small size, because most findings of a program with many
 * call sites have few instances. */
static void reserve_instance(struct xs_instance **items, size_t count) {
    if (!(count & (count - 1))) /* the array is full if `count` is 0 or a power of two */
        *items = xs_realloc(*items, (count ? count * 2 : 1) * sizeof **items);
}

static void keep_instance(struct xs_finding *finding, const struct xs_instance *instance, uint64_t rank) {
    if (finding->first_count < finding->kept) {
        reserve_instance(&finding->first, finding->first_count);
        finding->first[finding->first_count++] = *instance;
    }
    if (finding->largest_count == finding->kept && rank <= finding->least_ns)
        return;
    size_t i = finding->largest_count;
    while (i > 0 && xs_times_rank_ns(&finding->largest[i - 1].removable) < rank)
        i--;
    if (finding->largest_count < finding->kept)
        reserve_instance(&finding->largest, finding->largest_count++);
    memmove(&finding->largest[i + 1], &finding->largest[i],
            (finding->largest_count - 1 - i) * sizeof finding->largest[0]);
    finding->largest[i] = *instance;
    finding->least_ns = xs_times_rank_ns(&finding->largest[finding->largest_count - 1].removable);
}

void xs_findings_add(struct xs_findings_builder *builder, unsigned detector, const struct xs_instance *instance) {
    struct xs_finding *finding = finding_of(builder, detector, instance);
    uint64_t rank = xs_times_rank_ns(&instance->removable);
    finding->instances++;
    finding->transfers += instance->transfers;
    finding->bytes = xs_sum(finding->bytes, instance->bytes);
    finding->timed_instances += instance->cost.device_known;
    finding->exposed_instances += instance->cost.exposed_known;
    finding->modelled_instances += instance->modelled;
    finding->neighbours += instance->neighbour;
    finding->without_kernels += instance->without_kernels;
    xs_times_add(&finding->cost, &instance->cost);
    xs_times_add(&finding->removable, &instance->removable);
    xs_times_add(&finding->apart, &instance->apart);
    finding->claimed_ns = xs_sum(finding->claimed_ns, rank);
    finding->first_ns = instance->at_ns < finding->first_ns ? instance->at_ns : finding->first_ns;
    finding->last_ns = instance->at_ns > finding->last_ns ? instance->at_ns : finding->last_ns;
    keep_instance(finding, instance, rank);
}

void xs_findings_undecided(struct xs_findings_builder *builder, unsigned detector, const char *reason) {
    struct xs_undecided *u = builder->undecided;
    /* there are few reasons, and the same one comes again and again; equal texts in two files may have two addresses */
    size_t i = builder->last_undecided;
    if (i >= builder->undecided_count || u[i].detector != detector || u[i].reason != reason)
        for (i = 0; i < builder->undecided_count; i++)
            if (u[i].detector == detector && (u[i].reason == reason || strcmp(u[i].reason, reason) == 0))
                break;
    if (i == builder->undecided_count) {
        xs_grow(&builder->undecided, i, &builder->undecided_capacity, sizeof *u);
        u = builder->undecided;
        u[builder->undecided_count++] = (struct xs_undecided){detector, reason, 0};
    }
    u[i].count++;
    builder->last_undecided = i;
}

void xs_findings_unchecked(struct xs_findings_builder *builder, const struct xs_unchecked *unchecked) {
    xs_grow(&builder->unchecked, builder->unchecked_count, &builder->unchecked_capacity, sizeof *builder->unchecked);
    builder->unchecked[builder->unchecked_count++] = *unchecked;
}

enum group { SURE, LIKELY, SMALL, ADVICE };
static enum group group_of(const struct xs_finding *f) {
    if (f->advice || f->is_small)
        return f->advice ? ADVICE : SMALL;
    return xs_detectors[f->detector]->unsure_verdicts >> f->verdict & 1 ? LIKELY : SURE;
}

/* Returns the number by which a finding is ranked. For a finding that may save nothing, it is half of the claim. */
static uint64_t weight(const struct xs_finding *f) { return f->potential ? f->claimed_ns / 2 : f->claimed_ns; }

/* Orders by group, then by weight, then by other fields so that the order is the same in every analysis. */
static int compare(const void *a, const void *b) {
    const struct xs_finding *x = a, *y = b;
    int order = xs_compare(group_of(x), group_of(y)) ?: xs_compare_uint64(weight(y), weight(x));
    order = order ?: xs_compare_uint64(y->bytes, x->bytes) ?: xs_compare(x->detector, y->detector);
    return order ?: xs_compare(x->verdict, y->verdict) ?: xs_compare(x->site, y->site);
}

static int compare_undecided(const void *a, const void *b) {
    const struct xs_undecided *x = a, *y = b;
    int order = xs_compare(x->detector, y->detector) ?: xs_compare_uint64(y->count, x->count);
    return order ?: strcmp(x->reason, y->reason);
}

static void rank(struct xs_findings *findings) {
    for (size_t i = 0; i < findings->count; i++) {
        struct xs_finding *finding = &findings->items[i];
        finding->is_small = !finding->advice && finding->claimed_ns < findings->floor_ns;
    }
    xs_sort(findings->items, findings->count, sizeof *findings->items, compare);
}

/* Moves the findings out of the builder. */
static void take_items(struct xs_findings_builder *builder, struct xs_findings *findings) {
    findings->items = xs_realloc(NULL, builder->items.count * sizeof *findings->items);
    for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(&builder->items, entry));) {
        struct xs_finding *finding = (struct xs_finding *)(uintptr_t)entry->value;
        findings->items[findings->count++] = *finding;
        finding->first = finding->largest = NULL;
    }
}

static int compare_unchecked(const void *a, const void *b) {
    const struct xs_unchecked *x = a, *y = b;
    return xs_compare(x->site, y->site) ?: xs_compare(x->detector, y->detector);
}

/* Moves the unchecked copies out of the builder, with one item for each site and detector. */
static void take_unchecked(struct xs_findings_builder *builder, struct xs_findings *findings) {
    struct xs_unchecked *u = findings->unchecked = builder->unchecked;
    size_t kept = 0;
    builder->unchecked = NULL;
    xs_sort(u, builder->unchecked_count, sizeof *u, compare_unchecked);
    for (size_t i = 0; i < builder->unchecked_count; i++) {
        if (!kept || compare_unchecked(&u[kept - 1], &u[i])) {
            u[kept++] = u[i];
            continue;
        }
        u[kept - 1].copies += u[i].copies;
        u[kept - 1].downloads += u[i].downloads;
        u[kept - 1].bytes = xs_sum(u[kept - 1].bytes, u[i].bytes);
        u[kept - 1].ns = xs_sum(u[kept - 1].ns, u[i].ns);
    }
    findings->unchecked_count = kept;
}

void xs_findings_finish(struct xs_findings_builder *builder, struct xs_findings *findings, bool fold_nothing) {
    take_items(builder, findings);
    findings->undecided = builder->undecided;
    findings->undecided_count = builder->undecided_count;
    builder->undecided = NULL;
    xs_sort(findings->undecided, findings->undecided_count, sizeof *findings->undecided, compare_undecided);
    take_unchecked(builder, findings);
    findings->left_out = builder->left_out;
    builder->left_out = NULL;
    /* a millisecond matters in a short run, and a thousandth of the time in a long one */
    findings->floor_ns = fold_nothing ? 0 : xs_floor_of_both(findings->recorded.ns);
    xs_findings_join(findings);
    xs_findings_discard(builder);
}

/* --- one finding of several verdicts --- */

static int by_place(const void *a, const void *b) {
    const struct xs_finding *x = a, *y = b;
    return xs_compare(x->detector, y->detector) ?: xs_compare(x->site, y->site) ?: xs_compare(x->verdict, y->verdict);
}

unsigned xs_finding_compared_verdict(unsigned detector, unsigned verdict) {
    return xs_detectors[detector]->verdicts_join ? XS_SEVERAL_VERDICTS : verdict;
}

static bool is_joined(const struct xs_finding *a, const struct xs_finding *b) {
    return xs_detectors[a->detector]->verdicts_join && a->detector == b->detector && a->site == b->site;
}

/* Limits a count to `most`, and reduces the time in the same proportion. */
static void cap(double *count, double *ns, double most) {
    if (*count <= most)
        return;
    *ns *= most / *count;
    *count = most;
}

/* Adds the sample of another verdict. All verdicts have the same checked copies, so the sums are limited: a checked
 * copy that is no instance does not count, and an instance that was found always counts. The bounds are the sums of the
 * verdicts' bounds. */
static void join_samples(struct xs_finding *finding, const struct xs_sample *more) {
    struct xs_sample *all = &finding->sample;
    double found = (double)finding->instances, ns = (double)finding->claimed_ns;
    all->hits += more->hits;
    all->estimate += more->estimate;
    all->low += more->low;
    all->high += more->high;
    all->ns += more->ns;
    all->low_ns += more->low_ns;
    all->high_ns += more->high_ns;
    all->left = fmax(all->left, more->left);
    all->left_ns = fmax(all->left_ns, more->left_ns);
    all->left_hits = fmin(all->left, all->left_hits + more->left_hits);
    all->left_hit_ns = fmin(all->left_ns, all->left_hit_ns + more->left_hit_ns);
    double most = fmax(found, (double)(all->of - (all->checked < all->hits ? 0 : all->checked - all->hits)));
    cap(&all->low, &all->low_ns, most);
    cap(&all->estimate, &all->ns, most);
    cap(&all->high, &all->high_ns, most);
    all->low_ns = fmax(all->low_ns, ns);
    all->ns = fmax(all->ns, all->low_ns);
    all->high_ns = fmax(all->high_ns, all->ns);
}

static int by_time(const void *a, const void *b) {
    const struct xs_instance *x = a, *y = b;
    return xs_compare(x->at_ns, y->at_ns) ?: xs_compare(x->evidence[0].row, y->evidence[0].row);
}

static int by_rank(const void *a, const void *b) {
    const struct xs_instance *x = a, *y = b;
    return xs_compare_uint64(xs_times_rank_ns(&y->removable), xs_times_rank_ns(&x->removable)) ?: by_time(a, b);
}

static void join_instances(struct xs_instance **items, size_t *count, struct xs_instance *more, size_t more_count,
                           size_t kept, int (*order)(const void *, const void *)) {
    *items = xs_realloc(*items, (*count + more_count + 1) * sizeof **items);
    memcpy(*items + *count, more, more_count * sizeof **items);
    *count += more_count;
    xs_sort(*items, *count, sizeof **items, order);
    *count = *count < kept ? *count : kept;
    free(more);
}

static void note_variant(struct xs_finding *all, const struct xs_finding *one) {
    all->variants[one->verdict] = (struct xs_variant){.instances = one->instances,
                                                      .estimate = one->sample.estimate,
                                                      .ns = one->sample.ns,
                                                      .left_hits = one->sample.left_hits,
                                                      .left_hit_ns = one->sample.left_hit_ns,
                                                      .claimed_ns = one->claimed_ns,
                                                      .removable = one->removable};
}

static void join(struct xs_finding *all, struct xs_finding *one) {
    if (all->verdict != XS_SEVERAL_VERDICTS)
        note_variant(all, all);
    note_variant(all, one);
    all->verdict = XS_SEVERAL_VERDICTS;
    all->instances += one->instances;
    all->transfers += one->transfers;
    all->bytes = xs_sum(all->bytes, one->bytes);
    all->timed_instances += one->timed_instances;
    all->exposed_instances += one->exposed_instances;
    all->modelled_instances += one->modelled_instances;
    all->without_kernels += one->without_kernels;
    xs_times_add(&all->cost, &one->cost);
    xs_times_add(&all->removable, &one->removable);
    xs_times_add(&all->apart, &one->apart);
    all->claimed_ns = xs_sum(all->claimed_ns, one->claimed_ns);
    all->first_ns = one->first_ns < all->first_ns ? one->first_ns : all->first_ns;
    all->last_ns = one->last_ns > all->last_ns ? one->last_ns : all->last_ns;
    join_samples(all, &one->sample);
    join_instances(&all->first, &all->first_count, one->first, one->first_count, all->kept, by_time);
    join_instances(&all->largest, &all->largest_count, one->largest, one->largest_count, all->kept, by_rank);
    all->least_ns = all->largest_count ? xs_times_rank_ns(&all->largest[all->largest_count - 1].removable) : 0;
}

void xs_findings_join(struct xs_findings *findings) {
    size_t kept = 0;
    xs_sort(findings->items, findings->count, sizeof *findings->items, by_place);
    for (size_t i = 0; i < findings->count; i++)
        if (kept && is_joined(&findings->items[kept - 1], &findings->items[i]))
            join(&findings->items[kept - 1], &findings->items[i]);
        else
            findings->items[kept++] = findings->items[i];
    findings->count = kept;
    rank(findings);
}

void xs_findings_discard(struct xs_findings_builder *builder) {
    for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(&builder->items, entry));) {
        free(((struct xs_finding *)(uintptr_t)entry->value)->first);
        free(((struct xs_finding *)(uintptr_t)entry->value)->largest);
    }
    xs_hash_free(&builder->items);
    free(builder->undecided);
    free(builder->unchecked);
    free(builder->left_out);
    *builder = (struct xs_findings_builder){0};
}

const char *xs_site_name(const struct xs_findings *findings, uint32_t site) {
    return findings->sites && findings->sites->count ? xs_site_entry(findings->sites, site)->name : "unknown";
}

unsigned xs_site_traits(const struct xs_findings *findings, uint32_t site) {
    return findings->sites && findings->sites->count ? xs_site_entry(findings->sites, site)->traits : 0;
}

const struct xs_frame *xs_site_frame(const struct xs_findings *findings, uint32_t site) {
    return findings->sites ? xs_site_place_frame(findings->sites, site) : NULL;
}

void xs_findings_free(struct xs_findings *findings) {
    if (!findings)
        return;
    for (size_t i = 0; i < findings->count; i++) {
        free(findings->items[i].first);
        free(findings->items[i].largest);
    }
    free(findings->items);
    xs_repairables_free(&findings->repairables);
    xs_downloads_read_free(&findings->reads);
    free(findings->undecided);
    free(findings->unchecked);
    free(findings->left_out);
    xs_site_totals_free(&findings->at_sites);
    xs_steps_free(&findings->steps);
    if (findings->sites)
        xs_sites_free(findings->sites);
    free(findings->sites);
    xs_selection_free(findings->selection);
    free(findings);
}
