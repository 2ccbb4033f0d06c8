/* xferspy info: prints what a trace is and what it contains. */
#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyzer/base/json.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/table.h"
#include "analyzer/base/text.h"
#include "analyzer/base/units.h"
#include "analyzer/commands/common/command.h"
#include "analyzer/commands/common/traces.h"
#include "analyzer/trace/scan.h"
#include "analyzer/trace/windows/capture_ranges.h"
#include "analyzer/trace/windows/device_windows.h"

XS_DECLARE_COMMAND(info)

#define XS_INFO_JSON_VERSION 1

enum { OPTION_FORMAT = 0x200 };
static const char *const formats[] = {"text", "json", NULL};
static const struct argp_option options[] = {
    {NULL, 0, NULL, 0, "What to show:", 1},
    {"all", XS_OPTION_DETAILS, NULL, 0,
     "every value of the table `meta', how many rows each table has, the views, all notes", 1},
    {"format", OPTION_FORMAT, "text|json", 0, "text is the default", 1},
    {"json", XS_OPTION_JSON, NULL, 0, "the same as --format=json: everything, format \"xferspy-info\"", 1},
    {0}};

static const char doc[] = "Shows in a few lines what is in a trace: the file, the run, the machine and how much was "
                          "recorded; with --all, all its metadata.\v"
                          "Examples:\n"
                          "  xferspy info xferspy-app.4242.db\n"
                          "  xferspy info --all run.db\n"
                          "  xferspy info job.db               each trace of a merged file\n"
                          "  xferspy info --json run.db | jq '.traces[0].meta[\"cupti.status\"]'";

/* The output: only one of the two is used. */
struct sink {
    struct xs_out *out;
    struct xs_json *json;
    bool all; /* always with json */
};

/* Adds the value with a unit, if its key ends in the name of a unit. */
static void add_human(struct xs_table *table, const char *key, int64_t value) {
    char buffer[XS_UNIT_BYTES] = "";
    if (xs_text_ends_with(key, "_unix_ns"))
        xs_format_unix_ns(buffer, value);
    else if (xs_text_ends_with(key, "_ns") && value >= 0)
        xs_format_ns(buffer, (uint64_t)value);
    else if (xs_text_ends_with(key, "_bytes") && value >= 0)
        xs_format_bytes(buffer, (uint64_t)value);
    xs_table_cell(table, buffer);
}

static struct xs_table *new_table(const char *const *headers, const char *right) {
    struct xs_table *table = xs_table_new(2);
    for (int i = 0; right[i]; i++)
        xs_table_column(table, headers ? headers[i] : NULL, right[i] == 'r');
    return table;
}

/* Begins a part that has rows: an array, or with the bracket '}' an object, of the JSON, or a table with a heading. */
static struct xs_table *begin_rows(const struct sink *sink, char bracket, const char *key, const char *heading,
                                   const char *const *headers, const char *right) {
    if (sink->json)
        (bracket == '}' ? xs_json_object : xs_json_array)(sink->json, key);
    else if (heading)
        xs_out_heading(sink->out, heading);
    return new_table(headers, right);
}

static void end_rows(const struct sink *sink, char bracket, struct xs_table *table) {
    if (sink->json)
        xs_json_end(sink->json, bracket);
    else if (xs_table_rows(table))
        xs_table_print(table, sink->out);
    xs_table_free(table);
}

static int show_meta(const struct xs_trace *trace, struct sink *sink, char *message) {
    struct xs_table *table = begin_rows(sink, '}', "meta", "Meta", NULL, "lll");
    struct xs_scan scan;
    xs_scan_begin(&scan, trace, "SELECT key, value FROM meta", message, NULL);
    while (xs_scan_row(&scan)) {
        XS_SCOPED char *key = xs_strdup(xs_scan_text(&scan, 0));
        bool integer = sqlite3_column_type(scan.statement, 1) == SQLITE_INTEGER;
        if (sink->json && integer) {
            xs_json_int(sink->json, key, xs_scan_int(&scan, 1));
        } else if (sink->json) {
            xs_json_text(sink->json, key, xs_scan_null(&scan, 1) ? NULL : xs_scan_text(&scan, 1));
        } else {
            xs_table_cell(table, key);
            xs_table_cell(table, xs_scan_text(&scan, 1));
            if (integer)
                add_human(table, key, xs_scan_int(&scan, 1));
            else
                xs_table_cell(table, NULL);
        }
    }
    end_rows(sink, '}', table);
    return xs_scan_end(&scan);
}

