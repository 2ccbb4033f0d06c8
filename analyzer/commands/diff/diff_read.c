/* Reading a side of a diff: what is kept of each of its runs; see diff.h. Traces are read one after the other, so
 * the command needs no more memory than for the largest trace. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/commands/common/command.h"
#include "analyzer/commands/common/reading.h"
#include "analyzer/commands/diff/diff.h"
#include "analyzer/findings/engine/detector.h"
#include "analyzer/trace/scan.h"
#include "analyzer/trace/site.h"
#include "analyzer/words/findings_words.h"
#include "analyzer/words/left_out.h"
#include "analyzer/words/modelled_words.h"
#include "analyzer/words/place.h"

enum { TEXTS_LIMIT = 4096 }; /* lines of source that are looked up; each opens a file */

static const char *keep(struct xs_side *side, const char *text) {
    return xs_texts_keep(&side->texts, text ? text : "");
}

static void *grown(void *items, size_t *capacity, size_t count, size_t bytes) {
    if (count < *capacity)
        return items;
    size_t more = *capacity ? *capacity * 2 : 64;
    items = xs_realloc(items, more * bytes);
    *capacity = more;
    return items;
}

/* --- the run --- */

static const char *devices_of(struct xs_side *side, const struct xs_summary *summary) {
    struct xs_string names = {0};
    for (size_t i = 0; i < summary->device_count && names.length < 400; i++)
        xs_string_format(&names, "%s%s", i ? ", " : "", summary->devices[i].name);
    const char *kept = keep(side, names.data);
    xs_string_free(&names);
    return kept;
}

static bool any_content(const struct xs_content_coverage *contents) {
    return contents->taken > 0 || !contents->eligible;
}

static void add_run(struct xs_side *side, const struct xs_reading *reading) {
    const struct xs_run *run = &reading->summary.run;
    const struct xs_findings *findings = reading->findings;
    struct stat st = {0};
    if (stat(reading->path, &st) != 0)
        st = (struct stat){0};
    side->runs[side->run_count] =
        (struct xs_side_run){.path = keep(side, reading->path),
                             .command = keep(side, run->command),
                             .executable = keep(side, run->executable),
                             .host = keep(side, run->host),
                             .devices = devices_of(side, &reading->summary),
                             .cupti = keep(side, run->cupti_status),
                             .fingerprint_mode = keep(side, reading->contents.mode),
                             .xferspy_version = keep(side, run->xferspy_version),
                             .status = keep(side, run->status),
                             .start_unix_ns = run->start_unix_ns,
                             .pid = run->pid,
                             .driver_version = run->driver_version,
                             .rank = run->rank,
                             .world_size = run->world_size,
                             .file_device = st.st_dev,
                             .file_number = st.st_ino,
                             .transfers = reading->summary.all.count,
                             .timed = reading->summary.coverage.matched + reading->summary.coverage.modelled,
                             .without_time = reading->summary.coverage.without_record,
                             .simulated = run->simulated,
                             .duration_known = !run->duration_estimated,
                             .recorded = reading->summary.recorded,
                             .live = reading->trace.is_live,
                             .has_call_sites = findings->sites->placed_count > 0,
                             .has_contents = any_content(&reading->contents),
                             .has_device_times = reading->summary.all.timed_count || !reading->summary.all.count,
                             .metrics = reading->metrics,
                             .own = {xs_own_ns(&reading->summary), xs_bare_is_known(&reading->summary)},
                             .together_least = {findings->together.least_ns, true},
                             .together_most = {findings->together.most_ns, true}};
    struct xs_string said = {0};
    struct xs_side_run *added = &side->runs[side->run_count];
    xs_modelled_say(&said, &reading->summary);
    added->windows = said.length ? keep(side, said.data) : "";
    said.length = 0;
    xs_looked_at_say_briefly(&reading->summary, &said);
    added->looked_at = said.length ? keep(side, said.data) : "";
    said.length = 0;
    xs_repaired_say(&said, &reading->summary.repaired);
    added->repaired = said.length ? keep(side, said.data) : "";
    said.length = 0;
    xs_say_bounds(&said, findings);
    added->bounds = said.length ? keep(side, said.data) : "";
    xs_string_free(&said);
    if (!side->run_count)
        side->cwd = keep(side, run->cwd);
    for (size_t i = 0; i < findings->undecided_count; i++) {
        uint64_t *most = &side->undecided[findings->undecided[i].detector];
        *most = xs_sum(*most, findings->undecided[i].count);
    }
}

