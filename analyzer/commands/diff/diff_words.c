/* Writes the sentences of a diff; see diff_words.h. */
#include <inttypes.h>
#include <string.h>

#include "analyzer/base/numbers.h"
#include "analyzer/base/units.h"
#include "analyzer/commands/diff/diff_words.h"
#include "analyzer/trace/site.h"
#include "analyzer/words/findings_words.h"
#include "analyzer/words/place.h"

#define XS_WITHIN_THEIR_SPREAD "within spread"

void xs_diff_value(struct xs_string *text, enum xs_metric_unit unit, const struct xs_spread *value) {
    char buffer[XS_UNIT_BYTES];
    if (!value->known)
        xs_string_add(text, "-", 1);
    else
        xs_string_format(text, "%s", xs_metric_format(buffer, unit, value->median));
}

enum xs_metric_unit xs_diff_unit(enum xs_measure measure) {
    return measure == XS_MEASURE_COUNT ? XS_METRIC_COUNT : measure == XS_MEASURE_BYTES ? XS_METRIC_BYTES : XS_METRIC_NS;
}

void xs_diff_values(struct xs_string *text, enum xs_metric_unit unit, const struct xs_difference *d) {
    xs_diff_value(text, unit, &d->before);
    if (d->before.known == d->after.known && d->before.median == d->after.median)
        return;
    xs_string_format(text, " -> ");
    xs_diff_value(text, unit, &d->after);
}

void xs_diff_amount(struct xs_string *text, const struct xs_diff *c, const struct xs_change *change,
                    enum xs_measure measure, bool after) {
    const struct xs_side *side = after ? c->after : c->before;
    const struct xs_difference *d = &change->of[measure];
    uint32_t index = after ? change->after : change->before;
    bool is_marked = measure != XS_MEASURE_BYTES && measure != XS_MEASURE_SAVES_NS;
    if (is_marked && index != XS_UNMATCHED && side->findings[index].about)
        xs_string_format(text, "about ");
    xs_diff_value(text, xs_diff_unit(measure), after ? &d->after : &d->before);
}

void xs_diff_amounts(struct xs_string *text, const struct xs_diff *c, const struct xs_change *change,
                     enum xs_measure measure) {
    const struct xs_difference *d = &change->of[measure];
    bool same = d->before.known == d->after.known && d->before.median == d->after.median;
    xs_diff_amount(text, c, change, measure,
                   same && change->after != XS_UNMATCHED && c->after->findings[change->after].about);
    if (same)
        return;
    xs_string_format(text, " -> ");
    xs_diff_amount(text, c, change, measure, true);
}

void xs_diff_percent(struct xs_string *text, const struct xs_difference *d) {
    if (d->certainty == XS_NOT_KNOWN || d->before.median == d->after.median)
        return;
    if (!d->before.median || !d->after.median) {
        xs_string_format(text, "%s", d->before.median ? "gone" : "new");
        return;
    }
    double percent = ((double)d->after.median - (double)d->before.median) / (double)d->before.median * 100;
    double much = percent < 0 ? -percent : percent;
    if (percent >= 999.5)
        xs_string_format(text, "x%.*f", percent < 99999 ? 1 : 0, (double)d->after.median / (double)d->before.median);
    else if (much < 0.05)
        xs_string_format(text, "%s0.1 %%", percent < 0 ? ">-" : "<+");
    else if (much >= 99.45 && percent < 0) /* nearly 100 % must not be printed as 100 % */
        xs_string_format(text, "-%.1f %%", much >= 99.9 ? 99.9 : much);
    else
        xs_string_format(text, "%+.*f %%", much < 9.95 ? 1 : 0, percent);
}

/* --- the conclusion --- */

static void add_wall(struct xs_string *text, const struct xs_diff *c) {
    XS_SCOPED_STRING percent = {0};
    const struct xs_difference *wall = xs_diff_wall(c);
    xs_diff_value(text, XS_METRIC_NS, &wall->before);
    xs_string_format(text, " -> ");
    xs_diff_value(text, XS_METRIC_NS, &wall->after);
    xs_diff_percent(&percent, wall);
    xs_string_format(text, " (%s)", percent.data ? percent.data : "+0 %");
}

