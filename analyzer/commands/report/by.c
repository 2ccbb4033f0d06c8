/* Prints `report --by`: totals of the transfers by call site, function, file, ..., as a table or as JSON. */
#include <inttypes.h>
#include <string.h>

#include "analyzer/base/table.h"
#include "analyzer/base/text.h"
#include "analyzer/base/units.h"
#include "analyzer/commands/report/report_internal.h"
#include "analyzer/trace/windows/device_windows.h"
#include "analyzer/words/place.h"
#include "analyzer/words/saving_words.h"

enum {
    SHOWN = 20,
    NAME_COLUMNS = 100,
    NUMBER_COLUMNS = 49, /* columns that the numbers of a row need on a narrow terminal */
    LEAST_PLACE = 10,
    FUNCTION_PLACE = 24, /* with fewer columns than this, the function is not shown */
};

static const struct {
    const char *heading, *header, *beside; /* beside: heading of the second column; NULL: there is none */
    const char *unknown;                   /* text for rows whose key is not known */
} words[XS_BY_KEYS] = {
    [XS_BY_SITE] = {"Transfers by call site", "call site", "call", "?"},
    [XS_BY_FUNCTION] = {"Transfers by function", "function", "in", "(no stack)"},
    [XS_BY_FILE] = {"Transfers by file", "file", NULL, "(no stack)"},
    [XS_BY_MODULE] = {"Transfers by module", "module", NULL, "(no stack)"},
    [XS_BY_NVTX] = {"Transfers by NVTX range", "range", NULL, "(in no range)"},
    [XS_BY_THREAD] = {"Transfers by thread", "thread", "name", "(unknown)"},
    [XS_BY_STREAM] = {"Transfers by stream", "stream", "which", "(unknown)"},
    [XS_BY_DEVICE] = {"Transfers by device", "device", "name", "(none)"},
};

static void file_or_module(struct xs_string *text, const struct xs_frame *frame, const char *cwd) {
    if (frame->file)
        xs_place_file(text, frame->file, cwd);
    else if (frame->module)
        xs_string_add_cut(text, xs_base_name(frame->module), NAME_COLUMNS);
}

/* Writes the place. If there is no room for the whole path, its beginning is cut, because the line number at the end
 * distinguishes two places. */
static void site_name(struct xs_string *text, const struct xs_frame *frame, const struct xs_sites *sites, int room) {
    struct xs_string place = {0};
    if (frame->file && frame->line && room)
        xs_place_line(&place, frame, sites->cwd);
    if (place.length && xs_text_width(place.data) > room) {
        const char *from = place.data;
        while (*from && xs_text_width(from) > room - 3) {
            uint32_t code;
            size_t bytes = xs_utf8_decode(from, strlen(from), &code);
            from += bytes ? bytes : 1;
        }
        xs_string_format(text, "...%s", from);
    } else if (place.length && room < FUNCTION_PLACE) {
        xs_string_add(text, place.data, place.length);
    } else {
        xs_place_text(text, sites, frame);
    }
    xs_string_free(&place);
}

static void frame_name(struct xs_string *text, const struct xs_by *by, const struct xs_frame *frame,
                       const struct xs_sites *sites, int room) {
    if (by->key == XS_BY_SITE)
        site_name(text, frame, sites, room);
    else if (by->key == XS_BY_FUNCTION && frame->function)
        xs_string_add_cut(text, frame->function, NAME_COLUMNS);
    else if (by->key == XS_BY_MODULE)
        xs_string_add_cut(text, frame->module ? xs_base_name(frame->module) : "(Python)", NAME_COLUMNS);
    else {
        if (by->key == XS_BY_FUNCTION)
            xs_string_format(text, "unknown in ");
        file_or_module(text, frame, sites->cwd);
    }
}

