/* Computes how findings, call sites and numbers changed, and whether the change of the program paid; see diff.h. */
#include "analyzer/commands/diff/diff.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/search.h"
#include "analyzer/commands/diff/diff_internal.h"
#include "analyzer/commands/diff/diff_programs.h"
#include "analyzer/trace/scan.h"

enum {
    TIME_PERCENT = 10, /* least change of the time of a finding or a call site that counts */
    TOLD_PERCENT = 5,  /* medians of the run's time that differ by less are called equal */
    COPY_PERCENT = 1,  /* least change of counts and bytes, which are mostly equal in every run */
};

const char *const xs_measure_names[XS_MEASURES] = {"count", "bytes", "device_ns", "exposed_ns", "host_ns", "saves_ns"};
const char *const xs_change_names[] = {"disappeared", "appeared",    "grew",       "shrank",
                                       "unchanged",   "not-checked", "cannot-tell"};
const char *const xs_paid_names[] = {"paid",  "faster",      "not-faster", "slower-with-less", "no-change",
                                     "worse", "cannot-tell", "did-less",   "did-more",         "did-as-much"};

/* --- if one side has no call sites, sides are compared by entry point --- */

static void add_amounts(const struct xs_side *side, struct xs_amounts *sum, const struct xs_amounts *more) {
    for (size_t r = 0; r < side->run_limit; r++) {
        for (int m = 0; m < XS_MEASURES; m++) {
            sum[r].of[m].value = xs_sum(sum[r].of[m].value, more[r].of[m].value);
            sum[r].of[m].known &= more[r].of[m].known;
        }
        sum[r].least.value = xs_sum(sum[r].least.value, more[r].least.value);
        sum[r].most.value = xs_sum(sum[r].most.value, more[r].most.value);
        sum[r].at_least.value = xs_sum(sum[r].at_least.value, more[r].at_least.value);
    }
}

/* Joins the places of a side that have the same entry point. Each text of a side is kept once, so that equal texts have
 * equal addresses. */
static void fold_places(struct xs_side *side, uint32_t *folded) {
    size_t count = 0, limit = side->run_limit;
    XS_SCOPED_HASH by_entry = {0};
    for (size_t i = 0; i < side->place_count; i++) {
        struct xs_match_place *place = &side->places[i].match;
        uint64_t *known = xs_hash_put(&by_entry, (uint64_t)(uintptr_t)place->entry_point, 0);
        if (*known) {
            add_amounts(side, side->at + (*known - 1) * limit, side->at + i * limit);
        } else {
            *known = ++count;
            memmove(side->at + (count - 1) * limit, side->at + i * limit, limit * sizeof *side->at);
            side->places[count - 1] =
                (struct xs_side_place){.match = {.entry_point = place->entry_point, .category = place->category}};
        }
        folded[i] = (uint32_t)*known - 1;
    }
    side->place_count = count;
}

static void fold_findings(struct xs_side *side, const uint32_t *folded) {
    size_t count = 0, limit = side->run_limit;
    xs_hash_free(&side->finding_by_key);
    for (size_t i = 0; i < side->finding_count; i++) {
        struct xs_side_finding finding = side->findings[i];
        finding.place = folded[finding.place];
        uint64_t *known = xs_hash_put(&side->finding_by_key, xs_match_kind(finding.detector, finding.verdict),
                                      (uint64_t)finding.place + 1);
        if (*known) {
            add_amounts(side, side->of + (*known - 1) * limit, side->of + i * limit);
            side->findings[*known - 1].about |= finding.about;
            if (side->findings[*known - 1].verdict != finding.verdict)
                side->findings[*known - 1].verdict = XS_SEVERAL_VERDICTS;
            continue;
        }
        *known = ++count;
        memmove(side->of + (count - 1) * limit, side->of + i * limit, limit * sizeof *side->of);
        side->findings[count - 1] = finding;
    }
    side->finding_count = count;
}

static void fold_to_entry_points(struct xs_side *side) {
    XS_SCOPED uint32_t *folded = xs_realloc(NULL, side->place_count * sizeof *folded);
    fold_places(side, folded);
    fold_findings(side, folded);
}

