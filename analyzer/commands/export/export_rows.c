/* Reads rows of a trace, with names for their numbers; see export_rows.h. */
#include "analyzer/commands/export/export_rows.h"

#include <ctype.h>
#include <sqlite3.h>
#include <string.h>

#include "analyzer/findings/engine/detector.h"
#include "analyzer/trace/scan.h"
#include "analyzer/trace/site.h"
#include "analyzer/trace/windows/device_windows.h"
#include "analyzer/words/findings_words.h"
#include "analyzer/words/remedies.h"

const struct xs_export_what xs_export_whats[] = {
#define XS_EXPORT_WHAT(name, table, summary, sql) {table, sql},
#include "analyzer/commands/export/whats.def"
#undef XS_EXPORT_WHAT
};

struct xs_cell xs_cell_of(sqlite3_stmt *row, int column) {
    struct xs_cell cell = {.name = sqlite3_column_name(row, column)};
    switch (sqlite3_column_type(row, column)) {
    case SQLITE_NULL:
        break;
    case SQLITE_INTEGER:
        cell.kind = XS_CELL_INT;
        cell.number = sqlite3_column_int64(row, column);
        break;
    case SQLITE_FLOAT:
        cell.kind = XS_CELL_REAL;
        cell.real = sqlite3_column_double(row, column);
        break;
    default:
        cell.kind = XS_CELL_TEXT;
        cell.text = (const char *)sqlite3_column_text(row, column);
        cell.bytes = (size_t)sqlite3_column_bytes(row, column);
    }
    return cell;
}

/* --- texts --- */

enum { TIMES_THE_TRACE = 100, ESCAPE_BYTES = 6 };

struct xs_text_room xs_text_room_of(const struct xs_export *e) {
    int64_t bytes = xs_trace_bytes(e->reading->trace.file);
    return (struct xs_text_room){.path = e->reading->path, .left = bytes > 0 ? TIMES_THE_TRACE * (uint64_t)bytes : 0};
}

/* Returns an upper bound of the bytes that a format writes for a text; most formats escape fewer characters, or with
 * fewer bytes. */
static uint64_t written_bytes(const char *text, size_t bytes) {
    uint64_t count = bytes;
    for (size_t i = 0; i < bytes; i++)
        if (iscntrl((unsigned char)text[i]))
            count += ESCAPE_BYTES - 1;
    return count;
}

void xs_text_room_add(struct xs_text_room *room, struct xs_string *string, const char *text, size_t bytes) {
    size_t start = string->length;
    if (room->left) {
        xs_export_utf8(string, text, bytes);
        uint64_t taken = written_bytes(string->data + start, string->length - start);
        room->left -= taken < room->left ? taken : room->left;
        return;
    }
    xs_export_cut(string, text, bytes, XS_EXPORT_SHORT_TEXT_BYTES);
    if (bytes > XS_EXPORT_SHORT_TEXT_BYTES && !room->said) {
        room->said = true;
        xs_complain("%s: the names in it make the export more than %d times as long as the trace; from here on they are"
                    " cut at %d bytes",
                    room->path, TIMES_THE_TRACE, XS_EXPORT_SHORT_TEXT_BYTES);
    }
}

/* --- columns --- */

enum { CELLS = 64 };
struct line {
    struct xs_cell cells[CELLS];
    unsigned count;
};

static struct xs_cell *add(struct line *line, const char *name) {
    struct xs_cell *cell = &line->cells[line->count < CELLS - 1 ? line->count++ : CELLS - 1];
    *cell = (struct xs_cell){.name = name};
    return cell;
}

static void add_int(struct line *line, const char *name, int64_t number, bool known) {
    struct xs_cell *cell = add(line, name);
    if (known) {
        cell->kind = XS_CELL_INT;
        cell->number = number;
    }
}

static void add_count(struct line *line, const char *name, uint64_t number, bool known) {
    add_int(line, name, number > INT64_MAX ? INT64_MAX : (int64_t)number, known);
}

static void add_text(struct line *line, const char *name, const char *text) {
    struct xs_cell *cell = add(line, name);
    if (text) {
        cell->kind = XS_CELL_TEXT;
        cell->text = text;
        cell->bytes = strlen(text);
    }
}