/* --- its call sites --- */

/* The sites of the present run: their numbers, and their places on the side. */
struct here {
    struct xs_side_place *places;
    uint32_t *sites, *place_of; /* by site number; XS_UNMATCHED: of no interest */
    size_t count, capacity, site_limit;
};

static struct xs_frame kept_frame(struct xs_side *side, const struct xs_frame *frame) {
    struct xs_frame kept = *frame;
    kept.function = frame->function ? keep(side, frame->function) : NULL;
    kept.file = frame->file ? keep(side, frame->file) : NULL;
    kept.module = frame->module ? keep(side, frame->module) : NULL;
    kept.through = NULL;
    return kept;
}

static void describe(struct xs_side *side, const struct xs_findings *findings, uint32_t site, bool with_text,
                     struct xs_side_place *place) {
    const struct xs_entry_point *entry = xs_site_entry(findings->sites, site);
    const struct xs_frame *frame = xs_site_frame(findings, site);
    *place = (struct xs_side_place){.match = {.entry_point = keep(side, entry->name), .category = entry->category}};
    if (!frame)
        return;
    char *text = with_text ? xs_place_source(findings->sites, frame) : NULL;
    const char *owner = frame->file ? frame->file : frame->module;
    place->has_frame = true;
    place->frame = kept_frame(side, frame);
    place->has_helper = frame->through != NULL;
    if (frame->through)
        place->helper = kept_frame(side, frame->through);
    place->match.function = place->frame.function;
    place->match.file = owner ? keep(side, xs_base_name(owner)) : NULL;
    place->match.line = frame->line || frame->file ? frame->line : frame->address;
    place->match.text = text ? keep(side, text) : NULL;
    free(text);
}

static void note_site(struct xs_side *side, const struct xs_findings *findings, uint32_t site, struct here *here) {
    if (site >= here->site_limit || here->place_of[site] != XS_UNMATCHED)
        return;
    size_t capacity = here->capacity;
    here->places = grown(here->places, &here->capacity, here->count, sizeof *here->places);
    here->sites = grown(here->sites, &capacity, here->count, sizeof *here->sites);
    describe(side, findings, site, here->count < TEXTS_LIMIT, &here->places[here->count]);
    here->sites[here->count] = site;
    here->place_of[site] = (uint32_t)here->count++;
}

/* Collects the sites: first those with transfers or findings, for their texts; then all lines that call the driver,
 * which show how code moved. */
static void collect_sites(struct xs_side *side, const struct xs_findings *findings, struct here *here) {
    const struct xs_sites *sites = findings->sites;
    *here = (struct here){.site_limit = (size_t)sites->count + sites->placed_count};
    here->place_of = xs_realloc(NULL, here->site_limit * sizeof *here->place_of);
    memset(here->place_of, 0xff, here->site_limit * sizeof *here->place_of);
    for (size_t i = 0; i < findings->count; i++)
        note_site(side, findings, findings->items[i].site, here);
    for (size_t i = 0; i < findings->at_sites.count; i++)
        if (findings->at_sites.of[i].transfers || findings->at_sites.of[i].gives_back_ns)
            note_site(side, findings, (uint32_t)i, here);
    for (uint32_t i = 0; i < sites->placed_count; i++)
        note_site(side, findings, sites->count + i, here);
}