/* --- changes --- */

struct work {
    struct xs_diff *c;
    struct xs_match match;
    uint64_t floor_ns;
    bool times_alike; /* both sides have device times and source lines, or neither has; otherwise, their savings are not
                         comparable */
    struct xs_amounts nothing[XS_RUNS_LIMIT];
};

/* Returns a side's amounts of a finding, or of a place, by run. */
static const struct xs_amounts *amounts_of(const struct work *w, const struct xs_side *side,
                                           const struct xs_amounts *all, uint32_t index) {
    return index != XS_UNMATCHED ? all + index * side->run_limit : w->nothing;
}

static void measure(const struct work *w, const struct xs_amounts *before, const struct xs_amounts *after,
                    struct xs_change *change) {
    for (int m = 0; m < XS_MEASURES; m++)
        xs_difference_of(&before->of[m], w->c->before->run_count, &after->of[m], w->c->after->run_count, sizeof *before,
                         &change->of[m]);
    xs_difference_of(&before->at_least, w->c->before->run_count, &after->at_least, w->c->after->run_count,
                     sizeof *before, &change->least);
}

static bool changed_in(const struct work *w, struct xs_change *change, enum xs_measure measure) {
    bool copied = measure == XS_MEASURE_COUNT || measure == XS_MEASURE_BYTES;
    change->decided_by = measure;
    return xs_differs(&change->of[measure], copied ? 1 : w->floor_ns, copied ? COPY_PERCENT : TIME_PERCENT);
}

static enum xs_change_kind kind_of(const struct work *w, struct xs_change *change, enum xs_measure time) {
    bool before = change->of[XS_MEASURE_COUNT].before.most > 0, after = change->of[XS_MEASURE_COUNT].after.most > 0;
    change->decided_by = XS_MEASURE_COUNT;
    if (before != after)
        return before ? XS_DISAPPEARED : XS_APPEARED;
    /* first compare what was copied, because it is the same in every run, and other times depend on it */
    if (!changed_in(w, change, XS_MEASURE_BYTES) && !changed_in(w, change, XS_MEASURE_COUNT) &&
        !changed_in(w, change, time)) {
        change->decided_by = time;
        return XS_UNCHANGED;
    }
    /* what the program did is the same in every run, but it is not known how much its times vary */
    bool copied = change->decided_by == XS_MEASURE_BYTES || change->decided_by == XS_MEASURE_COUNT;
    if (!copied && change->of[change->decided_by].certainty == XS_TOO_FEW_RUNS)
        return XS_TIME_ONLY;
    int64_t delta = xs_difference_delta(&change->of[change->decided_by]);
    return !delta ? XS_UNCHANGED : delta > 0 ? XS_GREW : XS_SHRANK;
}

/* Returns the number of copies of a side at the places where a finding of the other side can be, in the run that has
 * most. It is the place `matched`; if there is none, all places that match no place of the other side. */
static uint64_t copies_at(const struct xs_side *side, uint32_t matched, const uint32_t *matches) {
    uint64_t copies = 0;
    for (uint32_t i = 0; i < side->place_count; i++) {
        uint64_t most = 0;
        if (matched != XS_UNMATCHED ? i != matched : matches[i] != XS_UNMATCHED)
            continue;
        for (size_t run = 0; run < side->run_count; run++) {
            const struct xs_metric_value *count = &side->at[i * side->run_limit + run].of[XS_MEASURE_COUNT];
            most = count->value > most ? count->value : most;
        }
        copies = xs_sum(copies, most);
    }
    return copies;
}

/* True if the side that does not have the finding could not have found it: the detector could not decide at least half
 * as many cases as the finding has, and the side has at least half as many copies at the places where the finding can
 * be. */
static bool could_not_be_found(const struct work *w, const struct xs_side_finding *finding, bool is_before,
                               const struct xs_spread *count) {
    const struct xs_side *without = is_before ? w->c->after : w->c->before;
    uint64_t undecided = without->undecided[finding->detector];
    if (!undecided || undecided < count->median / 2)
        return false;
    uint32_t matched = is_before ? w->match.after_of[finding->place] : w->match.before_of[finding->place];
    uint64_t copies = copies_at(without, matched, is_before ? w->match.before_of : w->match.after_of);
    return copies && copies >= count->median / 2;
}

