/* xferspy html: writes one or two traces as one page that any browser can show. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/base/progress.h"
#include "analyzer/commands/common/command.h"
#include "analyzer/commands/common/process.h"
#include "analyzer/commands/html/document.h"
#include "analyzer/commands/html/page.h"
#include "analyzer/commands/html/stream.h"
#include "analyzer/symbols/debug_path.h"

XS_DECLARE_COMMAND(html)

static const char doc[] =
    "Writes a page that shows a trace: what was found, with its evidence; a timeline of host threads, streams and "
    "devices in which a finding's transfers are marked; where the GPU waited, and whether it would save time not to "
    "wait; bandwidth against size; transfers by call site; what lay in a buffer and when. With a second trace, of the "
    "same program after a change, the page compares both."
    "\v"
    "Examples:\n"
    "  xferspy html -o run.html run.db\n"
    "  xferspy html -o now.html 4242          a running process, up to now\n"
    "  xferspy html -o change.html before.db after.db\n"
    "\n"
    "The page is one file. It loads nothing, and sends nothing: it can be mailed, attached to a ticket, and opened "
    "without a network. If a trace has many transfers, the page has sums over short times instead of single transfers.";

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct xs_traces_arguments *arguments = state->input;
    error_t error = xs_parse_traces(key, argument, state);
    if (key == ARGP_KEY_ARGS && arguments->count > 2)
        argp_error(state, "one trace, or two to compare");
    return error;
}

static int write_page(struct xs_html_run_of *runs, size_t count, FILE *file) {
    struct xs_html_stream stream;
    char message[XS_TRACE_MESSAGE_BYTES];
    fwrite(xs_html_head, 1, xs_html_head_bytes, file);
    struct xs_json json = {.file = xs_html_stream_open(&stream, file)};
    if (!json.file) {
        xs_complain("no memory");
        return XS_EXIT_ERROR;
    }
    int status = xs_html_document(runs, count, &json, message);
    fclose(json.file);
    fwrite(xs_html_tail, 1, xs_html_tail_bytes, file);
    if (status < 0)
        xs_complain("%s", message);
    return status < 0 ? XS_EXIT_ERROR : XS_EXIT_OK;
}

static int open_and_write(char *const *paths, size_t count, FILE *file) {
    struct xs_html_run_of runs[2];
    size_t opened = 0;
    int status = XS_EXIT_OK;
    xs_progress_begin_file(paths[0], 0);
    while (opened < count && status == XS_EXIT_OK) {
        xs_progress_range(0, XS_PROGRESS_READ_HTML, opened, count);
        status = xs_html_run_open(paths[opened], &runs[opened]);
        opened += status == XS_EXIT_OK;
    }
    if (status == XS_EXIT_OK)
        status = write_page(runs, count, file);
    xs_progress_end();
    while (opened)
        xs_html_run_close(&runs[--opened]);
    return status;
}

/* Replaces numbers of processes by the paths of their traces. False: a message was printed. */
static bool find_names(char *const *arguments, size_t count, char **names) {
    for (size_t i = 0; i < count; i++)
        if (!(names[i] = xs_trace_named(arguments[i])))
            return false;
    return true;
}

static const struct argp_child children[] = {XS_OUTPUT_CHILD, XS_DEBUG_PATH_CHILD, {0}};
const struct xs_interface xs_interface_html = {
    .argp = {.parser = parse, .args_doc = "TRACE|PID [TRACE]", .doc = doc, .children = children}};

int xs_command_html(int argc, char **argv) {
    struct xs_traces_arguments arguments = {0};
    struct xs_out out;
    if (argp_parse(&xs_interface_html.argp, argc, argv, 0, NULL, &arguments) != 0)
        return XS_EXIT_USAGE;
    if (!xs_html_head_bytes) {
        xs_complain("this xferspy was built without `html': building it takes npm and Node.js 18 or newer");
        return XS_EXIT_ERROR;
    }
    if ((!arguments.output.path || !strcmp(arguments.output.path, "-")) && isatty(STDOUT_FILENO)) {
        xs_complain("a page is no text for a terminal; name a file: -o run.html");
        return XS_EXIT_ERROR;
    }
    char *paths[2] = {NULL, NULL};
    int status = XS_EXIT_ERROR;
    if (find_names(arguments.traces, (size_t)arguments.count, paths) &&
        !xs_output_is_input(&arguments.output, paths, arguments.count) && xs_out_open(&out, &arguments.output) >= 0) {
        status = open_and_write(paths, (size_t)arguments.count, out.file);
        if (xs_out_close(&out, status == XS_EXIT_OK) < 0)
            status = XS_EXIT_ERROR;
    }
    free(paths[0]);
    free(paths[1]);
    return status;
}