static struct xs_amounts *new_amounts(struct xs_amounts *all, size_t index, size_t limit) {
    struct xs_amounts *row = all + index * limit;
    for (size_t r = 0; r < limit; r++) {
        for (int m = 0; m < XS_MEASURES; m++)
            row[r].of[m] = (struct xs_metric_value){.known = true}; /* without any, nothing took time */
        row[r].least = row[r].most = row[r].at_least = (struct xs_metric_value){.known = true};
    }
    return row;
}

static uint32_t add_place(struct xs_side *side, const struct xs_side_place *place) {
    if (side->place_count == side->place_capacity) {
        side->places = grown(side->places, &side->place_capacity, side->place_count, sizeof *side->places);
        side->at = xs_realloc(side->at, side->place_capacity * side->run_limit * sizeof *side->at);
    }
    side->places[side->place_count] = *place;
    new_amounts(side->at, side->place_count, side->run_limit);
    return (uint32_t)side->place_count++;
}

static struct xs_match_place *match_places(const struct xs_side_place *places, size_t count) {
    struct xs_match_place *list = xs_realloc(NULL, count * sizeof *list);
    for (size_t i = 0; i < count; i++)
        list[i] = places[i].match;
    return list;
}

/* Joins the run's sites with the side's places. The runs of a side are of one program, mostly of one build; they
 * differ in which lines were reached. */
static void join_sites(struct xs_side *side, struct here *here) {
    struct xs_match match;
    struct xs_match_place *known = match_places(side->places, side->place_count);
    struct xs_match_place *new = match_places(here->places, here->count);
    xs_match_places(known, side->place_count, new, here->count, &match);
    uint32_t *joined = xs_realloc(NULL, here->count * sizeof *joined);
    for (size_t i = 0; i < here->count; i++) {
        joined[i] = match.before_of[i] != XS_UNMATCHED ? match.before_of[i] : add_place(side, &here->places[i]);
        here->place_of[here->sites[i]] = joined[i];
        if (!side->places[joined[i]].match.text)
            side->places[joined[i]].match.text = here->places[i].match.text;
    }
    free(joined);
    free(known);
    free(new);
    xs_match_free(&match);
}

static void add_sites(struct xs_side *side, const struct xs_findings *findings, const struct here *here) {
    for (size_t i = 0; i < findings->at_sites.count && i < here->site_limit; i++) {
        const struct xs_site_total *total = &findings->at_sites.of[i];
        if (here->place_of[i] == XS_UNMATCHED)
            continue;
        struct xs_amounts *at = &side->at[here->place_of[i] * side->run_limit + side->run_count];
        bool none = !total->transfers;
        at->of[XS_MEASURE_COUNT].value = total->transfers;
        at->of[XS_MEASURE_BYTES].value = total->bytes;
        at->of[XS_MEASURE_DEVICE_NS] = (struct xs_metric_value){total->device_ns, none || total->timed};
        at->of[XS_MEASURE_EXPOSED_NS] = (struct xs_metric_value){total->exposed_ns, none || total->exposed};
        at->of[XS_MEASURE_HOST_NS].value = total->host_ns;
        at->of[XS_MEASURE_GIVES_BACK_NS].value = total->gives_back_ns;
    }
}

/* --- its findings --- */

static uint32_t place_of_finding(struct xs_side *side, const struct xs_findings *findings, size_t index,
                                 uint32_t place) {
    const struct xs_finding *f = &findings->items[index];
    uint64_t *found = xs_hash_put(&side->finding_by_key, xs_side_key(f->detector, f->verdict), (uint64_t)place + 1);
    if (*found) {
        unsigned *verdict = &side->findings[*found - 1].verdict;
        *verdict = *verdict == f->verdict ? f->verdict : XS_SEVERAL_VERDICTS;
        return (uint32_t)*found - 1;
    }
    if (side->finding_count == side->finding_capacity) {
        side->findings = grown(side->findings, &side->finding_capacity, side->finding_count, sizeof *side->findings);
        side->of = xs_realloc(side->of, side->finding_capacity * side->run_limit * sizeof *side->of);
    }
    struct xs_string name = {0};
    xs_finding_name(&name, findings, index);
    side->findings[side->finding_count] = (struct xs_side_finding){.detector = f->detector,
                                                                   .verdict = f->verdict,
                                                                   .place = place,
                                                                   .advice = f->advice,
                                                                   .is_range = xs_finding_at_most(f),
                                                                   .name = keep(side, name.data)};
    xs_string_free(&name);
    new_amounts(side->of, side->finding_count, side->run_limit);
    *found = ++side->finding_count;
    return (uint32_t)*found - 1;
}

