/* Finds out which findings of two runs are the same; see same_finding.h. */
#include "analyzer/commands/common/same_finding.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/numbers.h"
#include "analyzer/base/search.h"
#include "analyzer/base/text.h"
#include "analyzer/findings/engine/detector.h"
#include "analyzer/savings/causes/diagnosis.h"
#include "analyzer/trace/site.h"
#include "analyzer/words/place.h"

enum {
    TEXTS_LIMIT = 4096, /* largest number of source lines that are read */
    TEXT_BYTES = 4095,  /* bytes of a text that xs_texts_keep keeps */
};

/* --- call sites --- */

/* Keeps a text. Bytes that are not valid UTF-8 become U+FFFD, as in the JSON writer. */
static const char *keep(struct xs_texts *texts, const char *text) {
    XS_SCOPED_STRING clean = {0};
    size_t bytes = text ? strnlen(text, TEXT_BYTES) : 0;
    for (size_t i = 0; i < bytes;) {
        uint32_t code;
        size_t length = xs_utf8_decode(text + i, bytes - i, &code), written = length ? length : 3;
        if (clean.length + written > TEXT_BYTES)
            break;
        xs_string_add(&clean, length ? text + i : "\xef\xbf\xbd", written);
        i += length ? length : 1;
    }
    return clean.length ? xs_texts_keep(texts, clean.data) : NULL;
}

static struct xs_match_place describe(const struct xs_findings *findings, uint32_t site, bool with_text,
                                      struct xs_texts *texts) {
    const struct xs_entry_point *entry = xs_site_entry(findings->sites, site);
    const struct xs_frame *frame = xs_site_frame(findings, site);
    const char *name = keep(texts, entry->name);
    struct xs_match_place place = {.entry_point = name ? name : "", .category = entry->category};
    if (!frame)
        return place;
    XS_SCOPED char *text = with_text ? xs_place_source(findings->sites, frame) : NULL;
    const char *owner = frame->file ? frame->file : frame->module;
    place.is_address = !frame->line && !frame->file;
    uint64_t line = place.is_address ? frame->address : frame->line;
    place.line = line <= INT64_MAX ? line : 0; /* the largest number that the JSON can have */
    place.function = keep(texts, frame->function);
    place.file = owner ? keep(texts, xs_base_name(owner)) : NULL;
    place.text = keep(texts, text);
    return place;
}

static void note_site(const struct xs_findings *findings, uint32_t site, struct xs_texts *texts,
                      struct xs_match_sites *to) {
    if (site >= to->site_limit || to->place_of[site] != XS_UNMATCHED)
        return;
    if (to->count == to->capacity) {
        to->capacity = to->capacity ? to->capacity * 2 : 64;
        to->places = xs_realloc(to->places, to->capacity * sizeof *to->places);
        to->sites = xs_realloc(to->sites, to->capacity * sizeof *to->sites);
    }
    to->places[to->count] = describe(findings, site, to->count < TEXTS_LIMIT, texts);
    to->sites[to->count] = site;
    to->place_of[site] = (uint32_t)to->count++;
}

/* Lists the call sites of a run. Sites with findings or transfers come first, because only TEXTS_LIMIT texts are read.
 */
void xs_match_sites_of(const struct xs_diagnosis *diagnosis, struct xs_texts *texts, struct xs_match_sites *to) {
    const struct xs_findings *findings = diagnosis->findings;
    const struct xs_sites *sites = findings->sites;
    *to = (struct xs_match_sites){.site_limit = (size_t)sites->count + sites->placed_count};
    to->place_of = xs_realloc(NULL, to->site_limit * sizeof *to->place_of);
    memset(to->place_of, 0xff, to->site_limit * sizeof *to->place_of);
    for (size_t i = 0; i < diagnosis->count; i++)
        note_site(findings, diagnosis->items[i].finding->site, texts, to);
    for (size_t i = 0; i < findings->at_sites.count; i++)
        if (findings->at_sites.of[i].transfers)
            note_site(findings, (uint32_t)i, texts, to);
    for (uint32_t i = 0; i < sites->placed_count; i++)
        note_site(findings, sites->count + i, texts, to);
}

void xs_match_sites_free(struct xs_match_sites *sites) {
    free(sites->places);
    free(sites->sites);
    free(sites->place_of);
    *sites = (struct xs_match_sites){0};
}

/* --- findings --- */

uint64_t xs_match_kind(unsigned detector, unsigned verdict) {
    return (uint64_t)detector << 32 |
           (detector < xs_detector_count ? xs_finding_compared_verdict(detector, verdict) : verdict);
}

struct xs_match_finding *xs_match_findings_of(const struct xs_diagnosis *diagnosis,
                                              const struct xs_match_sites *sites) {
    struct xs_match_finding *list = xs_realloc(NULL, diagnosis->count * sizeof *list);
    for (size_t i = 0; i < diagnosis->count; i++) {
        const struct xs_finding *f = diagnosis->items[i].finding;
        list[i] = (struct xs_match_finding){sites->place_of[f->site], f->detector, f->verdict};
    }
    return list;
}

struct keyed {
    uint64_t kind;
    uint32_t place; /* the place in the run AFTER */
    uint32_t index;
};

static int compare_keys(const struct keyed *x, const struct keyed *y) {
    return xs_compare(x->place, y->place) ?: xs_compare_uint64(x->kind, y->kind);
}

static int by_key(const void *a, const void *b) {
    const struct keyed *x = a, *y = b;
    return compare_keys(x, y) ?: xs_compare(x->index, y->index);
}

/* Lists the findings that have a place in the run AFTER and are not matched yet. `place_of` maps places to those of the
 * run AFTER; NULL: the places are those of the run AFTER. */
static size_t list_keys(struct keyed *list, const struct xs_match_finding *findings, size_t count,
                        const uint32_t *place_of, const uint32_t *matched, bool any_verdict) {
    size_t listed = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct xs_match_finding *f = &findings[i];
        uint32_t place = place_of ? place_of[f->place] : f->place;
        if (place != XS_UNMATCHED && matched[i] == XS_UNMATCHED)
            list[listed++] =
                (struct keyed){any_verdict ? f->detector : xs_match_kind(f->detector, f->verdict), place, i};
    }
    xs_sort(list, listed, sizeof *list, by_key);
    return listed;
}

void xs_match_findings(const struct xs_match *places, const struct xs_match_finding *before, size_t before_count,
                       const struct xs_match_finding *after, size_t after_count, bool any_verdict, uint32_t *after_of,
                       uint32_t *before_of) {
    struct keyed *was = xs_realloc(NULL, before_count * sizeof *was), *is = xs_realloc(NULL, after_count * sizeof *is);
    memset(after_of, 0xff, before_count * sizeof *after_of);
    memset(before_of, 0xff, after_count * sizeof *before_of);
    for (int pass = 0, last = any_verdict ? 1 : 0; pass <= last; pass++) {
        size_t n = list_keys(was, before, before_count, places->after_of, after_of, pass == 1);
        size_t m = list_keys(is, after, after_count, NULL, before_of, pass == 1);
        for (size_t i = 0, k = 0; i < n && k < m;) {
            int order = compare_keys(&was[i], &is[k]);
            if (!order) {
                after_of[was[i].index] = is[k].index;
                before_of[is[k].index] = was[i].index;
            }
            i += order <= 0;
            k += order >= 0;
        }
    }
    free(was);
    free(is);
}
