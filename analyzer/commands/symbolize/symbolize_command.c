/* xferspy symbolize: writes the functions and source lines of a trace's addresses into the trace, so that it can be
 * read on machines without the binaries. */
#include <inttypes.h>
#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/progress.h"
#include "analyzer/base/text.h"
#include "analyzer/commands/common/command.h"
#include "analyzer/commands/common/traces.h"
#include "analyzer/symbols/debug_path.h"
#include "analyzer/trace/callsites_internal.h"
#include "analyzer/trace/lines/lines.h"

XS_DECLARE_COMMAND(symbolize)

enum { PATIENCE_MS = 5000 };
enum { OPTION_FORCE = XS_OPTION_DETAILS + 1 };

struct arguments {
    struct xs_traces_arguments traces; /* must be the first member, for xs_parse_traces */
    bool force;
};

static const struct argp_option options[] = {
    {NULL, 0, NULL, 0, "What to do:", 1},
    {"force", OPTION_FORCE, NULL, 0, "look everything up again and replace what the trace has", 1},
    {0}};

static const char doc[] =
    "Looks up the functions, files and lines of a trace's call sites in the binaries of this machine, and writes them "
    "into the trace with the text of these lines. Then you can read the trace on another machine, or after the next "
    "build. Functions and lines that the trace has already stay."
    "\v"
    "Examples:\n"
    "  xferspy symbolize run.db\n"
    "  xferspy symbolize --debug-path=build/debug --force run.db\n"
    "\n"
    "Debug information is read from the binaries themselves, from debug files beside them, in .debug beside them and "
    "in /usr/lib/debug, and from the folders of --debug-path. Nothing is downloaded.";

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct arguments *arguments = state->input;
    if (key != OPTION_FORCE)
        return xs_parse_traces(key, argument, state);
    arguments->force = true;
    return 0;
}

static void tell(const char *path, const struct xs_lines *lines) {
    XS_SCOPED char *name = xs_text_escaped(path);
    const char *note;
    if (!lines->callsites->stack_count) {
        printf("%s: no stacks were recorded\n", name);
        return;
    }
    printf("%s: %" PRIu32 " addresses resolved", name, lines->found);
    if (lines->stored)
        printf(", %" PRIu32 " were before", lines->stored);
    if (lines->unknown)
        printf(", %" PRIu32 " are not known", lines->unknown);
    if (lines->text_count)
        printf(", and the text of %" PRIu32 " line%s", lines->text_count, lines->text_count == 1 ? "" : "s");
    putchar('\n');
    for (size_t i = 0; (note = xs_callsites_note(lines->callsites, i)); i++) {
        XS_SCOPED char *text = xs_text_escaped(note);
        printf("  %s\n", text);
    }
}

static bool write_lines(const struct xs_trace *trace, const struct xs_lines *lines) {
    char why[XS_LINES_WHY_BYTES];
    if ((!lines->found && !lines->text_count) || xs_lines_write(trace, lines, PATIENCE_MS, why))
        return true;
    XS_SCOPED char *path = xs_traces_file(trace->path);
    xs_complain("%s: %s", path, why);
    return false;
}

static int symbolize_stacks(const struct xs_trace *trace, bool force) {
    struct xs_lines lines;
    char message[XS_TRACE_MESSAGE_BYTES] = "";
    xs_progress_begin(trace);
    int status = xs_lines_find(trace, XS_LINES_ASKED, force, &lines, message);
    xs_progress_end();
    if (status < 0) {
        xs_complain("%s", message);
        return XS_EXIT_ERROR;
    }
    bool written = write_lines(trace, &lines);
    if (written)
        tell(trace->path, &lines);
    xs_lines_free(&lines);
    return written ? XS_EXIT_OK : XS_EXIT_ERROR;
}

static int symbolize(const char *path, bool force) {
    struct xs_trace trace;
    int status = XS_EXIT_ERROR;
    if (xs_open(path, &trace, true) < 0)
        return status;
    if (trace.is_live)
        xs_complain_live(path, "symbolize");
    else
        status = symbolize_stacks(&trace, force);
    xs_trace_close(&trace);
    return status;
}

static const struct argp_child children[] = {XS_DEBUG_PATH_CHILD, {0}};
const struct xs_interface xs_interface_symbolize = {
    .argp = {.options = options, .parser = parse, .args_doc = "TRACE...", .doc = doc, .children = children}};

int xs_command_symbolize(int argc, char **argv) {
    struct arguments arguments = {0};
    if (argp_parse(&xs_interface_symbolize.argp, argc, argv, 0, NULL, &arguments) != 0)
        return XS_EXIT_USAGE;
    struct xs_traces traces;
    int status = xs_traces_expand(arguments.traces.traces, arguments.traces.count, &traces);
    for (int i = 0; i < traces.count; i++)
        if (symbolize(traces.names[i], arguments.force) != XS_EXIT_OK)
            status = XS_EXIT_ERROR;
    xs_traces_free(&traces);
    return status;
}
