/* A trace as a timeline; see timeline.h. Host calls, what the device did, memory: each read in the order of time. */
#include "analyzer/export/timeline_internal.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/findings/findings_words.h"
#include "analyzer/findings/place.h"

const struct xs_track *xs_timeline_track(struct xs_timeline *t, enum xs_track_kind kind, const struct xs_track *parent,
                                         const char *name, int64_t pid, int64_t tid) {
    if (t->track_count == t->track_capacity) {
        t->track_capacity = t->track_capacity ? t->track_capacity * 2 : 32;
        t->tracks = xs_realloc(t->tracks, t->track_capacity * sizeof *t->tracks);
    }
    struct xs_track *track = xs_realloc(NULL, sizeof *track);
    int64_t number = XS_NO_PROCESS + (int64_t)t->track_count;
    *track = (struct xs_track){.kind = kind,
                               .id = t->track_count + 1,
                               .parent = parent,
                               .name = xs_strdup(name),
                               .pid = pid ? pid : number,
                               .tid = tid ? tid : number};
    t->tracks[t->track_count++] = track;
    t->sink->track(t->sink->data, track);
    return track;
}

/* --- several statements as one sequence --- */

static bool is_before(sqlite3_stmt *a, sqlite3_stmt *b) {
    int64_t x = sqlite3_column_int64(a, XS_COLUMN_START), y = sqlite3_column_int64(b, XS_COLUMN_START);
    if (x != y)
        return x < y;
    return sqlite3_column_int64(a, XS_COLUMN_END) > sqlite3_column_int64(b, XS_COLUMN_END);
}

enum { SOURCES = 8 };
struct heads {
    sqlite3_stmt *of[SOURCES];
    bool alive[SOURCES];
};

static int first_of(const struct heads *heads, size_t count) {
    int first = -1;
    for (size_t i = 0; i < count; i++)
        if (heads->alive[i] && (first < 0 || is_before(heads->of[i], heads->of[first])))
            first = (int)i;
    return first;
}

int xs_timeline_merge(struct xs_timeline *t, const char *const *sql, size_t count,
                      void (*take)(void *data, sqlite3_stmt *row), void *data) {
    struct heads heads = {0};
    int status = XS_OK, code[SOURCES] = {0}, first;
    for (size_t i = 0; i < count && status >= 0; i++) {
        status = xs_export_prepare(t->e, sql[i], &heads.of[i]);
        heads.alive[i] = status >= 0 && xs_export_step(heads.of[i], &code[i]);
    }
    while (status >= 0 && (first = first_of(&heads, count)) >= 0 && !ferror(t->e->out->file)) {
        take(data, heads.of[first]);
        heads.alive[first] = xs_export_step(heads.of[first], &code[first]);
    }
    for (size_t i = 0; i < count; i++) {
        int ended = xs_export_finish(t->e, heads.of[i], code[i]);
        status = status < 0 ? status : ended;
    }
    return status;
}

/* --- slices --- */

