/* Findings as `xferspy check` sees them; see finding.h. */
#include "analyzer/commands/check/finding.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/hash.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/commands/common/reading.h"
#include "analyzer/findings/engine/detector.h"
#include "analyzer/trace/site.h"
#include "analyzer/words/findings_words.h"
#include "analyzer/words/place.h"
#include "analyzer/words/remedies.h"

/* What the JSON writer makes of a text: a baseline that is read back has to be equal to the run that it was written
 * of. */
static char *as_written(const char *text) {
    struct xs_string clean = {0};
    size_t bytes = text ? strnlen(text, XS_CHECK_TEXT_BYTES) : 0;
    for (size_t i = 0; i < bytes;) {
        uint32_t code;
        size_t length = xs_utf8_decode(text + i, bytes - i, &code);
        xs_string_add(&clean, length ? text + i : "\xef\xbf\xbd", length ? length : 3);
        i += length ? length : 1;
    }
    return clean.data ? clean.data : xs_strdup("");
}

struct xs_check_finding *xs_check_findings_add(struct xs_check_findings *findings) {
    if (!(findings->count & (findings->count - 1))) /* full at every power of two */
        findings->items =
            xs_realloc(findings->items, sizeof *findings->items * (findings->count ? findings->count * 2 : 1));
    struct xs_check_finding *added = &findings->items[findings->count++];
    *added = (struct xs_check_finding){0};
    return added;
}

static void set_place(struct xs_check_finding *g, const struct xs_reading *reading, const struct xs_finding *f) {
    const struct xs_findings *findings = reading->diagnosis->findings;
    const struct xs_frame *frame = xs_site_frame(findings, f->site);
    struct xs_string place = {0};
    char *text = frame ? xs_place_source(findings->sites, frame) : NULL;
    const char *path = reading->summary.run.executable;
    if (frame && (frame->file || frame->module))
        path = frame->file ? frame->file : frame->module;
    xs_place_of_site(&place, findings, f->site);
    g->place = xs_text_escaped(place.data + strlen("at ")); /* what is escaped already stays as it is */
    g->path = xs_strdup(path);
    g->is_source = frame && frame->file;
    g->entry_point = as_written(xs_site_name(findings, f->site));
    g->function = as_written(frame ? frame->function : NULL);
    g->file = as_written(frame && *path ? xs_base_name(path) : NULL);
    g->text = as_written(text);
    g->line = frame && frame->file ? frame->line : 0;
    xs_string_free(&place);
    free(text);
}

void xs_check_finding_is_exact(struct xs_check_finding *g) {
    g->range[XS_METRIC_COUNT] = (struct xs_check_range){g->instances, g->instances};
    g->range[XS_METRIC_BYTES] = (struct xs_check_range){g->bytes, g->bytes};
    g->range[XS_METRIC_NS] = (struct xs_check_range){g->saves_ns, g->saves_ns};
}

static uint64_t in_proportion(uint64_t value, double times) {
    double product = (double)value * times;
    return product < 9e18 ? (uint64_t)product : INT64_MAX;
}

/* What is saved at copies that were left out goes with how many of them are instances. */
static void set_ranges(struct xs_check_finding *g, const struct xs_diagnosed *d) {
    const struct xs_finding *f = d->finding;
    const struct xs_sample *s = &f->sample;
    double found = (double)f->instances, at = xs_sample_is_few(s) ? s->high : s->estimate;
    uint64_t low = xs_finding_low(f), high = xs_finding_high(f), scaled = d->saves.scaled_most_ns;
    xs_check_finding_is_exact(g);
    if (low == high || !f->instances)
        return;
    g->range[XS_METRIC_COUNT] = (struct xs_check_range){low, high};
    g->range[XS_METRIC_BYTES] = (struct xs_check_range){in_proportion(f->bytes, (double)low / found),
                                                        in_proportion(f->bytes, (double)high / found)};
    if (!scaled || at <= found)
        return;
    uint64_t exact = g->saves_ns > scaled ? g->saves_ns - scaled : 0;
    uint64_t least = exact + in_proportion(scaled, ((double)low - found) / (at - found));
    uint64_t most = exact + in_proportion(scaled, ((double)high - found) / (at - found));
    g->range[XS_METRIC_NS].low = least < g->saves_ns ? least : g->saves_ns;
    g->range[XS_METRIC_NS].high = most > g->saves_ns && !xs_sample_is_few(s) ? most : g->saves_ns;
}

