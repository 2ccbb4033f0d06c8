/* Reads a side of a diff, and keeps the necessary data of each run; see diff.h. Traces are read one after the other, so
 * the command needs only the memory for the largest trace. */
#include <stdlib.h>
#include <sys/stat.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/progress.h"
#include "analyzer/base/text.h"
#include "analyzer/commands/common/command.h"
#include "analyzer/commands/common/reading.h"
#include "analyzer/commands/diff/diff_internal.h"
#include "analyzer/findings/engine/detector.h"
#include "analyzer/trace/scan.h"
#include "analyzer/words/findings_words.h"
#include "analyzer/words/modelled_words.h"
#include "analyzer/words/recorded_parts_words.h"

static const char *keep(struct xs_side *side, const char *text) {
    return xs_texts_keep(&side->texts, text ? text : "");
}

/* --- the run --- */

static const char *devices_of(struct xs_side *side, const struct xs_summary *summary) {
    XS_SCOPED_STRING names = {0};
    for (size_t i = 0; i < summary->device_count && names.length < 400; i++)
        xs_string_format(&names, "%s%s", i ? ", " : "", summary->devices[i].name);
    return keep(side, names.data);
}

static void note_what_runs_have(struct xs_side *side, const struct xs_side_run *run, const struct xs_reading *reading) {
    bool has_call_sites = reading->diagnosis->findings->sites->placed_count > 0;
    side->simulated |= run->simulated;
    side->in_part |= *run->looked_at != '\0';
    side->has_call_sites |= has_call_sites;
    side->lacks_call_sites |= run->transfers && !has_call_sites;
    side->lacks_contents |= !reading->contents.taken && reading->contents.eligible;
    side->lacks_device_times |= !reading->summary.all.timed_count && reading->summary.all.count;
}

/* Keeps a text that was written for the run, and empties it. */
static const char *take(struct xs_side *side, struct xs_string *text) {
    const char *kept = keep(side, text->length ? text->data : "");
    text->length = 0;
    return kept;
}

/* A detector has one number for each reason. They are added for the run, but not to those of the other runs, because
 * the number is compared with what one run has. */
static void note_undecided(struct xs_side *side, const struct xs_findings *findings) {
    XS_SCOPED uint64_t *counts = xs_zeroed(xs_detector_count, sizeof *counts);
    for (size_t i = 0; i < findings->undecided_count; i++) {
        uint64_t *count = &counts[findings->undecided[i].detector];
        *count = xs_sum(*count, findings->undecided[i].count);
    }
    for (unsigned d = 0; d < xs_detector_count; d++)
        if (counts[d] > side->undecided[d])
            side->undecided[d] = counts[d];
}

static void add_run(struct xs_side *side, const struct xs_reading *reading) {
    const struct xs_run *run = &reading->summary.run;
    const struct xs_diagnosis *diagnosis = reading->diagnosis;
    struct stat st = {0};
    if (stat(reading->path, &st) != 0)
        st = (struct stat){0};
    side->runs[side->run_count] =
        (struct xs_side_run){.path = keep(side, reading->path),
                             .command = keep(side, run->command),
                             .executable = keep(side, run->executable),
                             .host = keep(side, run->host),
                             .devices = devices_of(side, &reading->summary),
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
                             .is_ledger = reading->summary.looked_at.is_ledger,
                             .metrics = reading->metrics,
                             .own = {xs_own_ns(&reading->summary), xs_bare_is_known(&reading->summary)},
                             .together_least = {diagnosis->together.least_ns, true},
                             .together_most = {diagnosis->together.most_ns, true}};
    XS_SCOPED_STRING said = {0};
    struct xs_side_run *added = &side->runs[side->run_count];
    xs_modelled_say(&said, &reading->summary, XS_MODELLED_CLAUSE);
    added->windows = take(side, &said);
    xs_looked_at_say_briefly(&reading->summary, &said);
    added->looked_at = take(side, &said);
    xs_repaired_say(&said, &reading->summary.repaired);
    added->repaired = take(side, &said);
    xs_say_bounds(&said, diagnosis);
    added->bounds = take(side, &said);
    note_what_runs_have(side, added, reading);
    if (!side->run_count)
        side->cwd = keep(side, run->cwd);
    note_undecided(side, diagnosis->findings);
}

/* --- its call sites --- */