/* Writes the first column. */
static void row_name(struct xs_string *text, const struct xs_by *by, const struct xs_by_row *row,
                     const struct xs_sites *sites, int room) {
    if (row->frame)
        frame_name(text, by, row->frame, sites, room);
    else if (by->key == XS_BY_SITE)
        xs_string_format(text, "%s", row->entry_point);
    else if (by->key == XS_BY_NVTX)
        xs_string_add_cut(text, row->name, NAME_COLUMNS);
    else if (by->key == XS_BY_THREAD && row->number >= 0)
        xs_string_format(text, "%" PRId64, row->number);
    else if (by->key == XS_BY_STREAM && row->id > 0)
        xs_string_format(text, "#%" PRId64, row->id);
    else if (by->key == XS_BY_DEVICE && row->id >= 0)
        xs_string_format(text, "%" PRId64, row->id);
    if (!text->length)
        xs_string_format(text, "%s", words[by->key].unknown);
}

/* Writes the second column. */
static void row_beside(struct xs_string *text, const struct xs_by *by, const struct xs_by_row *row,
                       const struct xs_sites *sites) {
    enum { LEGACY = 1, PER_THREAD = 2 }; /* handles of the default streams; 0 is also the legacy default stream */
    if (by->key == XS_BY_SITE && row->frame)
        xs_string_format(text, "%s", row->entry_point);
    else if (by->key == XS_BY_FUNCTION && row->frame && row->frame->function)
        file_or_module(text, row->frame, sites->cwd);
    else if (by->key == XS_BY_THREAD || by->key == XS_BY_DEVICE)
        xs_string_add_cut(text, row->name, NAME_COLUMNS);
    if (by->key != XS_BY_STREAM || row->id <= 0)
        return;
    if (row->number == 0 || row->number == LEGACY)
        xs_string_format(text, "default");
    else if (row->number == PER_THREAD)
        xs_string_format(text, "default of a thread");
    else if (row->number > 0)
        xs_string_format(text, "0x%" PRIx64, (uint64_t)row->number);
    if (row->device >= 0)
        xs_string_format(text, "%sdevice %" PRId64, text->length ? ", " : "", row->device);
}

static void cells(struct xs_table *table, const struct xs_by *by, const struct xs_by_row *row, const char *name,
                  const char *beside) {
    xs_table_cell(table, name);
    if (words[by->key].beside)
        xs_table_cell(table, beside);
    xs_table_cell(table, XS_COUNT_TEXT(row->transfers));
    xs_table_cell(table, XS_BYTES_TEXT(row->bytes));
    if (by->timed)
        xs_table_format(table, "%s%s", xs_modelled_mark(row->modelled), row->timed ? XS_NS_TEXT(row->device_ns) : "-");
    xs_table_cell(table, XS_NS_TEXT(row->host_ns));
    xs_table_cell(table, row->saves_ns ? XS_NS_TEXT(row->saves_ns) : NULL);
}

static void add_columns(struct xs_table *table, const struct xs_by *by) {
    xs_table_column(table, words[by->key].header, false);
    if (words[by->key].beside) {
        xs_table_column(table, words[by->key].beside, false);
        xs_table_optional(table);
    }
    xs_table_column(table, "transfers", true);
    xs_table_column(table, "size", true);
    if (by->timed)
        xs_table_column(table, "device time", true);
    xs_table_column(table, "host time", true);
    if (by->timed)
        xs_table_optional(table);
    xs_table_column(table, "saves", true);
}

static struct xs_by_row total_of(const struct xs_by *by, size_t from) {
    struct xs_by_row total = {0};
    for (size_t i = from; i < by->count; i++) {
        const struct xs_by_row *row = &by->rows[i];
        total.transfers += row->transfers;
        total.bytes = xs_sum(total.bytes, row->bytes);
        total.timed += row->timed;
        total.device_ns = xs_sum(total.device_ns, row->device_ns);
        total.modelled += row->modelled;
        total.host_ns = xs_sum(total.host_ns, row->host_ns);
        total.saves_ns = xs_sum(total.saves_ns, row->saves_ns);
    }
    return total;
}