void xs_check_findings_of(const struct xs_reading *reading, struct xs_check_findings *findings) {
    *findings = (struct xs_check_findings){0};
    for (size_t i = 0; i < reading->diagnosis->count; i++) {
        const struct xs_diagnosed *d = &reading->diagnosis->items[i];
        const struct xs_finding *f = d->finding;
        struct xs_check_finding *g = xs_check_findings_add(findings);
        struct xs_string kind = {0}, name = {0};
        xs_finding_kind(&kind, f->detector, f->verdict);
        xs_finding_name(&name, reading->diagnosis, i);
        g->kind = kind.data;
        g->name = name.data;
        g->detector = f->detector;
        g->remedy = xs_remedy_of(reading->diagnosis->findings, f);
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
}

void xs_check_findings_free(struct xs_check_findings *findings) {
    for (size_t i = 0; i < findings->count; i++) {
        struct xs_check_finding *g = &findings->items[i];
        char *const texts[] = {g->kind, g->entry_point, g->function, g->file,    g->text,
                               g->name, g->place,       g->path,     g->checked, g->amount};
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
            free(texts[k]);
    }
    free(findings->items);
    *findings = (struct xs_check_findings){0};
}

/* --- matching --- */

enum { WITH_TEXT = 1, WITH_LINE = 2 };

struct keyed {
    char *key;
    uint32_t line;
    size_t index;
};

static int by_key(const void *a, const void *b) {
    const struct keyed *left = a, *right = b;
    int order = strcmp(left->key, right->key);
    if (!order)
        order = (left->line > right->line) - (left->line < right->line);
    return order ? order : (left->index > right->index) - (left->index < right->index);
}

/* Of verdicts that join, which there are may differ from run to run: the id alone is the key. */
static int kind_bytes(const char *kind) {
    size_t id = strcspn(kind, "/");
    for (size_t i = 0; i < xs_detector_count; i++)
        if (xs_detectors[i]->verdicts_join && strlen(xs_detectors[i]->id) == id &&
            !strncmp(xs_detectors[i]->id, kind, id))
            return (int)id;
    return (int)strlen(kind);
}

static char *key_of(const struct xs_check_finding *g, unsigned with) {
    struct xs_string key = {0};
    xs_string_format(&key, "%.*s\n%s\n%s\n%s", kind_bytes(g->kind), g->kind, g->entry_point, g->function, g->file);
    if (with & WITH_TEXT)
        xs_string_format(&key, "\n%s", g->text);
    if (with & WITH_LINE)
        xs_string_format(&key, "\n%" PRIu32, g->line);
    return key.data;
}

/* Those that are not taken and have what the key needs, sorted. */
static struct keyed *keyed(const struct xs_check_findings *findings, const bool *taken, unsigned with, size_t *count) {
    struct keyed *list = xs_realloc(NULL, sizeof *list * findings->count);
    *count = 0;
    for (size_t i = 0; i < findings->count; i++) {
        const struct xs_check_finding *g = &findings->items[i];
        if (!taken[i] && (!(with & WITH_TEXT) || *g->text) && (!(with & WITH_LINE) || g->line))
            list[(*count)++] = (struct keyed){.key = key_of(g, with), .line = g->line, .index = i};
    }
    qsort(list, *count, sizeof *list, by_key);
    return list;
}

static void drop(struct keyed *list, size_t count) {
    for (size_t i = 0; i < count; i++)
        free(list[i].key);
    free(list);
}

void xs_check_match(const struct xs_check_findings *now, const struct xs_check_findings *before, long *before_of) {
    static const unsigned passes[] = {WITH_TEXT | WITH_LINE, WITH_TEXT, WITH_LINE, 0};
    bool *taken_now = xs_realloc(NULL, now->count), *taken_before = xs_realloc(NULL, before->count);
    memset(taken_now, 0, now->count);
    memset(taken_before, 0, before->count);
    for (size_t i = 0; i < now->count; i++)
        before_of[i] = -1;
    for (size_t pass = 0; pass < sizeof passes / sizeof *passes; pass++) {
        size_t left, right, i = 0, k = 0;
        struct keyed *a = keyed(now, taken_now, passes[pass], &left);
        struct keyed *b = keyed(before, taken_before, passes[pass], &right);
        while (i < left && k < right) {
            int order = strcmp(a[i].key, b[k].key);
            if (!order) {
                before_of[a[i].index] = (long)b[k].index;
                taken_now[a[i].index] = taken_before[b[k].index] = true;
            }
            i += order <= 0;
            k += order >= 0;
        }
        drop(a, left);
        drop(b, right);
    }
    free(taken_now);
    free(taken_before);
}

uint64_t xs_check_finding_hash(const struct xs_check_finding *finding) {
    char *key = key_of(finding, WITH_TEXT);
    uint64_t hash = xs_hash_of_text(key, strlen(key));
    free(key);
    return hash;
}