static struct xs_frame kept_frame(struct xs_side *side, const struct xs_frame *frame) {
    struct xs_frame kept = *frame;
    kept.function = frame->function ? keep(side, frame->function) : NULL;
    kept.file = frame->file ? keep(side, frame->file) : NULL;
    kept.module = frame->module ? keep(side, frame->module) : NULL;
    kept.through = NULL;
    return kept;
}

/* A run without transfers at a place has the known value 0 there. */
void xs_amounts_begin(struct xs_amounts *amounts, size_t limit) {
    for (size_t r = 0; r < limit; r++) {
        for (int m = 0; m < XS_MEASURES; m++)
            amounts[r].of[m] = (struct xs_metric_value){.known = true};
        amounts[r].least = amounts[r].most = amounts[r].at_least = (struct xs_metric_value){.known = true};
    }
}

static uint32_t add_place(struct xs_side *side, const struct xs_findings *findings, const struct xs_match_sites *here,
                          size_t index) {
    if (side->place_count == side->place_capacity) {
        xs_grow(&side->places, side->place_count, &side->place_capacity, sizeof *side->places);
        side->at = xs_realloc(side->at, side->place_capacity * side->run_limit * sizeof *side->at);
    }
    const struct xs_frame *frame = xs_site_frame(findings, here->sites[index]);
    struct xs_side_place *place = &side->places[side->place_count];
    *place = (struct xs_side_place){.match = here->places[index], .has_frame = frame != NULL};
    if (frame)
        place->frame = kept_frame(side, frame);
    place->has_helper = frame && frame->through;
    if (place->has_helper)
        place->helper = kept_frame(side, frame->through);
    xs_amounts_begin(side->at + side->place_count * side->run_limit, side->run_limit);
    return (uint32_t)side->place_count++;
}

/* Joins the run's sites with the side's places. The runs of a side are of one program, mostly of one build; but
 * different lines may have been reached in them. Sets `here`, by site number, to the side's places. */
static void join_sites(struct xs_side *side, const struct xs_findings *findings, struct xs_match_sites *here) {
    struct xs_match match;
    XS_SCOPED struct xs_match_place *known = xs_side_match_places(side);
    xs_match_places(known, side->place_count, here->places, here->count, &match);
    for (size_t i = 0; i < here->count; i++) {
        uint32_t joined = match.before_of[i] != XS_UNMATCHED ? match.before_of[i] : add_place(side, findings, here, i);
        here->place_of[here->sites[i]] = joined;
        if (!side->places[joined].match.text)
            side->places[joined].match.text = here->places[i].text;
    }
    xs_match_free(&match);
}

static void add_sites(struct xs_side *side, const struct xs_diagnosis *diagnosis, const struct xs_match_sites *here) {
    static const struct xs_site_total nothing;
    const struct xs_site_totals *totals = &diagnosis->findings->at_sites;
    for (size_t i = 0; i < here->site_limit; i++) {
        const struct xs_site_total *total = i < totals->count ? &totals->of[i] : &nothing;
        if (here->place_of[i] == XS_UNMATCHED)
            continue;
        struct xs_amounts *at = &side->at[here->place_of[i] * side->run_limit + side->run_count];
        bool none = !total->transfers;
        at->of[XS_MEASURE_COUNT].value = total->transfers;
        at->of[XS_MEASURE_BYTES].value = total->bytes;
        at->of[XS_MEASURE_DEVICE_NS] = (struct xs_metric_value){total->device_ns, none || total->timed};
        at->of[XS_MEASURE_EXPOSED_NS] = (struct xs_metric_value){total->exposed_ns, none || total->exposed};
        at->of[XS_MEASURE_HOST_NS].value = total->host_ns;
        at->of[XS_MEASURE_SAVES_NS].value = xs_saves_at(diagnosis, (uint32_t)i);
    }
}

/* --- its findings --- */