static int count_rows(const struct xs_trace *trace, const char *name, uint64_t *rows, char *message) {
    struct xs_scan scan;
    char *sql = sqlite3_mprintf("SELECT count(*) FROM \"%w\"", name);
    if (!sql)
        xs_out_of_memory();
    *rows = 0;
    xs_scan_begin(&scan, trace, sql, message, NULL);
    if (xs_scan_row(&scan))
        *rows = xs_scan_count(&scan, 0);
    sqlite3_free(sql);
    return xs_scan_end(&scan);
}

static int show_tables(const struct xs_trace *trace, struct sink *sink, char *message) {
    static const char *const headers[] = {"table", "rows"};
    struct xs_table *table = begin_rows(sink, ']', "tables", "Tables", headers, "lr");
    struct xs_scan scan;
    int status = XS_OK;
    xs_scan_begin(&scan, trace,
                  "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'merged_trace'"
                  " ORDER BY rowid LIMIT 1000",
                  message, NULL);
    while (status >= 0 && xs_scan_row(&scan)) {
        uint64_t rows = 0;
        status = count_rows(trace, xs_scan_text(&scan, 0), &rows, message);
        if (sink->json) {
            xs_json_object(sink->json, NULL);
            xs_json_text(sink->json, "name", xs_scan_text(&scan, 0));
            xs_json_count(sink->json, "rows", rows);
            xs_json_end(sink->json, '}');
        } else {
            xs_table_cell(table, xs_scan_text(&scan, 0));
            xs_table_cell(table, XS_COUNT_TEXT(rows));
        }
    }
    end_rows(sink, ']', table);
    int ended = xs_scan_end(&scan);
    return status < 0 ? status : ended;
}

static int show_views(const struct xs_trace *trace, struct sink *sink, char *message) {
    struct xs_scan scan;
    struct xs_table *table = begin_rows(sink, ']', "views", "Views, for xferspy query", NULL, "l");
    xs_scan_begin(&scan, trace,
                  trace->merged_id < 0 ? "SELECT name FROM sqlite_master WHERE type = 'view' ORDER BY rowid LIMIT 1000"
                                       : "SELECT name FROM sqlite_temp_master WHERE name NOT IN"
                                         " (SELECT name FROM sqlite_master WHERE type = 'table')"
                                         " ORDER BY rowid LIMIT 1000",
                  message, NULL);
    while (xs_scan_row(&scan))
        if (sink->json)
            xs_json_text(sink->json, NULL, xs_scan_text(&scan, 0));
        else
            xs_table_cell(table, xs_scan_text(&scan, 0));
    end_rows(sink, ']', table);
    return xs_scan_end(&scan);
}

static int show_notes(const struct xs_trace *trace, struct sink *sink, char *message) {
    static const char *const headers[] = {"at", "topic", "note"};
    struct xs_table *table = begin_rows(sink, ']', "notes", NULL, headers, "rll");
    struct xs_scan scan;
    xs_scan_begin(&scan, trace, "SELECT at_ns, topic, text FROM note ORDER BY id LIMIT 10000", message, NULL);
    while (xs_scan_row(&scan)) {
        int64_t at = xs_scan_int(&scan, 0);
        bool known = !xs_scan_null(&scan, 0) && at >= 0;
        if (sink->json) {
            xs_json_object(sink->json, NULL);
            xs_json_known_int(sink->json, "at_ns", known, at);
            xs_json_text(sink->json, "topic", xs_scan_text(&scan, 1));
            xs_json_text(sink->json, "text", xs_scan_text(&scan, 2));
            xs_json_end(sink->json, '}');
        } else {
            xs_table_cell(table, known ? XS_NS_TEXT((uint64_t)at) : NULL);
            xs_table_cell(table, xs_scan_text(&scan, 1));
            xs_table_cell(table, xs_scan_text(&scan, 2));
        }
    }
    if (xs_table_rows(table))
        xs_out_heading(sink->out, "Notes");
    end_rows(sink, ']', table);
    return xs_scan_end(&scan);
}

static void show_file(const struct xs_trace *trace, struct sink *sink) {
    struct stat st;
    char status[64];
    int64_t size = stat(trace->file, &st) == 0 ? (int64_t)st.st_size : 0;
    int64_t schema = xs_trace_meta_int(trace, "schema_version", 0);
    xs_trace_meta_text(trace, "status", status, sizeof status, "unknown");
    if (sink->json) {
        xs_json_text(sink->json, "trace", trace->path);
        xs_json_int(sink->json, "file_bytes", size);
        xs_json_int(sink->json, "schema_version", schema);
        xs_json_text(sink->json, "sqlite_version", sqlite3_libversion());
        xs_json_bool(sink->json, "still_running", trace->is_live);
        return;
    }
    XS_SCOPED char *path = xs_text_escaped(trace->path), *text = xs_text_escaped(status);
    fprintf(sink->out->file, "%s%s%s\n  %s%s, schema version %" PRId64 ", %s\n",
            xs_style_on(sink->out, XS_STYLE_HEADING), path, xs_style_off(sink->out, XS_STYLE_HEADING),
            trace->merged_id < 0 ? "" : "in a merged file of ", XS_BYTES_TEXT((uint64_t)size), schema,
            trace->is_live ? "still being written" : text);
}