/* Adds to a sum. Two sites of this run may be one place of the side; their findings are then one. */
static void add_to(struct xs_metric_value *sum, uint64_t value, bool known) {
    sum->value = xs_sum(sum->value, value);
    sum->known &= known;
}

static void add_findings(struct xs_side *side, const struct xs_findings *findings, const struct here *here) {
    for (size_t i = 0; i < findings->count; i++) {
        const struct xs_finding *f = &findings->items[i];
        uint32_t place = f->site < here->site_limit ? here->place_of[f->site] : XS_UNMATCHED;
        if (place == XS_UNMATCHED)
            continue;
        uint32_t number = place_of_finding(side, findings, i, place);
        struct xs_amounts *of = &side->of[number * side->run_limit + side->run_count];
        const struct xs_amount amount = xs_finding_in_all(f);
        side->findings[number].about |= amount.about;
        add_to(&of->of[XS_MEASURE_COUNT], amount.instances, true);
        add_to(&of->of[XS_MEASURE_BYTES], amount.bytes, true);
        add_to(&of->of[XS_MEASURE_DEVICE_NS], xs_amount_ns(&amount, f->cost.device_ns), f->timed_instances > 0);
        add_to(&of->of[XS_MEASURE_EXPOSED_NS], xs_amount_ns(&amount, f->cost.exposed_ns), f->exposed_instances > 0);
        add_to(&of->of[XS_MEASURE_HOST_NS], xs_amount_ns(&amount, f->cost.host_ns), true);
        add_to(&of->of[XS_MEASURE_GIVES_BACK_NS], f->gives_back_ns, true);
        add_to(&of->at_least, f->saves.least_ns, true);
        if (i >= findings->cause_count) /* finding k is the first one of cause k */
            continue;
        add_to(&of->least, f->saves.least_ns, true);
        add_to(&of->most, f->saves.most_ns, true);
    }
}

void xs_side_add(struct xs_side *side, size_t runs, const struct xs_reading *reading) {
    struct here here;
    if (!side->runs) {
        side->run_limit = runs < XS_RUNS_LIMIT ? runs : XS_RUNS_LIMIT;
        side->runs = xs_realloc(NULL, side->run_limit * sizeof *side->runs);
        side->undecided = xs_realloc(NULL, xs_detector_count * sizeof *side->undecided);
        memset(side->undecided, 0, xs_detector_count * sizeof *side->undecided);
    }
    if (side->run_count == side->run_limit)
        return;
    add_run(side, reading);
    collect_sites(side, reading->findings, &here);
    join_sites(side, &here);
    add_sites(side, reading->findings, &here);
    add_findings(side, reading->findings, &here);
    side->run_count++;
    free(here.places);
    free(here.sites);
    free(here.place_of);
}

int xs_side_read(struct xs_side *side, char *const *paths, size_t count) {
    for (size_t i = 0; i < count; i++) {
        struct xs_reading *reading = xs_realloc(NULL, sizeof *reading);
        int status = xs_reading_open(paths[i], NULL, reading);
        if (status == XS_EXIT_OK) {
            xs_side_add(side, count, reading);
            xs_reading_close(reading);
        }
        free(reading);
        if (status != XS_EXIT_OK)
            return status;
    }
    return XS_EXIT_OK;
}

void xs_side_free(struct xs_side *side) {
    free(side->runs);
    free(side->places);
    free(side->at);
    free(side->findings);
    free(side->of);
    free(side->undecided);
    xs_hash_free(&side->finding_by_key);
    xs_texts_free(&side->texts);
    *side = (struct xs_side){0};
}