/* Adds "It removed transfers (1.20 GiB less)" or "It shortened transfers (300 ms of it less)". */
static void add_less(struct xs_string *text, const struct xs_diff *c) {
    const struct xs_conclusion *v = &c->conclusion;
    if (v->bytes_less > 0 && v->bytes_differ)
        xs_string_format(text, "It removed transfers (%s less)", XS_BYTES_TEXT((uint64_t)v->bytes_less));
    else if (c->prediction.most_ns)
        xs_string_format(text, "It repaired what cost time (predicted: %s)", XS_NS_TEXT(c->prediction.most_ns));
    else
        xs_string_format(text, "It shortened transfers (%s of it less)",
                         XS_NS_TEXT((uint64_t)(v->gone_ns > 0 ? v->gone_ns : 0)));
}

static void add_gone(struct xs_string *text, const struct xs_diff *c) {
    const struct xs_conclusion *v = &c->conclusion;
    int64_t faster = -xs_difference_delta(xs_diff_wall(c));
    if (v->gone_ns > faster)
        xs_string_format(text, "; transfers alone took %s less", XS_NS_TEXT((uint64_t)v->gone_ns));
    else if (v->gone_ns > 0)
        xs_string_format(text, ", of which %s is transfer time that is gone", XS_NS_TEXT((uint64_t)v->gone_ns));
    else if (v->bytes_less > 0)
        xs_string_format(text, "; %s were copied less", XS_BYTES_TEXT((uint64_t)v->bytes_less));
    else
        xs_string_format(text, "; findings are gone that cost %s", XS_NS_TEXT(c->prediction.most_ns));
}

/* Adds "It copied 1.55 GiB less, in 395 fewer copies; 2 findings are gone, 1 is new". */
static void add_did(struct xs_string *text, const struct xs_diff *c) {
    const struct xs_conclusion *v = &c->conclusion;
    uint64_t bytes = xs_without_sign(v->bytes_less), copies = xs_without_sign(v->transfers_less);
    if (v->bytes_differ && bytes)
        xs_string_format(text, "It copied %s %s", XS_BYTES_TEXT(bytes), v->bytes_less > 0 ? "less" : "more");
    else
        xs_string_format(text, "It copied as much as before");
    if (copies)
        xs_string_format(text, ", in %s %s cop%s", XS_COUNT_TEXT(copies), v->transfers_less > 0 ? "fewer" : "more",
                         copies == 1 ? "y" : "ies");
    if (v->gone)
        xs_string_format(text, "; %zu finding%s gone", v->gone, v->gone == 1 ? " is" : "s are");
    if (v->new)
        xs_string_format(text, "%s %zu%s %s new", v->gone ? "," : ";", v->new,
                         v->gone       ? ""
                         : v->new == 1 ? " finding"
                                       : " findings",
                         v->new == 1 ? "is" : "are");
}

static void add_more(struct xs_string *text, const struct xs_conclusion *v) {
    if (v->bytes_less < 0)
        xs_string_format(text, "; %s more were copied", XS_BYTES_TEXT(xs_without_sign(v->bytes_less)));
}

static void add_unknown(struct xs_string *text, const struct xs_diff *c) {
    const struct xs_difference *wall = xs_diff_wall(c);
    const struct xs_conclusion *v = &c->conclusion;
    xs_string_format(text, "Whether it paid cannot be told: ");
    if (c->before->in_part != c->after->in_part) {
        xs_string_format(text, "not all calls were recorded in %s", c->before->in_part ? "BEFORE" : "AFTER");
        return; /* only a part of one side was recorded, so its bytes are not comparable */
    }
    if (xs_diff_is_unsure(c)) {
        add_wall(text, c);
        xs_string_format(text, " is within the runs' own spread. Record more runs of each");
        return;
    }
    if (wall->before.known && wall->after.known)
        xs_string_format(text, "one side alone ran on the simulated GPU");
    else
        xs_string_format(text, "how long %s took is not known",
                         wall->before.known  ? "AFTER"
                         : wall->after.known ? "BEFORE"
                                             : "either side");
    if (v->bytes_less > 0)
        xs_string_format(text, "; %s were copied less", XS_BYTES_TEXT((uint64_t)v->bytes_less));
    add_more(text, v);
}