static void add_frame(struct line *line, const struct xs_frame *frame) {
    add_text(line, "function", frame ? frame->function : NULL);
    add_text(line, "file", frame ? (frame->file ? frame->file : frame->module) : NULL);
    add_int(line, "line", frame ? frame->line : 0, frame && frame->line);
}

/* --- rows of the trace --- */

struct reader {
    const struct xs_export *e;
    struct xs_callsites *callsites; /* NULL: none */
    sqlite3_stmt *statement;
    int columns, entry, stack, correlation; /* columns: number of columns; the others are indexes of _entry, stack and
                                               correlation; -1: none */
    struct line line;
    struct xs_string names;
};

static void add_column(struct reader *r, int column) {
    const char *name = sqlite3_column_name(r->statement, column);
    if (*name != '_')
        *add(&r->line, name) = xs_cell_of(r->statement, column);
}

static int64_t number_of(const struct reader *r, int column) {
    return column < 0 ? 0 : sqlite3_column_int64(r->statement, column);
}

static void add_marked(struct reader *r) {
    enum xs_evidence_table table = (enum xs_evidence_table)r->e->what->table;
    struct xs_marked marked = {0};
    uint32_t site =
        xs_site_of(r->e->reading->diagnosis->findings->sites, number_of(r, r->entry), number_of(r, r->stack));
    xs_marks_of(r->e->marks, table, number_of(r, 0), site, &marked);
    r->names.length = 0;
    xs_string_add(&r->names, "", 0);
    xs_export_finding_names(&r->names, r->e, &marked, " ");
    add_count(&r->line, "saves_ns", marked.saves_ns, true);
    add_text(&r->line, "findings", r->names.data);
    r->line.cells[r->line.count - 1].kind = XS_CELL_NAMES;
}

/* Adds, after a device time, a column that says whether the time is modelled; NULL if there is no time. */
static void add_modelled(struct reader *r, int column, bool row) {
    int64_t correlation = row ? number_of(r, r->correlation) : 0;
    bool known = row && sqlite3_column_type(r->statement, column) != SQLITE_NULL;
    bool modelled =
        correlation > 0 && correlation <= UINT32_MAX && xs_is_modelled(&r->e->reading->trace, (uint32_t)correlation);
    add_int(&r->line, "modelled", modelled, known);
}

/* Builds a line. If `row` is false, all values are NULL; only the names are used then. */
static void build(struct reader *r, bool row) {
    r->line.count = 0;
    for (int i = 0; i < r->columns; i++) {
        const char *name = sqlite3_column_name(r->statement, i);
        if (!strcmp(name, "nvtx_range")) {
            add_text(&r->line, name, row && r->callsites ? xs_callsites_range(r->callsites, number_of(r, i)) : NULL);
            continue;
        }
        if (row)
            add_column(r, i);
        else if (*name != '_')
            add(&r->line, name);
        if (r->correlation >= 0 && !strcmp(name, "device_ns"))
            add_modelled(r, i, row);
        if (i == r->stack)
            add_frame(&r->line, row && r->callsites ? xs_callsites_user_frame(r->callsites, number_of(r, i)) : NULL);
    }
    if (r->e->what->table < 0)
        return;
    if (row) {
        add_marked(r);
    } else {
        add(&r->line, "saves_ns");
        add(&r->line, "findings");
    }
}

static int trace_rows(const struct xs_export *e, const struct xs_row_sink *sink) {
    struct reader r = {.e = e,
                       .callsites = e->reading->diagnosis->findings->sites->callsites,
                       .entry = -1,
                       .stack = -1,
                       .correlation = -1};
    int code = SQLITE_OK, status = xs_export_prepare(e, e->what->sql, &r.statement);
    if (status < 0)
        return status;
    r.columns = sqlite3_column_count(r.statement);
    for (int i = 0; i < r.columns; i++) {
        const char *name = sqlite3_column_name(r.statement, i);
        r.entry = !strcmp(name, "_entry") ? i : r.entry;
        r.stack = !strcmp(name, "stack") ? i : r.stack;
        r.correlation = !strcmp(name, "correlation") ? i : r.correlation;
    }
    build(&r, false);
    if (sink->columns)
        sink->columns(sink->data, r.line.cells, r.line.count);
    while (xs_export_step(r.statement, &code)) {
        build(&r, true);
        sink->row(sink->data, r.line.cells, r.line.count);
        if (ferror(e->out->file)) /* closing the output prints the error */
            break;
    }
    xs_string_free(&r.names);
    return xs_export_finish(e, r.statement, code);
}

