/* Makes the findings that `xferspy check` judges; see finding.h. */
#include "analyzer/commands/check/finding.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/hash.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/commands/common/reading.h"
#include "analyzer/findings/engine/detector.h"
#include "analyzer/trace/scan.h"
#include "analyzer/words/findings_words.h"
#include "analyzer/words/place.h"
#include "analyzer/words/remedies.h"

/* Makes room for one more item. An array grows when its count is a power of two. */
static void *grown(void *items, size_t count, size_t bytes) {
    return count & (count - 1) ? items : xs_realloc(items, bytes * (count ? count * 2 : 1));
}

void xs_check_findings_add_place(struct xs_check_findings *findings, const struct xs_match_place *place) {
    findings->places = grown(findings->places, findings->place_count, sizeof *findings->places);
    struct xs_match_place *added = &findings->places[findings->place_count++];
    *added = *place;
    added->entry_point = xs_texts_keep(&findings->texts, place->entry_point);
    added->function = xs_texts_keep(&findings->texts, place->function);
    added->file = xs_texts_keep(&findings->texts, place->file);
    added->text = xs_texts_keep(&findings->texts, place->text);
}

struct xs_check_finding *xs_check_findings_add(struct xs_check_findings *findings, uint32_t site) {
    const struct xs_match_place *place = &findings->places[site];
    findings->items = grown(findings->items, findings->count, sizeof *findings->items);
    struct xs_check_finding *added = &findings->items[findings->count++];
    *added =
        (struct xs_check_finding){.site = site,
                                  .entry_point = place->entry_point,
                                  .function = place->function ? place->function : "",
                                  .file = place->file ? place->file : "",
                                  .text = place->text ? place->text : "",
                                  .line = place->is_address || place->line > UINT32_MAX ? 0 : (uint32_t)place->line};
    return added;
}

static void set_place(struct xs_check_finding *g, const struct xs_reading *reading, const struct xs_finding *f) {
    const struct xs_findings *findings = reading->diagnosis->findings;
    const struct xs_frame *frame = xs_site_frame(findings, f->site);
    XS_SCOPED_STRING place = {0};
    const char *path = reading->summary.run.executable;
    if (frame && (frame->file || frame->module))
        path = frame->file ? frame->file : frame->module;
    xs_place_of_site(&place, findings, f->site);
    g->place = xs_text_escaped(
        place.data + (strncmp(place.data, "at ", 3) ? 0 : 3)); /* parts that are already escaped are not changed */
    g->path = xs_strdup(path);
    g->is_source = frame && frame->file;
}

void xs_check_finding_is_exact(struct xs_check_finding *g) {
    g->interval[XS_METRIC_COUNT] = (struct xs_check_interval){g->instances, g->instances};
    g->interval[XS_METRIC_BYTES] = (struct xs_check_interval){g->bytes, g->bytes};
    g->interval[XS_METRIC_NS] = (struct xs_check_interval){g->saves_ns, g->saves_ns};
}

static uint64_t in_proportion(uint64_t value, double times) {
    double product = (double)value * times;
    return product < 9e18 ? (uint64_t)product : INT64_MAX;
}

/* Sets the intervals. The saving of copies that were not checked is proportional to the number of instances among them.
 */
static void set_ranges(struct xs_check_finding *g, const struct xs_diagnosed *d) {
    const struct xs_finding *f = d->finding;
    const struct xs_sample *s = &f->sample;
    double found = (double)f->instances, at = xs_sample_is_few(s) ? s->high : s->estimate;
    uint64_t low = xs_finding_low(f), high = xs_finding_high(f), scaled = d->saves.scaled_most_ns;
    xs_check_finding_is_exact(g);
    if (low == high || !f->instances)
        return;
    g->interval[XS_METRIC_COUNT] = (struct xs_check_interval){low, high};
    g->interval[XS_METRIC_BYTES] = (struct xs_check_interval){in_proportion(f->bytes, (double)low / found),
                                                              in_proportion(f->bytes, (double)high / found)};
    if (!scaled || at <= found)
        return;
    uint64_t exact = g->saves_ns > scaled ? g->saves_ns - scaled : 0;
    uint64_t least = exact + in_proportion(scaled, ((double)low - found) / (at - found));
    uint64_t most = exact + in_proportion(scaled, ((double)high - found) / (at - found));
    g->interval[XS_METRIC_NS].low = least < g->saves_ns ? least : g->saves_ns;
    g->interval[XS_METRIC_NS].high = most > g->saves_ns && !xs_sample_is_few(s) ? most : g->saves_ns;
}