void xs_diff_conclusion(struct xs_string *text, const struct xs_diff *c) {
    if (c->before->simulated && c->after->simulated)
        xs_string_format(text, "(Simulated) ");
    const struct xs_conclusion *v = &c->conclusion;
    if (v->other_programs)
        xs_string_format(text, "BEFORE and AFTER are of different programs, so a comparison says little. ");
    switch (v->paid) {
    case XS_PAID:
        xs_string_format(text, "It paid: ");
        add_wall(text, c);
        add_gone(text, c);
        break;
    case XS_FASTER:
    case XS_NO_CHANGE:
    case XS_WORSE:
        xs_string_format(text, "%s: ",
                         v->paid == XS_FASTER  ? "It is faster, but not by what xferspy sees"
                         : v->paid == XS_WORSE ? "It got worse"
                                               : "No change beyond the runs' own spread");
        add_wall(text, c);
        add_more(text, v);
        break;
    case XS_NOT_FASTER:
    case XS_SLOWER_WITH_LESS:
        add_less(text, c);
        xs_string_format(text, ", but the run is %s: ",
                         v->paid == XS_NOT_FASTER ? "not faster beyond the runs' own spread" : "slower");
        add_wall(text, c);
        break;
    case XS_CANNOT_TELL:
        add_unknown(text, c);
        break;
    case XS_DID_LESS:
    case XS_DID_MORE:
    case XS_DID_AS_MUCH:
        add_did(text, c);
        break;
    }
    xs_string_add(text, ".", 1);
}

enum xs_style xs_diff_conclusion_style(const struct xs_diff *c) {
    switch (c->conclusion.paid) {
    case XS_PAID:
    case XS_FASTER:
    case XS_DID_LESS:
        return XS_STYLE_GOOD;
    case XS_WORSE:
    case XS_DID_MORE:
    case XS_SLOWER_WITH_LESS:
        return XS_STYLE_BAD;
    default:
        return XS_STYLE_WARN;
    }
}

static void add_range(struct xs_string *text, const struct xs_side *side, const struct xs_spread *wall) {
    size_t unprofiled = side->unprofiled_count, runs = unprofiled ? unprofiled : side->run_count;
    xs_string_format(text, "%zu %srun%s", runs, unprofiled ? "unprofiled " : "", runs == 1 ? "" : "s");
    if (wall->known && runs > 1)
        xs_string_format(text, " (%s to %s)", XS_NS_TEXT(wall->least), XS_NS_TEXT(wall->most));
}

static bool is_one_run_each(const struct xs_diff *c) { return c->before->run_count == 1 && c->after->run_count == 1; }

void xs_diff_spread(struct xs_string *text, const struct xs_diff *c) {
    const struct xs_difference *wall = xs_diff_wall(c);
    add_range(text, c->before, &wall->before);
    xs_string_format(text, " before, ");
    add_range(text, c->after, &wall->after);
    xs_string_format(text, " after");
    switch (wall->certainty) {
    case XS_NOT_KNOWN:
        break;
    case XS_TOO_FEW_RUNS:
        xs_string_format(text, ". With so few, xferspy cannot know how much times vary by chance. Record three or more "
                               "runs of each");
        break;
    case XS_WITHIN_SPREAD:
    case XS_BEYOND_SPREAD:
        xs_string_format(text, ": %s their own spread (rank test, p = %.2g)",
                         wall->certainty == XS_BEYOND_SPREAD ? "beyond" : "within", wall->p);
        break;
    }
}