/* "solver.py:42 in step", kept for each site; NULL where the place is not known. */
static const char *place_of(struct xs_timeline *t, uint32_t site) {
    const struct xs_findings *findings = t->e->reading->findings;
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

static struct xs_cell cell_of(sqlite3_stmt *row, int column) {
    struct xs_cell cell = {.name = sqlite3_column_name(row, column)};
    switch (sqlite3_column_type(row, column)) {
    case SQLITE_NULL:
        break;
    case SQLITE_INTEGER:
        cell.kind = XS_CELL_INT;
        cell.number = sqlite3_column_int64(row, column);
        break;
    default:
        cell.kind = XS_CELL_TEXT;
        cell.text = (const char *)sqlite3_column_text(row, column);
        cell.bytes = (size_t)sqlite3_column_bytes(row, column);
    }
    return cell;
}

static void mark(struct xs_timeline *t, sqlite3_stmt *row, uint32_t site, struct xs_marked *marked) {
    enum { ROWS_ASKED = 4096 };
    int64_t table = sqlite3_column_int64(row, XS_COLUMN_TABLE), id = sqlite3_column_int64(row, XS_COLUMN_ID);
    int64_t rows = sqlite3_column_int64(row, XS_COLUMN_ROWS);
    if (table < 0 || id <= 0)
        return;
    for (int64_t i = 0; i < rows && i < ROWS_ASKED && id <= INT64_MAX - i; i++)
        xs_marks_of(t->e->marks, (enum xs_evidence_table)table, id + i, site, marked);
}

static struct xs_cell *argument(struct xs_timeline *t, struct xs_slice *slice, const char *name,
                                enum xs_cell_kind kind) {
    struct xs_cell *cell = &t->arguments[slice->argument_count++];
    *cell = (struct xs_cell){.name = name, .kind = kind};
    return cell;
}

static void name_findings(struct xs_timeline *t, const struct xs_marked *marked, const char *category,
                          struct xs_slice *slice) {
    const struct xs_findings *findings = t->e->reading->findings;
    t->names.length = t->categories.length = 0;
    xs_string_add(&t->names, "", 0);
    xs_export_finding_names(&t->names, t->e, marked, " ");
    xs_string_format(&t->categories, "%s", category);
    for (unsigned i = 0; i < marked->count; i++) {
        const struct xs_finding *finding = &findings->items[marked->findings[i]];
        xs_string_add(&t->categories, ",", 1);
        xs_finding_kind(&t->categories, finding->detector, finding->verdict);
    }
    slice->findings = t->names.data;
    slice->categories = t->categories.data;
}

void xs_timeline_slice(struct xs_timeline *t, sqlite3_stmt *row, int first_argument, struct xs_slice *slice) {
    enum { OF_OURS = 3 };
    const char *name = (const char *)sqlite3_column_text(row, XS_COLUMN_NAME);
    struct xs_marked marked = {0};
    uint32_t site = xs_site_of(t->e->reading->findings->sites, sqlite3_column_int64(row, XS_COLUMN_ENTRY),
                               sqlite3_column_int64(row, XS_COLUMN_STACK));
    int columns = sqlite3_column_count(row), most = (int)(sizeof t->arguments / sizeof *t->arguments) - OF_OURS;
    *slice = (struct xs_slice){.name = name ? name : "unknown",
                               .start_ns = xs_timeline_ns(row, XS_COLUMN_START),
                               .end_ns = xs_timeline_ns(row, XS_COLUMN_END),
                               .arguments = t->arguments};
    int64_t flow = sqlite3_column_int64(row, XS_COLUMN_FLOW);
    slice->flow = flow > 0 ? (uint64_t)flow : 0;
    if (slice->end_ns < slice->start_ns)
        slice->end_ns = slice->start_ns;
    for (int i = first_argument; i < columns && i - first_argument < most; i++) {
        struct xs_cell cell = cell_of(row, i);
        if (cell.kind != XS_CELL_NULL)
            t->arguments[slice->argument_count++] = cell;
    }
    const char *place = place_of(t, site);
    if (place) {
        struct xs_cell *cell = argument(t, slice, "call_site", XS_CELL_TEXT);
        cell->text = place;
        cell->bytes = strlen(place);
    }
    mark(t, row, site, &marked);
    if (marked.removable_ns) {
        struct xs_cell *cell = argument(t, slice, "removable_ns", XS_CELL_INT);
        cell->number = marked.removable_ns > INT64_MAX ? INT64_MAX : (int64_t)marked.removable_ns;
    }
    name_findings(t, &marked, (const char *)sqlite3_column_text(row, XS_COLUMN_CATEGORY), slice);
}

static void free_all(struct xs_timeline *t) {
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

int xs_export_timeline(const struct xs_export *e, const struct xs_timeline_sink *sink) {
    struct xs_timeline t = {.e = e, .sink = sink};
    const struct xs_run *run = &e->reading->summary.run;
    int64_t pid = run->pid > 0 && run->pid < XS_NO_PROCESS ? run->pid : 0;
    struct xs_string name = {0};
    xs_string_format(&name, "%s%s", *run->executable ? xs_place_base_name(run->executable) : "program",
                     run->simulated ? " (SIMULATED GPU: no time is a measurement)" : "");
    t.process = xs_timeline_track(&t, XS_TRACK_PROCESS, NULL, name.data, pid, 0);
    xs_string_free(&name);
    int status = xs_timeline_host(&t);
    if (status >= 0)
        status = xs_timeline_device(&t);
    if (status >= 0)
        status = xs_timeline_memory(&t);
    free_all(&t);
    return status;
}