void xs_check_findings_of(const struct xs_reading *reading, struct xs_check_findings *findings) {
    struct xs_match_sites sites;
    *findings = (struct xs_check_findings){0};
    xs_match_sites_of(reading->diagnosis, &findings->texts, &sites);
    findings->places = sites.places;
    findings->place_count = sites.count;
    sites.places = NULL;
    for (size_t i = 0; i < reading->diagnosis->count; i++) {
        const struct xs_diagnosed *d = &reading->diagnosis->items[i];
        const struct xs_finding *f = d->finding;
        struct xs_check_finding *g = xs_check_findings_add(findings, sites.place_of[f->site]);
        struct xs_string kind = {0}, name = {0};
        xs_finding_kind(&kind, f->detector, f->verdict);
        xs_finding_name(&name, reading->diagnosis, i);
        g->kind = kind.data;
        g->name = name.data;
        g->detector = f->detector;
        g->remedy = xs_remedy_of(reading->diagnosis->findings, d);
        for (unsigned verdict = 0; verdict < XS_VERDICTS; verdict++)
            g->verdicts |= (unsigned)xs_finding_has_verdict(f, verdict) << verdict;
        g->verdict = f->verdict;
        g->advice = f->advice;
        g->at_most = xs_finding_at_most(d);
        g->folded = i < reading->diagnosis->cause_count ? reading->diagnosis->causes[i].folded : d->folded;
        g->sure = !f->advice && !g->at_most && !(xs_detectors[f->detector]->unsure_verdicts >> f->verdict & 1);
        const struct xs_amount all = xs_finding_in_all(f);
        g->instances = all.instances;
        g->transfers = all.transfers;
        g->bytes = all.bytes;
        g->saves_ns = d->saves.most_ns;
        g->least_ns = d->saves.least_ns;
        set_ranges(g, d);
        g->leads = i < reading->diagnosis->cause_count; /* finding k is the first of cause k */
        struct xs_string checked = {0}, amount = {0};
        xs_finding_amount(&amount, f);
        g->amount = amount.data;
        xs_finding_checked(&checked, f);
        g->checked = checked.data ? checked.data : xs_strdup("");
        set_place(g, reading, f);
    }
    xs_match_sites_free(&sites);
}

void xs_check_findings_free(struct xs_check_findings *findings) {
    for (size_t i = 0; i < findings->count; i++) {
        struct xs_check_finding *g = &findings->items[i];
        char *const texts[] = {g->kind, g->name, g->place, g->path, g->checked, g->amount};
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
            free(texts[k]);
    }
    free(findings->items);
    free(findings->places);
    xs_texts_free(&findings->texts);
    *findings = (struct xs_check_findings){0};
}

/* --- runs without stacks --- */

bool xs_check_findings_lack_stacks(const struct xs_check_findings *findings) {
    bool known = false;
    for (size_t i = 0; i < findings->place_count; i++) {
        const struct xs_match_place *place = &findings->places[i];
        known |= place->function || place->file || place->line;
    }
    return findings->place_count && !known;
}

/* Returns the index of the place for an entry point, and adds it if it is new. Each text is kept once, so that equal
 * texts have equal addresses. */
