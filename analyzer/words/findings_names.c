/* Writes the names of findings, and their numbers in words; see findings_words.h. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/units.h"
#include "analyzer/findings/engine/detector.h"
#include "analyzer/trace/windows/device_windows.h"
#include "analyzer/words/findings_words.h"
#include "analyzer/words/saving_words.h"

void xs_finding_kind(struct xs_string *text, unsigned detector, unsigned verdict) {
    const struct xs_detector *d = xs_detectors[detector];
    const char *name = verdict < XS_VERDICTS ? d->verdicts[verdict].name : NULL;
    xs_string_format(text, "%s%s%s", d->id, name ? "/" : "", name ? name : "");
}

void xs_finding_name(struct xs_string *text, const struct xs_diagnosis *diagnosis, size_t index) {
    const struct xs_diagnosed *d = &diagnosis->items[index];
    const struct xs_finding *f = d->finding;
    xs_finding_kind(text, f->detector, f->verdict);
    if (d->ordinal > 1)
        xs_string_format(text, "#%zu", d->ordinal);
}

static bool is_called(const struct xs_diagnosis *diagnosis, size_t index, const char *name) {
    XS_SCOPED_STRING text = {0};
    xs_finding_name(&text, diagnosis, index);
    size_t length = text.length;
    return !strcmp(text.data, name) || (!strncmp(text.data, name, length) && !strcmp(name + length, "#1"));
}

/* Returns the largest finding that has this verdict among several. */
static long find_among_several(const struct xs_diagnosis *diagnosis, const char *name) {
    for (size_t i = 0; i < diagnosis->count; i++) {
        const struct xs_finding *f = diagnosis->items[i].finding;
        for (unsigned verdict = 0; verdict < XS_VERDICTS && f->verdict == XS_SEVERAL_VERDICTS; verdict++) {
            XS_SCOPED_STRING kind = {0};
            xs_finding_kind(&kind, f->detector, verdict);
            bool found = xs_finding_has_verdict(f, verdict) && !strcmp(kind.data, name);
            if (found)
                return (long)i;
        }
    }
    return -1;
}

long xs_finding_find(const struct xs_diagnosis *diagnosis, const char *name) {
    char *end = NULL;
    long number = strtol(name, &end, 10), found = -1;
    if (end != name && !*end)
        return number >= 1 && (size_t)number <= diagnosis->count ? number - 1 : -1;
    for (size_t i = 0; i < diagnosis->count; i++)
        if (is_called(diagnosis, i, name))
            return (long)i;
    for (size_t i = 0; i < diagnosis->count; i++) { /* the id alone is enough if all findings of this id have one
                                                       verdict */
        if (strcmp(xs_detectors[diagnosis->items[i].finding->detector]->id, name) != 0)
            continue;
        if (found >= 0)
            return -2;
        found = (long)i;
    }
    return found >= 0 ? found : find_among_several(diagnosis, name);
}

struct xs_amount xs_finding_in_all(const struct xs_finding *f) {
    return xs_amount_in_all(&f->sample, f->instances, f->transfers, f->bytes);
}

uint64_t xs_finding_ns_in_all(const struct xs_finding *f, uint64_t instances, uint64_t ns) {
    const struct xs_amount all = xs_finding_in_all(f);
    return instances >= f->instances ? xs_amount_ns(&all, ns) : ns;
}

uint64_t xs_finding_low(const struct xs_finding *f) {
    bool is_more = xs_sample_is_part(&f->sample) && f->sample.low > (double)f->instances;
    return is_more ? (uint64_t)f->sample.low : f->instances;
}

uint64_t xs_finding_high(const struct xs_finding *f) {
    bool is_more = xs_sample_is_part(&f->sample) && f->sample.high > (double)f->instances;
    return is_more ? (uint64_t)ceil(f->sample.high) : f->instances;
}

/* Adds " (147 ms to 332 ms with 95 % certainty)". The interval is computed from the interval of the number of
 * instances. */
static void add_interval(struct xs_string *text, const struct xs_finding *f, uint64_t ns) {
    double each = (double)ns / (double)f->instances;
    xs_string_format(text, " (%s to %s with 95 %% certainty)", XS_NS_TEXT((uint64_t)(each * f->sample.low)),
                     XS_NS_TEXT((uint64_t)(each * f->sample.high)));
}

/* Adds " for the 3 of 10 that have device times". */
static void add_timed(struct xs_string *text, const struct xs_finding *f, const struct xs_amount *all) {
    xs_string_format(text, " for the %s of %s%s that %shave device times", XS_COUNT_TEXT(f->timed_instances),
                     all->about ? "about " : "", XS_COUNT_TEXT(all->instances), all->about ? "were checked and " : "");
}

void xs_finding_cost(struct xs_string *text, const struct xs_finding *f) {
    const struct xs_times *t = &f->cost;
    const struct xs_amount all = xs_finding_in_all(f);
    const char *about = all.about ? "about " : "", *mark = xs_modelled_mark(f->modelled_instances);
    if (!f->timed_instances) {
        if (!t->host_ns)
            return;
        xs_string_format(text, "%s%s in the call%s", about, XS_NS_TEXT(xs_amount_ns(&all, t->host_ns)),
                         f->instances > 1 ? "s" : "");
        if (all.about)
            add_interval(text, f, t->host_ns);
        return;
    }
    bool whole = f->timed_instances >= f->instances;
    const struct xs_amount of = whole ? all : (struct xs_amount){.times = 1};
    about = of.about ? about : "";
    xs_string_format(text, "%s%s%s on the device", about, mark, XS_NS_TEXT(xs_amount_ns(&of, t->device_ns)));
    if (!whole)
        add_timed(text, f, &all);
    else if (all.about)
        add_interval(text, f, t->device_ns);
    if (!f->exposed_instances)
        return;
    if (t->exposed_ns >= t->device_ns)
        xs_string_format(text, ", all of it exposed");
    else if (!t->exposed_ns)
        xs_string_format(text, ", none of it exposed");
    else
        xs_string_format(text, ", %s%s%s exposed", about, mark, XS_NS_TEXT(xs_amount_ns(&of, t->exposed_ns)));
}