static void add_finding(struct work *w, uint32_t before, uint32_t after, enum xs_match_how how) {
    const struct xs_side *b = w->c->before, *a = w->c->after;
    struct xs_change *change = &w->c->findings[w->c->finding_count++];
    const struct xs_side_finding *finding = before != XS_UNMATCHED ? &b->findings[before] : &a->findings[after];
    *change = (struct xs_change){.before = before, .after = after, .how = how};
    measure(w, amounts_of(w, b, b->of, before), amounts_of(w, a, a->of, after), change);
    change->kind = kind_of(w, change, w->times_alike ? XS_MEASURE_SAVES_NS : XS_MEASURE_BYTES);
    const struct xs_difference *count = &change->of[XS_MEASURE_COUNT];
    if ((change->kind == XS_DISAPPEARED && could_not_be_found(w, finding, true, &count->before)) ||
        (change->kind == XS_APPEARED && could_not_be_found(w, finding, false, &count->after)))
        change->kind = XS_UNCHECKED;
    const struct xs_difference *gain = &change->of[XS_MEASURE_SAVES_NS];
    change->small = !finding->advice && gain->before.median < w->floor_ns && gain->after.median < w->floor_ns;
}

static struct xs_match_finding *match_findings(const struct xs_side *side) {
    struct xs_match_finding *list = xs_realloc(NULL, side->finding_count * sizeof *list);
    for (size_t i = 0; i < side->finding_count; i++) {
        const struct xs_side_finding *f = &side->findings[i];
        list[i] = (struct xs_match_finding){f->place, f->detector, f->verdict};
    }
    return list;
}

static void diff_findings(struct work *w) {
    struct xs_diff *c = w->c;
    size_t n = c->before->finding_count, m = c->after->finding_count;
    XS_SCOPED struct xs_match_finding *was = match_findings(c->before), *is = match_findings(c->after);
    XS_SCOPED uint32_t *after_of = xs_realloc(NULL, n * sizeof *after_of),
                       *before_of = xs_realloc(NULL, m * sizeof *before_of);
    xs_match_findings(&w->match, was, n, is, m, false, after_of, before_of);
    c->findings = xs_realloc(NULL, (n + m) * sizeof *c->findings);
    for (uint32_t i = 0; i < n; i++)
        add_finding(w, i, after_of[i], (enum xs_match_how)w->match.how[was[i].place]);
    for (uint32_t i = 0; i < m; i++) {
        uint32_t place = w->match.before_of[is[i].place];
        if (before_of[i] == XS_UNMATCHED)
            add_finding(w, XS_UNMATCHED, i,
                        place == XS_UNMATCHED ? XS_MATCH_NONE : (enum xs_match_how)w->match.how[place]);
    }
}

static void add_site(struct work *w, uint32_t before, uint32_t after, enum xs_match_how how) {
    const struct xs_side *b = w->c->before, *a = w->c->after;
    struct xs_change *change = &w->c->sites[w->c->site_count];
    *change = (struct xs_change){.before = before, .after = after, .how = how};
    measure(w, amounts_of(w, b, b->at, before), amounts_of(w, a, a->at, after), change);
    const struct xs_spread *was = &change->of[XS_MEASURE_COUNT].before, *is = &change->of[XS_MEASURE_COUNT].after;
    if (!was->most && !is->most)
        return; /* a line without transfers */
    enum xs_measure time =
        change->of[XS_MEASURE_DEVICE_NS].certainty == XS_NOT_KNOWN ? XS_MEASURE_HOST_NS : XS_MEASURE_DEVICE_NS;
    change->kind = kind_of(w, change, time);
    change->small = change->of[time].before.median < w->floor_ns && change->of[time].after.median < w->floor_ns;
    w->c->site_count++;
}

