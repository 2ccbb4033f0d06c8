/* Makes the tracks; see tracks.h. Host calls, device work and memory are read one after the other, each in order of
 * time. */
#include "analyzer/commands/export/tracks_internal.h"

#include <sqlite3.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/text.h"
#include "analyzer/words/findings_words.h"
#include "analyzer/words/place.h"

const struct xs_track *xs_tracks_add(struct xs_tracks *t, enum xs_track_kind kind, const struct xs_track *parent,
                                     int64_t number, const char *name, ...) {
    struct xs_string text = {0};
    va_list arguments;
    va_start(arguments, name);
    xs_string_vformat(&text, name, arguments);
    va_end(arguments);
    xs_grow(&t->tracks, t->track_count, &t->track_capacity, sizeof *t->tracks);
    struct xs_track *track = xs_realloc(NULL, sizeof *track);
    *track = (struct xs_track){.kind = kind,
                               .id = t->track_count + 1,
                               .parent = parent,
                               .name = text.data,
                               .number = number ? number : XS_NO_PROCESS + (int64_t)t->track_count};
    t->tracks[t->track_count++] = track;
    t->sink->track(t->sink->data, track);
    return track;
}

/* --- slices --- */

/* Returns "solver.py:42 in step", a text that is kept for each site; NULL: the line is not known. */
static const char *place_of(struct xs_tracks *t, uint32_t site) {
    const struct xs_findings *findings = t->e->reading->diagnosis->findings;
    const struct xs_frame *frame = xs_site_frame(findings, site);
    if (!frame)
        return NULL;
    uint64_t *kept = xs_hash_put(&t->places, site, 0);
    if (!*kept) {
        struct xs_string text = {0};
        xs_string_add(&text, "", 0);
        xs_place_text(&text, findings->sites, frame);
        *kept = (uint64_t)(uintptr_t)text.data;
    }
    return (const char *)(uintptr_t)*kept;
}

static void mark(struct xs_tracks *t, const struct xs_timeline_row *row, uint32_t site, struct xs_marked *marked) {
    enum { ROWS_ASKED = 4096 };
    int64_t id = row->evidence_row;
    if (row->evidence == XS_TIMELINE_NO_EVIDENCE || id <= 0)
        return;
    for (int64_t i = 0; i < row->evidence_rows && i < ROWS_ASKED && id <= INT64_MAX - i; i++)
        xs_marks_of(t->e->marks, (enum xs_evidence_table)row->evidence, id + i, site, marked);
}

static struct xs_cell *argument(struct xs_tracks *t, struct xs_slice *slice, const char *name, enum xs_cell_kind kind) {
    struct xs_cell *cell = &t->arguments[slice->argument_count++];
    *cell = (struct xs_cell){.name = name, .kind = kind};
    return cell;
}

static void name_findings(struct xs_tracks *t, const struct xs_marked *marked, const char *category,
                          struct xs_slice *slice) {
    const struct xs_diagnosis *diagnosis = t->e->reading->diagnosis;
    t->names.length = t->categories.length = 0;
    xs_string_add(&t->names, "", 0);
    xs_export_finding_names(&t->names, t->e, marked, " ");
    xs_string_format(&t->categories, "%s", category);
    for (unsigned i = 0; i < marked->count; i++) {
        const struct xs_finding *finding = diagnosis->items[marked->findings[i]].finding;
        xs_string_add(&t->categories, ",", 1);
        xs_finding_kind(&t->categories, finding->detector, finding->verdict);
    }
    slice->findings = t->names.data;
    slice->categories = t->categories.data;
}

static void add_arguments(struct xs_tracks *t, const struct xs_timeline_row *row, struct xs_slice *slice) {
    enum { OF_OURS = 3 };
    int columns = sqlite3_column_count(row->statement);
    int most = (int)(sizeof t->arguments / sizeof *t->arguments) - OF_OURS;
    for (int i = row->first_argument; i < columns && i - row->first_argument < most; i++) {
        struct xs_cell cell = xs_cell_of(row->statement, i);
        if (cell.kind == XS_CELL_REAL) { /* only a damaged trace has real numbers here; other traces have integers and
                                            texts */
            cell.kind = XS_CELL_TEXT;
            cell.text = (const char *)sqlite3_column_text(row->statement, i);
            cell.bytes = (size_t)sqlite3_column_bytes(row->statement, i);
        }
        if (cell.kind != XS_CELL_NULL)
            t->arguments[slice->argument_count++] = cell;
    }
}

void xs_tracks_slice(struct xs_tracks *t, const struct xs_timeline_row *row, struct xs_slice *slice) {
    struct xs_marked marked = {0};
    uint32_t site = xs_site_of(t->e->reading->diagnosis->findings->sites, row->entry_point, row->stack);
    *slice = (struct xs_slice){.name = row->name ? row->name : "unknown",
                               .start_ns = row->start_ns > 0 ? row->start_ns : 0,
                               .end_ns = row->end_ns > 0 ? row->end_ns : 0,
                               .flow = row->ran && row->correlation > 0 ? (uint64_t)row->correlation : 0,
                               .arguments = t->arguments};
    if (slice->end_ns < slice->start_ns)
        slice->end_ns = slice->start_ns;
    add_arguments(t, row, slice);
    const char *place = place_of(t, site);
    if (place) {
        struct xs_cell *cell = argument(t, slice, "call_site", XS_CELL_TEXT);
        cell->text = place;
        cell->bytes = strlen(place);
    }
    if (row->modelled)
        argument(t, slice, "modelled", XS_CELL_INT)->number = 1;
    mark(t, row, site, &marked);
    if (marked.saves_ns) {
        struct xs_cell *cell = argument(t, slice, "saves_ns", XS_CELL_INT);
        cell->number = marked.saves_ns > INT64_MAX ? INT64_MAX : (int64_t)marked.saves_ns;
    }
    name_findings(t, &marked, row->category, slice);
}

static void free_all(struct xs_tracks *t) {
    for (size_t i = 0; i < t->track_count; i++) {
        free((char *)(uintptr_t)t->tracks[i]->name);
        free(t->tracks[i]);
    }
    free(t->tracks);
    for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(&t->places, entry));)
        free((char *)(uintptr_t)entry->value);
    xs_hash_free(&t->places);
    xs_string_free(&t->names);
    xs_string_free(&t->categories);
}

int xs_export_tracks(const struct xs_export *e, const struct xs_track_sink *sink) {
    struct xs_tracks t = {.e = e, .sink = sink};
    const struct xs_run *run = &e->reading->summary.run;
    int64_t pid = run->pid > 0 && run->pid < XS_NO_PROCESS ? run->pid : 0;
    t.process = xs_tracks_add(&t, XS_TRACK_PROCESS, NULL, pid, "%s%s",
                              *run->executable ? xs_base_name(run->executable) : "program",
                              run->simulated ? " (SIMULATED GPU: no time is a measurement)" : "");
    int status = xs_tracks_host(&t);
    if (status >= 0)
        status = xs_tracks_device(&t);
    if (status >= 0)
        status = xs_tracks_memory(&t);
    free_all(&t);
    return status;
}