static uint32_t place_of_finding(struct xs_side *side, const struct xs_diagnosis *diagnosis, size_t index,
                                 uint32_t place) {
    const struct xs_diagnosed *d = &diagnosis->items[index];
    const struct xs_finding *f = d->finding;
    uint64_t *found = xs_hash_put(&side->finding_by_key, xs_match_kind(f->detector, f->verdict), (uint64_t)place + 1);
    if (*found) {
        unsigned *verdict = &side->findings[*found - 1].verdict;
        *verdict = *verdict == f->verdict ? f->verdict : XS_SEVERAL_VERDICTS;
        return (uint32_t)*found - 1;
    }
    if (side->finding_count == side->finding_capacity) {
        xs_grow(&side->findings, side->finding_count, &side->finding_capacity, sizeof *side->findings);
        side->of = xs_realloc(side->of, side->finding_capacity * side->run_limit * sizeof *side->of);
    }
    XS_SCOPED_STRING name = {0};
    xs_finding_name(&name, diagnosis, index);
    side->findings[side->finding_count] = (struct xs_side_finding){.detector = f->detector,
                                                                   .verdict = f->verdict,
                                                                   .place = place,
                                                                   .advice = f->advice,
                                                                   .is_interval = xs_finding_at_most(d),
                                                                   .name = keep(side, name.data)};
    xs_amounts_begin(side->of + side->finding_count * side->run_limit, side->run_limit);
    *found = ++side->finding_count;
    return (uint32_t)*found - 1;
}

/* Adds a value to a sum. The sum is known only if all its values are. */
static void add_to(struct xs_metric_value *sum, uint64_t value, bool known) {
    sum->value = xs_sum(sum->value, value);
    sum->known &= known;
}

static void add_findings(struct xs_side *side, const struct xs_diagnosis *diagnosis,
                         const struct xs_match_sites *here) {
    for (size_t i = 0; i < diagnosis->count; i++) {
        const struct xs_diagnosed *d = &diagnosis->items[i];
        const struct xs_finding *f = d->finding;
        uint32_t place = f->site < here->site_limit ? here->place_of[f->site] : XS_UNMATCHED;
        if (place == XS_UNMATCHED)
            continue;
        uint32_t number = place_of_finding(side, diagnosis, i, place);
        struct xs_amounts *of = &side->of[number * side->run_limit + side->run_count];
        const struct xs_amount amount = xs_finding_in_all(f);
        side->findings[number].about |= amount.about;
        add_to(&of->of[XS_MEASURE_COUNT], amount.instances, true);
        add_to(&of->of[XS_MEASURE_BYTES], amount.bytes, true);
        add_to(&of->of[XS_MEASURE_DEVICE_NS], xs_amount_ns(&amount, f->cost.device_ns), f->timed_instances > 0);
        add_to(&of->of[XS_MEASURE_EXPOSED_NS], xs_amount_ns(&amount, f->cost.exposed_ns), f->exposed_instances > 0);
        add_to(&of->of[XS_MEASURE_HOST_NS], xs_amount_ns(&amount, f->cost.host_ns), true);
        add_to(&of->of[XS_MEASURE_SAVES_NS], d->saves.most_ns, true);
        add_to(&of->at_least, d->saves.least_ns, true);
        if (i >= diagnosis->cause_count) /* finding k is the first one of cause k */
            continue;
        add_to(&of->least, d->saves.least_ns, true);
        add_to(&of->most, d->saves.most_ns, true);
    }
}

void xs_side_add(struct xs_side *side, size_t runs, const struct xs_reading *reading) {
    struct xs_match_sites here;
    if (!side->runs) {
        side->run_limit = runs < XS_RUNS_LIMIT ? runs : XS_RUNS_LIMIT;
        side->runs = xs_realloc(NULL, side->run_limit * sizeof *side->runs);
        side->undecided = xs_zeroed(xs_detector_count, sizeof *side->undecided);
    }
    if (side->run_count == side->run_limit)
        return;
    add_run(side, reading);
    xs_match_sites_of(reading->diagnosis, &side->texts, &here);
    join_sites(side, reading->diagnosis->findings, &here);
    add_sites(side, reading->diagnosis, &here);
    add_findings(side, reading->diagnosis, &here);
    side->run_count++;
    xs_match_sites_free(&here);
}

int xs_side_read(struct xs_side *side, int number, char *const *paths, size_t count) {
    for (size_t i = 0; i < count; i++) {
        XS_SCOPED struct xs_reading *reading = xs_realloc(NULL, sizeof *reading);
        xs_progress_range(0.5 * number, 0.5 * (number + 1), i, count);
        int status = xs_reading_open(paths[i], NULL, reading);
        if (status == XS_EXIT_OK) {
            xs_side_add(side, count, reading);
            xs_reading_close(reading);
        }
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