static void diff_sites(struct work *w) {
    struct xs_diff *c = w->c;
    c->sites = xs_realloc(NULL, (c->before->place_count + c->after->place_count) * sizeof *c->sites);
    for (uint32_t i = 0; i < c->before->place_count; i++)
        add_site(w, i, w->match.after_of[i], (enum xs_match_how)w->match.how[i]);
    for (uint32_t i = 0; i < c->after->place_count; i++)
        if (w->match.before_of[i] == XS_UNMATCHED)
            add_site(w, XS_UNMATCHED, i, XS_MATCH_NONE);
}

static uint64_t magnitude(const struct xs_change *change, enum xs_measure measure) {
    return xs_without_sign(xs_difference_delta(&change->of[measure]));
}

static int compare_by(const struct xs_change *x, const struct xs_change *y, const enum xs_measure *measures) {
    for (size_t i = 0; i < 4; i++) {
        uint64_t p = magnitude(x, measures[i]), q = magnitude(y, measures[i]);
        if (p != q)
            return p < q ? 1 : -1;
    }
    return xs_compare(x->before, y->before) ?: xs_compare(x->after, y->after); /* XS_UNMATCHED is last */
}

static int by_gain(const void *a, const void *b) {
    static const enum xs_measure measures[] = {XS_MEASURE_SAVES_NS, XS_MEASURE_DEVICE_NS, XS_MEASURE_BYTES,
                                               XS_MEASURE_COUNT};
    return compare_by(a, b, measures);
}

static int by_time(const void *a, const void *b) {
    static const enum xs_measure measures[] = {XS_MEASURE_DEVICE_NS, XS_MEASURE_HOST_NS, XS_MEASURE_BYTES,
                                               XS_MEASURE_COUNT};
    return compare_by(a, b, measures);
}

struct xs_match_place *xs_side_match_places(const struct xs_side *side) {
    struct xs_match_place *list = xs_realloc(NULL, side->place_count * sizeof *list);
    for (size_t i = 0; i < side->place_count; i++)
        list[i] = side->places[i].match;
    return list;
}

static void match_sides(struct work *w) {
    const struct xs_side *before = w->c->before, *after = w->c->after;
    XS_SCOPED struct xs_match_place *was = xs_side_match_places(before), *is = xs_side_match_places(after);
    xs_match_places(was, before->place_count, is, after->place_count, &w->match);
}

/* --- the conclusion --- */

/* Returns the smallest time that matters. Findings are about the recorded time, so if only a part of a run was
 * recorded, the part is used instead of the run. */
static uint64_t floor_of(const struct xs_diff *c) {
    const struct xs_difference *wall = xs_diff_wall(c);
    const struct xs_side *sides[] = {c->before, c->after};
    uint64_t ns = wall->before.median < wall->after.median ? wall->after.median : wall->before.median;
    for (int s = 0; s < 2; s++)
        for (size_t r = 0; r < sides[s]->run_count; r++)
            if (sides[s]->runs[r].recorded.in_part && sides[s]->runs[r].recorded.ns < ns)
                ns = sides[s]->runs[r].recorded.ns;
    uint64_t floor_ns = xs_floor_of_both(ns);
    return floor_ns ? floor_ns : XS_FLOOR_NS;
}

static enum xs_metric transfer_time(const struct xs_diff *c) {
    if (c->metrics[XS_METRIC_EXPOSED_TIME].certainty != XS_NOT_KNOWN)
        return XS_METRIC_EXPOSED_TIME;
    return c->metrics[XS_METRIC_DEVICE_TIME].certainty != XS_NOT_KNOWN ? XS_METRIC_DEVICE_TIME : XS_METRIC_CALL_TIME;
}

/* Returns the conclusion from what the program did, which is the same in every run, unlike times. */
static enum xs_paid did(const struct xs_conclusion *v, bool repaired) {
    if (v->bytes_less > 0 && v->bytes_differ)
        return XS_DID_LESS;
    if (v->bytes_less < 0 && v->bytes_differ)
        return XS_DID_MORE;
    return repaired ? XS_DID_LESS : XS_DID_AS_MUCH;
}