/* Shows how many lines of source text are stored, because a user should know that before giving the trace to other
 * people. */
static int show_sources(const struct xs_trace *trace, struct sink *sink, char *message) {
    uint64_t lines = 0;
    int status = count_rows(trace, "source_line", &lines, message);
    if (sink->json)
        xs_json_count(sink->json, "source_lines", lines);
    else if (lines)
        fprintf(sink->out->file, "  with the text of %s line%s of source\n", XS_COUNT_TEXT(lines),
                lines == 1 ? "" : "s");
    else
        fprintf(sink->out->file, "  without text of sources\n");
    return status;
}

/* Shows the recorded windows of device times; this command does not model times. */
static void show_windows(const struct xs_trace *trace, struct sink *sink) {
    struct xs_device_windows *windows = xs_device_windows_read(trace);
    if (!windows)
        return;
    if (sink->json) {
        xs_json_object(sink->json, "device_windows");
        xs_json_count(sink->json, "windows", windows->items.count);
        xs_json_count(sink->json, "recorded_ns", windows->recorded_ns);
        xs_json_count(sink->json, "detachments", windows->detachments);
        xs_json_end(sink->json, '}');
    } else {
        fprintf(sink->out->file, "  with device times of %zu window%s, %s together\n", windows->items.count,
                windows->items.count == 1 ? "" : "s", XS_NS_TEXT(windows->recorded_ns));
    }
    xs_device_windows_free(windows);
}

static void show_ranges(const struct xs_trace *trace, struct sink *sink) {
    struct xs_capture_ranges ranges;
    xs_capture_ranges_read(&ranges, trace);
    if (ranges.limited && sink->json) {
        xs_json_object(sink->json, "ranges");
        xs_json_count(sink->json, "parts", ranges.parts);
        xs_json_count(sink->json, "recorded_ns", ranges.recorded_ns);
        xs_json_end(sink->json, '}');
    } else if (ranges.limited) {
        fprintf(sink->out->file, "  with the calls of %s part%s of the run, %s together\n", XS_COUNT_TEXT(ranges.parts),
                ranges.parts == 1 ? "" : "s", XS_NS_TEXT(ranges.recorded_ns));
    }
    xs_capture_ranges_free(&ranges);
}

/* Adds a line; nothing for an empty text. */
static void put_line(struct xs_table *table, const char *name, const char *text) {
    if (!*text)
        return;
    xs_table_cell(table, name);
    xs_table_cell(table, text);
}

/* Adds what most people look for in the table meta. */
static void put_run(const struct xs_trace *trace, struct xs_table *table) {
    static const struct {
        const char *name, *key;
    } texts[] = {{"command", "command"},
                 {"host", "host"},
                 {"recorded by", "xferspy_version"},
                 {"imported by", "importer"},
                 {"CUPTI", "cupti.status"}},
      numbers[] = {{"process", "pid"}, {"rank", "rank"}, {"anonymized", "anonymized"}};
    char text[1024];
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        put_line(table, texts[i].name, xs_trace_meta_text(trace, texts[i].key, text, sizeof text, ""));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        int64_t value = xs_trace_meta_int(trace, numbers[i].key, -1);
        snprintf(text, sizeof text, "%" PRId64, value);
        put_line(table, numbers[i].name, value >= 0 ? text : "");
    }
    int64_t start = xs_trace_meta_int(trace, "start_unix_ns", 0),
            duration = xs_trace_meta_int(trace, "duration_ns", -1);
    if (start > 0)
        put_line(table, "started", XS_UNIX_NS_TEXT(start));
    if (duration >= 0)
        put_line(table, "duration", XS_NS_TEXT((uint64_t)duration));
}

enum { DEVICES_SHOWN = 16 };