static uint32_t fold_place(struct xs_check_findings *folded, struct xs_hash *by_entry,
                           const struct xs_match_place *place) {
    const char *entry = xs_texts_keep(&folded->texts, place->entry_point);
    uint64_t *known = xs_hash_put(by_entry, (uint64_t)(uintptr_t)entry, 0);
    if (!*known) {
        xs_check_findings_add_place(folded,
                                    &(struct xs_match_place){.entry_point = entry, .category = place->category});
        *known = folded->place_count;
    }
    return (uint32_t)*known - 1;
}

static void add_up(struct xs_check_finding *sum, const struct xs_check_finding *g) {
    sum->verdicts |= g->verdicts;
    sum->instances = xs_sum(sum->instances, g->instances);
    sum->transfers = xs_sum(sum->transfers, g->transfers);
    sum->bytes = xs_sum(sum->bytes, g->bytes);
    sum->saves_ns = xs_sum(sum->saves_ns, g->saves_ns);
    sum->least_ns = xs_sum(sum->least_ns, g->least_ns);
    for (int unit = 0; unit < XS_METRIC_UNITS; unit++) {
        sum->interval[unit].low = xs_sum(sum->interval[unit].low, g->interval[unit].low);
        sum->interval[unit].high = xs_sum(sum->interval[unit].high, g->interval[unit].high);
    }
    if (sum->verdict == g->verdict)
        return;
    sum->verdict = XS_SEVERAL_VERDICTS;
    sum->kind[strcspn(sum->kind, "/")] = '\0';
}

void xs_check_findings_fold(const struct xs_check_findings *findings, struct xs_check_findings *folded,
                            uint32_t *folded_of) {
    struct xs_hash by_entry = {0}, by_kind = {0};
    *folded = (struct xs_check_findings){0};
    for (size_t i = 0; i < findings->place_count; i++)
        fold_place(folded, &by_entry, &findings->places[i]);
    for (size_t i = 0; i < findings->count; i++) {
        const struct xs_check_finding *g = &findings->items[i];
        uint32_t site = fold_place(folded, &by_entry, &findings->places[g->site]);
        uint64_t *known = xs_hash_put(&by_kind, xs_match_kind(g->detector, g->verdict), (uint64_t)site + 1);
        if (!*known) {
            struct xs_check_finding *added = xs_check_findings_add(folded, site);
            added->kind = xs_strdup(g->kind);
            added->detector = g->detector;
            added->verdict = g->verdict;
            *known = folded->count;
        }
        folded_of[i] = (uint32_t)*known - 1;
        add_up(&folded->items[folded_of[i]], g);
    }
    xs_hash_free(&by_entry);
    xs_hash_free(&by_kind);
}

/* --- matching --- */

static struct xs_match_finding *compared(const struct xs_check_findings *findings) {
    struct xs_match_finding *list = xs_realloc(NULL, findings->count * sizeof *list);
    for (size_t i = 0; i < findings->count; i++) {
        const struct xs_check_finding *g = &findings->items[i];
        list[i] = (struct xs_match_finding){g->site, g->detector, g->verdict};
    }
    return list;
}

void xs_check_match(const struct xs_check_findings *before, const struct xs_check_findings *now, uint32_t *before_of) {
    struct xs_match places;
    XS_SCOPED struct xs_match_finding *was = compared(before), *is = compared(now);
    XS_SCOPED uint32_t *after_of = xs_realloc(NULL, before->count * sizeof *after_of);
    xs_match_places(before->places, before->place_count, now->places, now->place_count, &places);
    xs_match_findings(&places, was, before->count, is, now->count, false, after_of, before_of);
    xs_match_free(&places);
}

/* If verdicts are joined, the finding may have other verdicts in another run, so only the id is hashed. */
uint64_t xs_check_finding_hash(const struct xs_check_finding *g) {
    XS_SCOPED_STRING key = {0};
    size_t kind = xs_detectors[g->detector]->verdicts_join ? strcspn(g->kind, "/") : strlen(g->kind);
    xs_string_format(&key, "%.*s\n%s\n%s\n%s\n%s", (int)kind, g->kind, g->entry_point, g->function, g->file, g->text);
    return xs_hash_of_text(key.data, key.length);
}