static const char *too_few_runs(const struct xs_diff *c) {
    return is_one_run_each(c) ? "one run each" : "too few runs";
}

const char *xs_diff_doubt(const struct xs_diff *c, enum xs_metric metric) {
    const struct xs_difference *d = &c->metrics[metric];
    if (d->certainty == XS_WITHIN_SPREAD)
        return XS_WITHIN_THEIR_SPREAD;
    if (d->certainty != XS_TOO_FEW_RUNS || d->before.median == d->after.median ||
        xs_metric_infos[metric].unit != XS_METRIC_NS)
        return NULL;
    return too_few_runs(c);
}

void xs_diff_gain(struct xs_string *text, const struct xs_diff *c, bool is_sentence) {
    const struct xs_prediction *p = &c->prediction;
    if (!p->known)
        return;
    xs_string_format(text, "%s: ", is_sentence ? "Predicted" : "predicted");
    if (p->unchecked) {
        xs_string_format(text, "not known, ");
        xs_string_add_cut(text, p->unchecked, 80);
        xs_string_format(text, " could not be checked in AFTER");
    } else {
        xs_string_format(text, "saves ");
        xs_saving_text(text, p->least_ns, p->most_ns);
    }
    if (p->unchecked || strcmp(XS_NS_TEXT(p->most_ns), XS_NS_TEXT(p->all_most_ns)) != 0)
        xs_string_format(text, " (all repaired: %s)", XS_NS_TEXT(p->all_most_ns));
    bool too_few = xs_diff_wall(c)->certainty == XS_TOO_FEW_RUNS, unsure = xs_diff_is_unsure(c);
    xs_string_format(text, "; %s: %s %s", too_few || unsure ? "measured" : "achieved",
                     XS_NS_TEXT(xs_without_sign(p->achieved_ns)), p->achieved_ns < 0 ? "more" : "less");
    if (too_few || unsure)
        xs_string_format(text, " (%s)", unsure ? XS_WITHIN_THEIR_SPREAD : too_few_runs(c));
    xs_string_format(text, "%s", is_sentence ? "." : "");
}

bool xs_diff_about(const struct xs_diff *c, const struct xs_change *change) {
    return (change->before != XS_UNMATCHED && c->before->findings[change->before].about) ||
           (change->after != XS_UNMATCHED && c->after->findings[change->after].about);
}

void xs_diff_own(struct xs_string *text, const struct xs_diff *c) {
    const struct xs_difference *own = &c->prediction.own;
    if (xs_diff_is_unprofiled(c) || xs_diff_time(c) != XS_METRIC_BARE_TIME ||
        (!own->before.median && !own->after.median))
        return;
    xs_string_format(text, "%s of the run before and %s of the run after are xferspy's own time, which is not counted",
                     XS_NS_TEXT(own->before.median), XS_NS_TEXT(own->after.median));
}

/* --- changes --- */

const char *xs_diff_kind(enum xs_change_kind kind) {
    static const char *const words[] = {"- gone", "+ new",       "> grew",     "< shrank",
                                        "= same", "? unchecked", "~ time only"};
    return words[kind];
}

void xs_diff_kind_before(struct xs_string *text, const struct xs_change *change, enum xs_measure next) {
    static const char *const names[XS_MEASURES] = {"number", "size", "time", "time", "time", "saving"};
    int64_t decided = xs_difference_delta(&change->of[change->decided_by]),
            shown = xs_difference_delta(&change->of[next]);
    xs_string_format(text, "%s", xs_diff_kind(change->kind));
    if ((change->kind == XS_GREW || change->kind == XS_SHRANK) && (decided < 0 ? shown >= 0 : shown <= 0))
        xs_string_format(text, " in %s", names[change->decided_by]);
}

enum xs_style xs_diff_kind_style(enum xs_change_kind kind) {
    static const enum xs_style styles[] = {XS_STYLE_GOOD, XS_STYLE_BAD,  XS_STYLE_BAD,  XS_STYLE_GOOD,
                                           XS_STYLE_DIM,  XS_STYLE_WARN, XS_STYLE_PLAIN};
    return styles[kind];
}

