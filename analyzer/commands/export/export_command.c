/* xferspy export: writes a trace in the formats of other tools (analyzer/commands/export). */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/progress.h"
#include "analyzer/commands/common/command.h"
#include "analyzer/commands/common/traces.h"
#include "analyzer/commands/export/export.h"
#include "analyzer/commands/fleet_files/fleet_files.h"
#include "analyzer/symbols/debug_path.h"
#include "schema/spelling.h"

XS_DECLARE_COMMAND(export)

struct format {
    const char *name;
    unsigned traits;
    int (*write)(const struct xs_export *e);
};
static const struct format formats[] = {
#define XS_EXPORT_FORMAT(name, traits, summary) {#name, traits, xs_export_##name},
#include "analyzer/commands/export/formats.def"
#undef XS_EXPORT_FORMAT
    {NULL, 0, NULL}};

struct arguments {
    struct xs_traces_arguments traces; /* must be the first member, for xs_parse_traces */
    const struct format *format;
    const struct xs_export_what *what;
    bool formulas;
};

enum { OPTION_FORMAT = 0x200, OPTION_WHAT, OPTION_FORMULAS };
static const char *const what_names[] = {
#define XS_EXPORT_WHAT(name, table, summary, sql) #name,
#include "analyzer/commands/export/whats.def"
#undef XS_EXPORT_WHAT
    NULL};
/* "perfetto|jsonl|..." */
static const char format_words[] =
#define XS_EXPORT_FORMAT(name, traits, summary) "|" #name
#include "analyzer/commands/export/formats.def"
#undef XS_EXPORT_FORMAT
    ;
static const struct argp_option options[] = {
    {NULL, 0, NULL, 0, "What to write:", 1},
    {"format", OPTION_FORMAT, format_words + 1, 0, "which format; there is no default", 1},
    {"what", OPTION_WHAT, "ROWS", 0, "for jsonl and csv: which rows to write, see below; transfers if not given", 1},
    {"formulas", OPTION_FORMULAS, NULL, 0,
     "for csv: put no apostrophe before text that begins with =, +, - or @. Without the apostrophe spreadsheets run "
     "such text as a formula",
     1},
    {0}};

static const char doc[] =
    "Writes a trace, with its findings, in a format that other tools read."
    "\v"
    "Examples:\n"
    "  xferspy export --format=perfetto -o run.pftrace run.db\n"
    "  xferspy export --format=jsonl run.db | jq -c 'select(.findings != [])'\n"
    "  xferspy export --format=csv --what=kernels -o kernels.csv run.db\n"
    "  xferspy export --format=speedscope -o run.speedscope.json run.db\n"
    "  xferspy export --format=openmetrics rank*.db > xferspy.prom\n"
    "  xferspy export --format=parquet -o fleet/ traces/\n"
    "\n"
    "Formats:\n"
#define XS_EXPORT_FORMAT(name, traits, summary) "  " #name ": " summary "\n"
#include "analyzer/commands/export/formats.def"
#undef XS_EXPORT_FORMAT
    "\n"
    "Rows for --what:\n"
#define XS_EXPORT_WHAT(name, table, summary, sql) "  " #name ": " summary "\n"
#include "analyzer/commands/export/whats.def"
#undef XS_EXPORT_WHAT
    "\n"
    "ui.perfetto.dev opens run.pftrace, speedscope.app opens run.speedscope.json. A trace without CUPTI has no device "
    "times; a trace without stacks has no places in the program.";

/* "perfetto, jsonl, ... or openmetrics" */
static struct xs_string format_names(void) {
    struct xs_string names = {0};
    for (const struct format *f = formats; f->name; f++)
        xs_string_format(&names, "%s%s", f == formats ? "" : f[1].name ? ", " : " or ", f->name);
    return names;
}

static const char *nearest_format(const char *text) {
    struct xs_nearest nearest;
    xs_nearest_begin(&nearest, text, strlen(text));
    for (const struct format *f = formats; f->name; f++)
        xs_nearest_try(&nearest, f->name);
    return xs_nearest_name(&nearest);
}

static error_t parse_format(const char *text, struct arguments *arguments, struct argp_state *state) {
    struct xs_string names = format_names();
    for (const struct format *f = formats; f->name; f++)
        if (!strcmp(f->name, text))
            arguments->format = f;
    if (!arguments->format) {
        const char *meant = !strcmp(text, "prometheus") ? "openmetrics" : nearest_format(text);
        argp_error(state, "--format=%s: use %s%s%s%s", text, names.data, meant ? "; did you mean `" : "",
                   meant ? meant : "", meant ? "'?" : "");
    }
    xs_string_free(&names);
    return 0;
}

static void check(struct arguments *arguments, struct argp_state *state) {
    const struct format *format = arguments->format;
    const char *output = arguments->traces.output.path;
    if (!format) {
        struct xs_string names = format_names();
        argp_error(state, "which format? --format=%s", names.data);
        xs_string_free(&names);
    } else if (format->traits & XS_EXPORT_FOLDER && (!output || !strcmp(output, "-")))
        argp_error(state, "--format=%s makes files in a folder; name it with -o DIR", format->name);
    else if (arguments->what && !(format->traits & XS_EXPORT_ROWS))
        argp_error(state, "--what is about the rows of jsonl and csv");
    else if (arguments->formulas && strcmp(format->name, "csv") != 0)
        argp_error(state, "--formulas is about csv");
    else if (arguments->traces.count > 1 && !(format->traits & XS_EXPORT_SEVERAL))
        argp_error(state, "one trace at a time in this format");
}

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct arguments *arguments = state->input;
    switch (key) {
    case OPTION_FORMAT:
        return parse_format(argument, arguments, state);
    case OPTION_WHAT:
        arguments->what = &xs_export_whats[xs_parse_word("what", argument, what_names, state)];
        return 0;
    case OPTION_FORMULAS:
        arguments->formulas = true;
        return 0;
    case ARGP_KEY_END:
        check(arguments, state);
        return 0;
    default:
        return xs_parse_traces(key, argument, state);
    }
}