uint64_t xs_variant_in_all(const struct xs_variant *variant) {
    uint64_t all = (uint64_t)(variant->estimate + 0.5);
    return all > variant->instances ? all : variant->instances;
}

void xs_finding_variants(struct xs_string *text, const struct xs_finding *f) {
    const struct xs_detector *d = xs_detectors[f->detector];
    for (unsigned verdict = 0; verdict < XS_VERDICTS && f->verdict == XS_SEVERAL_VERDICTS; verdict++) {
        const struct xs_variant *variant = &f->variants[verdict];
        uint64_t all = xs_variant_in_all(variant);
        if (variant->instances)
            xs_string_format(text, "%s%s%s %s", text->length ? ", " : "", all > variant->instances ? "about " : "",
                             XS_COUNT_TEXT(all), d->verdicts[verdict].name);
    }
}

void xs_finding_turns(struct xs_string *text, const struct xs_diagnosed *d) {
    const struct xs_finding *f = d->finding;
    const struct xs_turns *t = &d->turns;
    uint32_t more = t->contents - t->buffers;
    if (!t->contents)
        return;
    if (f->sample.checked < f->sample.of)
        xs_string_format(text, "Of the copies that were checked: ");
    if (!t->buffers)
        xs_string_format(text, "%" PRIu32 " contents are uploaded again and again: kept on the device they need %s.",
                         t->contents, XS_BYTES_TEXT(t->bytes));
    else if (!t->one_size)
        xs_string_format(text,
                         "%" PRIu32 " contents take turns in %" PRIu32 " buffer%s: a buffer for each, %s in all, "
                         "would keep them.",
                         t->contents, t->buffers, t->buffers > 1 ? "s" : "", XS_BYTES_TEXT(t->bytes));
    else
        xs_string_format(text,
                         "%" PRIu32 " contents take turns in %" PRIu32 " buffer%s: %" PRIu32 " more of %s%s would "
                         "keep them all.",
                         t->contents, t->buffers, t->buffers > 1 ? "s" : "", more,
                         XS_BYTES_TEXT(t->bytes / t->contents), more > 1 ? " each" : "");
}

bool xs_cause_offers(const struct xs_diagnosis *diagnosis, const struct xs_cause *cause, size_t i, unsigned *repairs) {
    const struct xs_diagnosed *d = &diagnosis->items[cause->findings[i]];
    const struct xs_finding *f = d->finding;
    const struct xs_detector *detector = xs_detectors[f->detector];
    unsigned repair = 1u << xs_detector_repair(detector, f->verdict);
    bool is_sure = !(detector->unsure_verdicts >> f->verdict & 1), is_other = i && !(*repairs & repair);
    if (!i || (d->saves.most_ns && is_sure))
        *repairs |= repair;
    return is_other && d->saves.most_ns && is_sure;
}

bool xs_finding_at_most(const struct xs_diagnosed *d) {
    return !d->finding->advice && xs_saving_is_interval(&d->saves);
}

void xs_finding_gain(struct xs_string *text, const struct xs_findings *findings, const struct xs_diagnosed *d) {
    if (!d->finding->advice)
        xs_say_gain(text, xs_finding_at_most(d) ? XS_UP_TO : "", d->saves.most_ns, &findings->recorded);
}

void xs_finding_gain_between(struct xs_string *text, const struct xs_findings *findings, const struct xs_diagnosed *d) {
    if (!d->saves.known || d->finding->advice) {
        xs_finding_gain(text, findings, d);
        return;
    }
    xs_string_format(text, "saves ");
    xs_say_saving(text, &d->saves);
    xs_say_share(text, ", ", d->saves.most_ns, &findings->recorded);
}

void xs_sample_checked(struct xs_string *text, const struct xs_sample *sample) {
    uint64_t all = sample->of + sample->unknown;
    if (sample->is_of_contents && sample->checked < all)
        xs_string_format(text, "checked %s of %s", XS_COUNT_TEXT(sample->checked), XS_COUNT_TEXT(all));
}

void xs_finding_checked(struct xs_string *text, const struct xs_finding *f) {
    xs_sample_checked(text, &f->sample);
    if (f->in_run.transfers)
        xs_string_format(text, "%sin the whole run %s to %s of %s", text->length ? "; " : "",
                         XS_COUNT_TEXT((uint64_t)f->in_run.low), XS_COUNT_TEXT((uint64_t)ceil(f->in_run.high)),
                         XS_COUNT_TEXT(f->in_run.transfers));
}

void xs_finding_amount(struct xs_string *text, const struct xs_finding *f) {
    struct xs_amount amount = xs_finding_in_all(f);
    xs_say_amount(text, &amount);
}

bool xs_finding_is_shown(bool advice, bool folded, bool all, size_t *counted, size_t *advised) {
    if (advice)
        return ++*advised <= XS_ADVICE_SHOWN || all;
    return all || (!folded && ++*counted <= XS_FINDINGS_SHOWN);
}