static int put_devices(const struct xs_trace *trace, struct xs_table *table, char *message) {
    char buffer[XS_UNIT_BYTES], *more;
    struct xs_scan scan;
    uint64_t devices = 0;
    int status = count_rows(trace, "device", &devices, message), shown = 0;
    if (status < 0)
        return status;
    xs_scan_begin(&scan, trace, "SELECT name FROM device ORDER BY id", message, NULL);
    while (shown < DEVICES_SHOWN && xs_scan_row(&scan)) {
        xs_table_cell(table, shown++ ? NULL : devices == 1 ? "device" : "devices");
        xs_table_cell(table, xs_scan_text(&scan, 0));
    }
    if (devices > DEVICES_SHOWN) {
        more = xs_text_format("and %s more", xs_format_count(buffer, devices - DEVICES_SHOWN));
        xs_table_cell(table, NULL);
        xs_table_cell(table, more);
        free(more);
    }
    return xs_scan_end(&scan);
}

static int show_short(const struct xs_trace *trace, struct sink *sink, char *message) {
    static const struct {
        const char *name, *table;
    } counts[] = {{"transfers", "transfer"}, {"launches", "launch"}, {"allocations", "allocation"}, {"notes", "note"}};
    XS_SCOPED_TABLE *table = new_table(NULL, "ll");
    put_run(trace, table);
    int status = put_devices(trace, table, message);
    for (size_t i = 0; status >= 0 && i < sizeof counts / sizeof *counts; i++) {
        uint64_t rows = 0;
        status = count_rows(trace, counts[i].table, &rows, message);
        put_line(table, counts[i].name, XS_COUNT_TEXT(rows));
    }
    xs_table_print(table, sink->out);
    XS_SCOPED char *word = xs_text_shell_word(trace->path);
    xs_out_line(sink->out, XS_STYLE_DIM, "Everything: xferspy info --all %s", word);
    return status;
}

static int show_all(const struct xs_trace *trace, struct sink *sink, char *message) {
    int status = show_meta(trace, sink, message);
    if (status >= 0)
        status = show_tables(trace, sink, message);
    if (status >= 0)
        status = show_views(trace, sink, message);
    return status < 0 ? status : show_notes(trace, sink, message);
}

static int show_trace(const char *path, struct sink *sink) {
    struct xs_trace trace;
    char message[XS_TRACE_MESSAGE_BYTES] = "";
    if (xs_open(path, &trace, true) < 0)
        return XS_EXIT_ERROR;
    if (sink->json)
        xs_json_object(sink->json, NULL);
    show_file(&trace, sink);
    int status = show_sources(&trace, sink, message);
    show_windows(&trace, sink);
    show_ranges(&trace, sink);
    if (status >= 0)
        status = sink->all ? show_all(&trace, sink, message) : show_short(&trace, sink, message);
    if (sink->json)
        xs_json_end(sink->json, '}');
    if (status < 0)
        xs_complain("%s", message);
    xs_trace_close(&trace);
    return status < 0 ? XS_EXIT_ERROR : XS_EXIT_OK;
}

static const struct argp_child children[] = {XS_OUTPUT_CHILD, {0}};
static error_t parse(int key, char *argument, struct argp_state *state) {
    struct xs_traces_arguments *arguments = state->input;
    if (key != OPTION_FORMAT)
        return xs_parse_traces(key, argument, state);
    arguments->json = xs_parse_word("format", argument, formats, state) != 0;
    return 0;
}

const struct xs_interface xs_interface_info = {
    .argp = {.options = options, .parser = parse, .args_doc = "TRACE...", .doc = doc, .children = children}};

int xs_command_info(int argc, char **argv) {
    struct xs_traces_arguments arguments = {0};
    struct xs_traces traces;
    struct xs_out out;
    if (argp_parse(&xs_interface_info.argp, argc, argv, 0, NULL, &arguments) != 0)
        return XS_EXIT_USAGE;
    int status = xs_traces_expand(arguments.traces, arguments.count, &traces);
    if (xs_output_is_trace(&arguments.output, &traces) || xs_out_open(&out, &arguments.output) < 0) {
        xs_traces_free(&traces);
        return XS_EXIT_ERROR;
    }
    struct xs_json json = {.file = out.file};
    struct sink sink = {.out = &out, .json = arguments.json ? &json : NULL, .all = arguments.json || arguments.details};
    if (arguments.json) {
        xs_json_document(&json, "xferspy-info", XS_INFO_JSON_VERSION);
        xs_json_array(&json, "traces");
    }
    for (int i = 0; i < traces.count; i++) {
        if (i && !arguments.json)
            putc('\n', out.file);
        if (show_trace(traces.names[i], &sink) != XS_EXIT_OK)
            status = XS_EXIT_ERROR;
    }
    if (arguments.json) {
        xs_json_end(&json, ']');
        xs_json_end(&json, '}');
    }
    if (xs_out_close(&out, status == XS_EXIT_OK || traces.count > 1) < 0)
        status = XS_EXIT_ERROR;
    xs_traces_free(&traces);
    return status;
}