/* --- findings --- */

static void finding_line(const struct xs_diagnosis *diagnosis, size_t index, struct line *line,
                         struct xs_string *name) {
    const struct xs_diagnosed *d = &diagnosis->items[index];
    const struct xs_finding *f = d->finding;
    const struct xs_detector *detector = xs_detectors[f->detector];
    const struct xs_amount all = xs_finding_in_all(f);
    xs_finding_name(name, diagnosis, index);
    line->count = 0;
    add_count(line, "rank", index + 1, true);
    add_text(line, "finding", name->data);
    add_text(line, "title", detector->title);
    add_text(line, "remedy", xs_remedy_of(diagnosis->findings, d));
    add_int(line, "is_advice", f->advice, true);
    add_count(line, "instances", all.instances, true);
    add_count(line, "transfers", all.transfers, true);
    add_count(line, "bytes", all.bytes, true);
    add_count(line, "saves_ns", d->saves.most_ns, !f->advice);
    /* if some instances have no device time, no time is estimated for them */
    add_count(line, "device_ns", xs_finding_ns_in_all(f, f->timed_instances, f->cost.device_ns),
              f->timed_instances > 0);
    add_count(line, "exposed_ns", xs_finding_ns_in_all(f, f->exposed_instances, f->cost.exposed_ns),
              f->exposed_instances > 0);
    /* checking contents makes the call of a copy longer, so the time of checked calls says nothing about the others */
    add_count(line, "host_ns", f->cost.host_ns, !all.about);
    add_int(line, "first_ns", f->first_ns, true);
    add_int(line, "last_ns", f->last_ns, true);
    add_text(line, "entry_point", xs_site_name(diagnosis->findings, f->site));
    add_frame(line, xs_site_frame(diagnosis->findings, f->site));
    add_int(line, "leads_cause", index < diagnosis->cause_count, true); /* finding k is the first one of cause k */
    add_count(line, "saves_least_ns", d->saves.least_ns, d->saves.known);
    add_count(line, "saves_most_ns", d->saves.most_ns, d->saves.known);
    add_count(line, "checked", f->sample.checked, f->sample.is_of_contents);
    add_count(line, "checked_of", xs_sum(f->sample.of, f->sample.unknown), f->sample.is_of_contents);
    add_int(line, "is_estimate", all.about, true);
    add_count(line, "instances_found", f->instances, true);
    add_count(line, "instances_low", xs_finding_low(f), true);
    add_count(line, "instances_high", xs_finding_high(f), true);
}

static int finding_rows(const struct xs_export *e, const struct xs_row_sink *sink) {
    const struct xs_diagnosis *diagnosis = e->reading->diagnosis;
    static const char *const names[] = {
        "rank",          "finding",       "title",      "remedy",      "is_advice",
        "instances",     "transfers",     "bytes",      "saves_ns",    "device_ns",
        "exposed_ns",    "host_ns",       "first_ns",   "last_ns",     "entry_point",
        "function",      "file",          "line",       "leads_cause", "saves_least_ns",
        "saves_most_ns", "checked",       "checked_of", "is_estimate", "instances_found",
        "instances_low", "instances_high"};
    struct line line = {.count = 0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        add(&line, names[i]);
    if (sink->columns)
        sink->columns(sink->data, line.cells, line.count);
    for (size_t i = 0; i < diagnosis->count; i++) {
        XS_SCOPED_STRING name = {0};
        finding_line(diagnosis, i, &line, &name);
        sink->row(sink->data, line.cells, line.count);
    }
    return XS_OK;
}

int xs_export_rows(const struct xs_export *e, const struct xs_row_sink *sink) {
    return e->what->sql ? trace_rows(e, sink) : finding_rows(e, sink);
}