bool xs_diff_is_unsure(const struct xs_diff *c) {
    const struct xs_difference *wall = xs_diff_wall(c);
    uint64_t before = wall->before.median, after = wall->after.median;
    uint64_t larger = before > after ? before : after, much = larger - (before > after ? after : before);
    return wall->certainty == XS_WITHIN_SPREAD && (double)much * 100 >= (double)larger * TOLD_PERCENT && much;
}

static enum xs_paid paid(const struct xs_diff *c, const struct xs_conclusion *v, uint64_t floor_ns) {
    const struct xs_difference *wall = xs_diff_wall(c);
    bool less_time = v->gone_ns > 0 && xs_differs(&c->metrics[v->gone_by], floor_ns, 0);
    bool repaired = c->prediction.most_ns >= floor_ns; /* a repaired allocation, for example, does not change what is
                                                          copied */
    bool less = less_time || (v->bytes_less > 0 && v->bytes_differ) || repaired;
    if (wall->certainty == XS_NOT_KNOWN || c->before->simulated != c->after->simulated ||
        c->before->in_part != c->after->in_part)
        return XS_CANNOT_TELL;
    if (wall->certainty == XS_TOO_FEW_RUNS)
        return did(v, repaired);
    if (xs_diff_is_unsure(c))
        return XS_CANNOT_TELL;
    if (!xs_differs(wall, 0, 0))
        return less ? XS_NOT_FASTER : XS_NO_CHANGE;
    if (xs_difference_delta(wall) < 0)
        return less ? XS_PAID : XS_FASTER;
    return less ? XS_SLOWER_WITH_LESS : XS_WORSE;
}

static void decide(struct xs_diff *c, uint64_t floor_ns) {
    struct xs_conclusion *v = &c->conclusion;
    v->gone_by = transfer_time(c);
    v->gone_ns = -xs_difference_delta(&c->metrics[v->gone_by]);
    v->bytes_less = -xs_difference_delta(&c->metrics[XS_METRIC_TRANSFER_BYTES]);
    v->transfers_less = -xs_difference_delta(&c->metrics[XS_METRIC_TRANSFERS]);
    v->bytes_differ = xs_differs(&c->metrics[XS_METRIC_TRANSFER_BYTES], 1, COPY_PERCENT);
    for (size_t i = 0; i < c->finding_count; i++) {
        const struct xs_change *change = &c->findings[i];
        if (change->small || (change->before != XS_UNMATCHED ? c->before->findings[change->before].advice
                                                             : c->after->findings[change->after].advice))
            continue;
        v->gone += change->kind == XS_DISAPPEARED;
        v->new += change->kind == XS_APPEARED;
    }
    v->paid = paid(c, v, floor_ns);
    c->prediction.known =
        (c->prediction.most_ns || c->prediction.unchecked) && (v->paid != XS_CANNOT_TELL || xs_diff_is_unsure(c));
}

/* Returns how much less a finding saves than before, by the medians; 0 for a finding that is not the first of a cause.
 * `now` has its present amounts; NULL: the finding is gone. */
static uint64_t less_of(const struct work *w, const struct xs_metric_value *was, const struct xs_metric_value *now) {
    struct xs_difference d;
    xs_difference_of(was, w->c->before->run_count, now, w->c->after->run_count, sizeof(struct xs_amounts), &d);
    return d.before.median > d.after.median ? d.before.median - d.after.median : 0;
}

static void compare_runs(const struct xs_diff *c, const struct xs_metric_value *before,
                         const struct xs_metric_value *after, struct xs_difference *difference) {
    xs_difference_of(before, c->before->run_count, after, c->after->run_count, sizeof(struct xs_side_run), difference);
}

/* Returns the name of the finding if it is the first of a cause and could not be found in AFTER; else NULL. The other
 * findings of the cause save the same time, so their savings say nothing about it. */
static const char *unchecked(const struct work *w, const struct xs_change *change) {
    const struct xs_side *b = w->c->before;
    if (change->kind != XS_UNCHECKED || change->before == XS_UNMATCHED || change->small)
        return NULL;
    const struct xs_amounts *was = b->of + change->before * b->run_limit;
    return less_of(w, &was->most, &w->nothing->most) ? b->findings[change->before].name : NULL;
}