void xs_by_text(const struct xs_by *by, const struct xs_findings *findings, size_t top, struct xs_out *out) {
    size_t shown = top ? top : SHOWN;
    int room = out->columns ? out->columns - NUMBER_COLUMNS : 0; /* 0: no limit */
    XS_SCOPED_TABLE *table = xs_table_new(2);
    room = out->columns && room < LEAST_PLACE ? LEAST_PLACE : room;
    xs_out_heading(out, words[by->key].heading);
    add_columns(table, by);
    shown = shown < by->count ? shown : by->count;
    for (size_t i = 0; i < shown; i++) {
        XS_SCOPED_STRING name = {0}, beside = {0};
        row_name(&name, by, &by->rows[i], findings->sites, room);
        row_beside(&beside, by, &by->rows[i], findings->sites);
        cells(table, by, &by->rows[i], name.data, beside.data);
    }
    if (shown < by->count) {
        char name[64];
        struct xs_by_row rest = total_of(by, shown);
        snprintf(name, sizeof name, "%zu more", by->count - shown);
        cells(table, by, &rest, name, NULL);
    }
    if (by->count > 1) {
        struct xs_by_row total = total_of(by, 0);
        cells(table, by, &total, "total", NULL);
    }
    if (by->count)
        xs_table_print(table, out);
    else
        xs_out_line(out, XS_STYLE_PLAIN, "None.");
    if (by->key <= XS_BY_MODULE && by->count && !findings->sites->places)
        xs_out_line(out, XS_STYLE_WARN, "No call sites: the trace has no stacks.");
    if (by->count)
        xs_out_line(out, XS_STYLE_DIM,
                    "The column \"saves\" counts each cause once, at its first finding. All repairs together may save "
                    "less than the sum.");
}

static void row_json(const struct xs_by *by, const struct xs_by_row *row, struct xs_json *json) {
    if (by->key == XS_BY_SITE)
        xs_json_text(json, "site", row->entry_point);
    if (by->key <= XS_BY_MODULE) {
        xs_place_json_object(json, row->frame, by->key == XS_BY_SITE);
    } else if (by->key == XS_BY_NVTX) {
        xs_json_text(json, "nvtx_range", row->name);
    } else {
        xs_json_known_int(json, xs_by_names[by->key], by->key == XS_BY_DEVICE ? row->id >= 0 : row->id > 0, row->id);
        if (by->key != XS_BY_STREAM)
            xs_json_text(json, "name", row->name);
    }
    if (by->key == XS_BY_THREAD)
        xs_json_int(json, "tid", row->number);
    if (by->key == XS_BY_STREAM && row->id > 0) {
        xs_json_int(json, "handle", row->number);
        xs_json_int(json, "device", row->device);
    }
}

void xs_by_json(const struct xs_by *by, size_t top, struct xs_json *json) {
    size_t shown = top && top < by->count ? top : by->count;
    xs_json_object(json, "by");
    xs_json_text(json, "key", xs_by_names[by->key]);
    xs_json_count(json, "count", by->count);
    xs_json_array(json, "rows");
    for (size_t i = 0; i < shown; i++) {
        const struct xs_by_row *row = &by->rows[i];
        xs_json_object(json, NULL);
        row_json(by, row, json);
        xs_json_count(json, "transfers", row->transfers);
        xs_json_count(json, "bytes", row->bytes);
        xs_json_count(json, "timed_count", row->timed);
        xs_json_known_count(json, "device_ns", row->timed, row->device_ns);
        if (row->modelled)
            xs_json_count(json, "modelled_count", row->modelled);
        xs_json_count(json, "host_ns", row->host_ns);
        xs_json_count(json, "saves_ns", row->saves_ns);
        xs_json_end(json, '}');
    }
    xs_json_end(json, ']');
    xs_json_end(json, '}');
}