void xs_diff_side_place(struct xs_string *text, const struct xs_side *side, uint32_t index, bool entry_point) {
    const struct xs_side_place *place = &side->places[index];
    const struct xs_sites sites = {.cwd = (char *)(uintptr_t)side->cwd};
    if (!place->has_frame) {
        xs_string_add_cut(text, place->match.entry_point, 80);
        return;
    }
    const struct xs_frame frame = xs_side_frame(place);
    xs_place_text(text, &sites, &frame);
    if (!entry_point)
        return;
    xs_string_add(text, " (", 2);
    xs_string_add_cut(text, place->match.entry_point, 80);
    xs_string_add(text, ")", 1);
}

void xs_diff_place(struct xs_string *text, const struct xs_diff *c, uint32_t before, uint32_t after) {
    if (after != XS_UNMATCHED)
        xs_diff_side_place(text, c->after, after, true);
    else if (before != XS_UNMATCHED)
        xs_diff_side_place(text, c->before, before, true);
}

static bool same(const char *a, const char *b) { return a && b ? !strcmp(a, b) : a == b; }

/* Adds where the place was in BEFORE, as briefly as possible. */
static void add_way(struct xs_string *text, const struct xs_diff *c, uint32_t before, uint32_t after) {
    const struct xs_side_place *was = &c->before->places[before], *is = &c->after->places[after];
    if (!was->has_frame)
        return;
    if (!same(was->match.function, is->match.function) || !was->frame.line || !is->frame.line) {
        XS_SCOPED_STRING from = {0}, to = {0};
        xs_diff_side_place(&from, c->before, before, false);
        xs_diff_side_place(&to, c->after, after, false);
        if (!same(from.data, to.data))
            xs_string_format(text, "%s%s", *xs_place_at_before(from.data) ? "was at " : "before, ", from.data);
    } else if (!same(was->match.file, is->match.file)) {
        xs_string_format(text, "was ");
        xs_string_add_cut(text, was->match.file ? was->match.file : "elsewhere", 60);
        xs_string_format(text, ":%" PRIu32, was->frame.line);
    } else if (was->frame.line != is->frame.line) {
        xs_string_format(text, "was line %" PRIu32, was->frame.line);
    }
}

void xs_diff_moved(struct xs_string *text, const struct xs_diff *c, uint32_t before, uint32_t after) {
    if (before == XS_UNMATCHED || after == XS_UNMATCHED)
        return;
    const char *from = c->before->places[before].match.entry_point, *to = c->after->places[after].match.entry_point;
    add_way(text, c, before, after);
    if (strcmp(from, to) != 0) {
        xs_string_format(text, "%s", text->length ? ", " : "was ");
        xs_string_add_cut(text, from, 80);
    }
}

const struct xs_side_finding *xs_diff_finding(const struct xs_diff *c, const struct xs_change *change) {
    return change->after != XS_UNMATCHED ? &c->after->findings[change->after] : &c->before->findings[change->before];
}

void xs_diff_finding_places(const struct xs_diff *c, const struct xs_change *change, uint32_t *before,
                            uint32_t *after) {
    *before = change->before != XS_UNMATCHED ? c->before->findings[change->before].place : XS_UNMATCHED;
    *after = change->after != XS_UNMATCHED ? c->after->findings[change->after].place : XS_UNMATCHED;
}

/* Adds the kind of a finding. If the sides have different verdicts, neither of them grew or shrank. */
void xs_diff_finding_kind(struct xs_string *text, const struct xs_diff *c, const struct xs_change *change) {
    const struct xs_side_finding *finding = xs_diff_finding(c, change);
    unsigned verdict = finding->verdict;
    if (change->before != XS_UNMATCHED && c->before->findings[change->before].verdict != verdict)
        verdict = XS_SEVERAL_VERDICTS;
    xs_finding_kind(text, finding->detector, verdict);
}