static int write_all(const struct arguments *arguments, struct xs_reading *readings, const struct xs_marks *marks) {
    char message[XS_TRACE_MESSAGE_BYTES] = "";
    const struct xs_out_options *output = &arguments->traces.output;
    struct xs_out out;
    struct xs_export e = {.reading = readings,
                          .marks = marks,
                          .what = arguments->what ? arguments->what : xs_export_whats,
                          .formulas = arguments->formulas,
                          .count = arguments->traces.count,
                          .out = &out,
                          .message = message};
    if (xs_out_open(&out, output) < 0)
        return XS_EXIT_ERROR;
    xs_progress_range(XS_PROGRESS_READ_EXPORT, 1, 0, 1);
    xs_progress_at(XS_PROGRESS_WRITE);
    int status = arguments->format->write(&e);
    if (status < 0)
        xs_complain("%s", message);
    if (xs_out_close(&out, status >= 0) < 0)
        status = XS_ERROR_SYSTEM;
    return status < 0 ? XS_EXIT_ERROR : XS_EXIT_OK;
}

static int export_traces(const struct arguments *arguments) {
    int count = arguments->traces.count, open = 0, status = XS_EXIT_OK;
    struct xs_reading *readings = xs_realloc(NULL, (size_t)count * sizeof *readings);
    struct xs_marks marks = {0};
    const struct xs_analysis_options analysis = {.on_instance = xs_marks_take, .data = &marks};
    const struct xs_reading_request one = {.analysis = &analysis};
    /* a terminal that gets the output shows no line */
    bool is_file = arguments->traces.output.path || !isatty(STDOUT_FILENO);
    if (is_file)
        xs_progress_begin_file(*arguments->traces.traces, 0);
    while (open < count && status == XS_EXIT_OK) {
        xs_progress_range(0, XS_PROGRESS_READ_EXPORT, (size_t)open, (size_t)count);
        status = xs_reading_open(arguments->traces.traces[open], count == 1 ? &one : NULL, &readings[open]);
        if (status == XS_EXIT_OK)
            open++;
    }
    if (status == XS_EXIT_OK) {
        xs_marks_seal(&marks, readings->diagnosis, SIZE_MAX);
        status = write_all(arguments, readings, &marks);
    }
    if (is_file)
        xs_progress_end();
    for (int i = 0; i < open; i++)
        xs_reading_close(&readings[i]);
    xs_marks_free(&marks);
    free(readings);
    return status;
}

/* Adds the files of each trace to the folder. A trace that cannot be read does not prevent the others. */
static int export_into_folder(const struct arguments *arguments) {
    const struct xs_reading_request request = {.analysis = &xs_fleet_analysis};
    struct xs_traces named;
    int status = xs_traces_expand(arguments->traces.traces, arguments->traces.count, &named);
    xs_memory_for_many_traces();
    for (int i = 0; i < named.count; i++) {
        char message[XS_TRACE_MESSAGE_BYTES] = "";
        struct xs_reading reading;
        const struct xs_export e = {
            .reading = &reading, .count = 1, .folder = arguments->traces.output.path, .message = message};
        if (xs_reading_open(named.names[i], &request, &reading) != XS_EXIT_OK) {
            status = XS_EXIT_ERROR;
            continue;
        }
        if (arguments->format->write(&e) < 0)
            status = XS_EXIT_ERROR;
        xs_reading_close(&reading);
    }
    xs_traces_free(&named);
    return status;
}

/* True if the output is refused, because binary data is written to a terminal only with --force. */
static bool is_refused(const struct arguments *arguments) {
    const struct xs_out_options *output = &arguments->traces.output;
    bool standard = !output->path || !strcmp(output->path, "-");
    if (!(arguments->format->traits & XS_EXPORT_BINARY) || !standard || output->force || !isatty(fileno(stdout)))
        return false;
    xs_complain(
        "--format=%s is binary, and standard output is a terminal; name a file with -o FILE, or insist with --force",
        arguments->format->name);
    return true;
}

static const struct argp_child children[] = {XS_OUTPUT_CHILD, XS_DEBUG_PATH_CHILD, {0}};
const struct xs_interface xs_interface_export = {
    .argp = {.options = options, .parser = parse, .args_doc = "TRACE...", .doc = doc, .children = children}};

int xs_command_export(int argc, char **argv) {
    struct arguments arguments = {0};
    const struct xs_traces_arguments *traces = &arguments.traces;
    if (argp_parse(&xs_interface_export.argp, argc, argv, 0, NULL, &arguments) != 0)
        return XS_EXIT_USAGE;
    if (arguments.format->traits & XS_EXPORT_FOLDER)
        return export_into_folder(&arguments);
    if (is_refused(&arguments) || xs_output_is_input(&traces->output, traces->traces, traces->count) ||
        xs_out_check(&traces->output) < 0)
        return XS_EXIT_ERROR;
    return export_traces(&arguments);
}