static void predict(const struct work *w) {
    struct xs_diff *c = w->c;
    const struct xs_side *b = c->before, *a = c->after;
    struct xs_prediction *p = &c->prediction;
    struct xs_difference least, most;
    compare_runs(c, &b->runs->together_least, &a->runs->together_least, &least);
    compare_runs(c, &b->runs->together_most, &a->runs->together_most, &most);
    compare_runs(c, &b->runs->own, &a->runs->own, &p->own);
    for (size_t i = 0; i < c->finding_count; i++) {
        const struct xs_change *change = &c->findings[i];
        p->unchecked = p->unchecked ? p->unchecked : unchecked(w, change);
        if (change->before == XS_UNMATCHED || (change->kind != XS_DISAPPEARED && change->kind != XS_SHRANK))
            continue;
        const struct xs_amounts *was = amounts_of(w, b, b->of, change->before);
        const struct xs_amounts *now = amounts_of(w, a, a->of, change->after);
        p->least_ns = xs_sum(p->least_ns, less_of(w, &was->least, &now->least));
        p->most_ns = xs_sum(p->most_ns, less_of(w, &was->most, &now->of[XS_MEASURE_SAVES_NS]));
    }
    /* if several repairs save the same time, it counts once */
    p->all_least_ns = least.before.median;
    p->all_most_ns = most.before.median;
    p->least_ns = p->least_ns < p->all_least_ns ? p->least_ns : p->all_least_ns;
    p->most_ns = p->most_ns < p->all_most_ns ? p->most_ns : p->all_most_ns;
    p->achieved_ns = -xs_difference_delta(xs_diff_wall(c));
}

/* True if there is a place that both sides have, with the same function and file. */
static bool has_place_in_common(const struct work *w) {
    bool has = false;
    for (size_t i = 0; i < w->c->before->place_count; i++) {
        unsigned how = w->match.how[i];
        has |= w->c->before->places[i].has_frame && how >= XS_MATCH_TEXT && how <= XS_MATCH_CALL;
    }
    return has;
}

void xs_diff_compute(struct xs_side *before, struct xs_side *after, struct xs_diff *diff) {
    struct work *w = xs_realloc(NULL, sizeof *w);
    *w = (struct work){.c = diff};
    *diff = (struct xs_diff){.before = before, .after = after};
    xs_amounts_begin(w->nothing, XS_RUNS_LIMIT);
    bool folded =
        (before->lacks_call_sites || after->lacks_call_sites) && (before->has_call_sites || after->has_call_sites);
    if (folded) {
        fold_to_entry_points(before);
        fold_to_entry_points(after);
    }
    for (int m = 0; m < XS_METRICS; m++)
        compare_runs(diff, &before->runs->metrics.of[m], &after->runs->metrics.of[m], &diff->metrics[m]);
    xs_difference_of(before->unprofiled, before->unprofiled_count, after->unprofiled, after->unprofiled_count,
                     sizeof *before->unprofiled, &diff->unprofiled);
    w->floor_ns = floor_of(diff);
    w->times_alike = !folded && before->lacks_device_times == after->lacks_device_times;
    match_sides(w);
    diff_findings(w);
    diff_sites(w);
    xs_sort(diff->findings, diff->finding_count, sizeof *diff->findings, by_gain);
    xs_sort(diff->sites, diff->site_count, sizeof *diff->sites, by_time);
    predict(w);
    diff->conclusion.other_programs = xs_diff_names_differ(diff) && !has_place_in_common(w);
    decide(diff, w->floor_ns);
    xs_diff_add_notes(diff, folded);
    xs_match_free(&w->match);
    free(w);
}

void xs_diff_free(struct xs_diff *diff) {
    for (size_t i = 0; i < diff->note_count; i++)
        free(diff->notes[i]);
    free(diff->notes);
    free(diff->findings);
    free(diff->sites);
    *diff = (struct xs_diff){0};
}
