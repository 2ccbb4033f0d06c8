/* xferspy report: shows the findings of a trace, and what the trace contains, on one screen. */
#include "analyzer/base/memory.h"
#include "analyzer/base/progress.h"
#include "analyzer/commands/report/report.h"
#include "analyzer/symbols/debug_path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/commands/common/command.h"
#include "analyzer/commands/common/reading.h"
#include "analyzer/commands/common/traces.h"
#include "analyzer/commands/job/job.h"
#include "analyzer/commands/job/job_words.h"
#include "analyzer/totals/summary/summary_by.h"

XS_DECLARE_COMMAND(report)

enum { OPTION_BY = 0x200, OPTION_TOP, OPTION_FORMAT, OPTION_SECTIONS, OPTION_EACH };
enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_MARKDOWN };
static const char *const format_names[] = {"text", "json", "markdown", NULL};

#define SECTION_NAMES "findings, idle, waits, transfers, largest, slowest, memory, waiting, coverage, cost"
static const struct argp_option options[] = {
    {NULL, 0, NULL, 0, "What to show:", 1},
    {"format", OPTION_FORMAT, "text|json|markdown", 0,
     "text is the default, json has everything with units in the names, markdown is for a pull request or an issue", 1},
    {"json", XS_OPTION_JSON, NULL, 0, XS_HELP_JSON, 1},
    {"details", XS_OPTION_DETAILS, NULL, 0, "show every finding in full, and the largest and the slowest transfers", 1},
    {"sections", OPTION_SECTIONS, "LIST", 0,
     "show only these sections, with commas between them: " SECTION_NAMES "; or all", 1},
    {"by", OPTION_BY, "site|function|file|module|nvtx|thread|stream|device", 0,
     "show totals by one of these instead of the report; JSON has them and everything else", 1},
    {"top", OPTION_TOP, "N", 0, "with --by: show at most N rows. If not given: 20, and in JSON all", 1},
    {"each", OPTION_EACH, NULL, 0,
     "if there are several traces: a report of each, instead of one of the job; --by and --sections always do so", 1},
    {0}};

static const char doc[] =
    "Shows which copies between CPU and GPU were unnecessary or slow, what to do about each cause, and what the repair "
    "saves; the largest saving comes first. Then totals by direction and kind of memory, how much copying ran beside "
    "kernels, allocations, "
    "waiting, what the trace covers, and what profiling itself cost. PID is a running process that writes a trace."
    "\v"
    "Examples:\n"
    "  xferspy report xferspy-app.4242.db\n"
    "  xferspy report --details run.db\n"
    "  xferspy report --by=function --top=10 run.db\n"
    "  xferspy report --site=train.py --direction=h2d run.db\n"
    "  xferspy report --since=50% --min-size=1MiB run.db\n"
    "  xferspy report --skip-steps=2 --steps=10 run.db\n"
    "  xferspy report --sections=findings run.db\n"
    "  xferspy report --format=markdown -o comment.md run.db\n"
    "  xferspy report --json run.db | jq '.traces[0].findings[0]'\n"
    "  xferspy report 4242                    what process 4242 has written so far\n"
    "  xferspy report run/                    the traces in a folder, as one job\n"
    "  xferspy report --each -o report.txt rank*.db\n"
    "\n"
    "Several traces are the processes of a job: the report collects their findings by line of the program, with the "
    "ranks that have them, and a table shows how the ranks differ. Savings of processes that run side by side do not "
    "add up: a job saves as much as the process that gains most.\n"
    "\n"
    "`xferspy explain' takes the name of a finding. `on the device' is the time that its copies took there, "
    "`exposed' the part of a copy's time in which no kernel ran, or the host was blocked. `saves' is how much shorter "
    "a replayed run with the "
    "repair is; `saves up to' is an upper limit. `checked N of M': the contents of N of M copies are known.\n"
    "\n"
    "`H2D pageable' are uploads from pageable host memory, `D2H pinned' downloads into pinned memory, `D2D' copies on "
    "the device. "
    "`device time' is the time between start and end of a copy on the device, as CUPTI recorded it; `rate' is bytes "
    "divided "
    "by device time. `of link' is that rate as a share of the link's peak in one direction, `of run' the device time "
    "as a share of the run's wall time, and `of recorded' as a share of the time of the recorded parts; copies that "
    "ran side by side can add up to more than 100 %. `*' marks sums that lack the device time of some transfers. The "
    "device time of launches is the sum of their kernels'.\n"
    "\n"
    "If a process was killed, its trace is first completed from its .spool file.";

/* How a report is to be shown. */
struct view {
    enum format format;
    struct xs_json json; /* used if the format is JSON */
    bool details;
    unsigned sections;
    const struct xs_filter *filter; /* NULL: none */
    int by;                         /* enum xs_by_key, -1: none */
    size_t top;
    struct xs_job *job; /* the job to which the numbers of every trace are added; NULL: there is a single trace */
    bool each;          /* also print every trace's report; always with JSON */
    int shown;          /* number of traces that could be read */
    struct xs_out *out;
};

struct arguments {
    struct xs_traces_arguments traces; /* must be the first member, for xs_parse_traces */
    struct xs_filter filter;
    struct view view;
};

static error_t parse_sections(const char *text, unsigned *sections, struct argp_state *state) {
    for (const char *word = text;; word++) {
        size_t bytes = strcspn(word, ",");
        unsigned i = 0;
        while (xs_report_section_names[i] &&
               (strncmp(xs_report_section_names[i], word, bytes) != 0 || xs_report_section_names[i][bytes] != '\0'))
            i++;
        if (i < XS_SECTION_COUNT) {
            *sections |= 1u << i;
        } else if (bytes == strlen("causes") && !strncmp(word, "causes", bytes)) { /* "causes" is accepted, because it
                                                                                      is the heading of the section */
            *sections |= XS_SECTION_BIT(FINDINGS);
        } else if (bytes == 3 && !strncmp(word, "all", 3)) {
            *sections |= (1u << XS_SECTION_COUNT) - 1;
        } else {
            argp_error(state, "--sections=%s: use " SECTION_NAMES " or all, with commas", text);
            return EINVAL;
        }
        word += bytes;
        if (!*word)
            return 0;
    }
}

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct arguments *arguments = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[2] = &arguments->filter;
        return xs_parse_traces(key, argument, state);
    case OPTION_FORMAT:
        arguments->view.format = (enum format)xs_parse_word("format", argument, format_names, state);
        return 0;
    case XS_OPTION_JSON:
        arguments->view.format = FORMAT_JSON;
        return 0;
    case OPTION_SECTIONS:
        return parse_sections(argument, &arguments->view.sections, state);
    case OPTION_BY:
        arguments->view.by = xs_parse_word("by", argument, xs_by_names, state);
        return 0;
    case OPTION_TOP:
        arguments->view.top = xs_parse_number("top", argument, 1, SIZE_MAX, state);
        return 0;
    case OPTION_EACH:
        arguments->view.each = true;
        return 0;
    case ARGP_KEY_END:
        if (arguments->view.top && arguments->view.by < 0)
            argp_error(state, "--top is about the rows of --by");
        if (arguments->traces.details && arguments->view.by >= 0)
            argp_error(state, "--details and --by: use only one");
        if (arguments->view.sections && arguments->view.by >= 0)
            argp_error(state, "--sections and --by: use only one");
        return 0;
    default:
        return xs_parse_traces(key, argument, state);
    }
}

static void show(const struct xs_report *report, struct view *view, const char *path, int index) {
    if (view->format == FORMAT_JSON) {
        if (!view->json.depth)
            xs_report_json_begin(&view->json);
        xs_report_json(report, &view->json);
        return;
    }
    if (!view->each)
        return;
    if (view->format == FORMAT_MARKDOWN) {
        if (index > 0)
            putc('\n', view->out->file);
        xs_report_markdown(report, view->out);
        return;
    }
    if (index >= 0)
        xs_report_text_heading(path, index, view->out);
    if (index < 0 && view->out->rows)
        xs_report_text_on_terminal(report, view->out);
    else
        xs_report_text(report, view->out);
}

/* Adds a trace's numbers to the job. */
static void add_to_job(struct xs_job *job, const char *path, const struct xs_report *report) {
    XS_SCOPED char *identity = xs_trace_identity(report->summary->trace);
    XS_SCOPED_STRING why = {0};
    xs_content_coverage_why_none(&why, &report->contents);
    xs_job_add(job, path, identity, report->summary, report->diagnosis, why.data ? why.data : "");
}

/* True if another trace of the same process was read before: a copy, or the original of a trace in a merged file. */
static bool is_known(const struct xs_job *job, const struct xs_trace *trace) {
    XS_SCOPED char *identity = job ? xs_trace_identity(trace) : NULL;
    const char *known = identity ? xs_job_known(job, identity) : NULL;
    if (known)
        xs_complain("%s: the same run as %s; counted once", trace->path, known);
    return known != NULL;
}

/* The totals by one key, and the data that the analysis collects for them. */
struct totals {
    enum xs_by_key key;
    struct xs_marks claims;
    struct xs_by by;
};

static int read_totals(void *data, const struct xs_reading *reading, char *message) {
    struct totals *totals = data;
    return xs_by_compute(&reading->trace, reading->diagnosis, &totals->claims, totals->key, &totals->by, message);
}

static void show_reading(const struct xs_reading *reading, const struct xs_by *by, struct view *view, int index) {
    struct xs_tried tried = {0};
    const struct xs_report report = {.summary = &reading->summary,
                                     .diagnosis = reading->diagnosis,
                                     .contents = reading->contents,
                                     .details = view->details,
                                     .sections = view->sections,
                                     .by = by,
                                     .top = view->top,
                                     .tried = &tried};
    if (!reading->diagnosis->findings->selection) /* a result of `try` is about the whole run, so it is not shown with a
                                                     filter */
        xs_tried_read(&tried, &reading->trace);
    show(&report, view, reading->path, index);
    if (view->job)
        add_to_job(view->job, reading->path, &report);
    xs_tried_free(&tried);
}

/* Judges all waits only if they are shown, because that takes many replays. */
static enum xs_judged_waits judged_waits(const struct view *view) {
    if (view->by >= 0)
        return XS_JUDGES_NO_WAITS;
    if (view->format == FORMAT_JSON || view->sections & XS_SECTION_BIT(WAITS))
        return XS_JUDGES_WAITS;
    bool shows_idle =
        view->format == FORMAT_TEXT && view->each && (!view->sections || view->sections & XS_SECTION_BIT(IDLE));
    return shows_idle ? XS_JUDGES_FIRST_WAIT : XS_JUDGES_NO_WAITS;
}

/* Prints the report of one trace. After a failure, prints a message, and nothing to the output. `index`: number of its
 * heading; negative: none. */
static int report_one(const char *path, struct view *view, int index) {
    struct xs_reading reading = {0};
    struct totals totals = {.key = (enum xs_by_key)view->by};
    bool by = view->by >= 0;
    const struct xs_analysis_options analysis = {.on_instance = by ? xs_by_claim : NULL,
                                                 .data = &totals.claims,
                                                 .filter = view->filter,
                                                 .accounts_idle =
                                                     !by && (!view->job || view->each || view->format == FORMAT_JSON),
                                                 .judged_waits = judged_waits(view)};
    const struct xs_reading_request request = {.analysis = &analysis, .more = by ? read_totals : NULL, .data = &totals};
    if (xs_open(path, &reading.trace, false) < 0)
        return XS_EXIT_ERROR;
    if (is_known(view->job, &reading.trace)) {
        xs_trace_close(&reading.trace);
        return XS_EXIT_OK;
    }
    int status = xs_reading_fill(path, &request, &reading);
    xs_marks_free(&totals.claims);
    if (status == XS_EXIT_OK) {
        show_reading(&reading, by ? &totals.by : NULL, view, index);
        xs_reading_close(&reading);
    }
    xs_by_free(&totals.by);
    return status;
}

static int report_all(char *const *paths, int count, struct view *view) {
    int status = XS_EXIT_OK;
    struct xs_job job = {0};
    if (count > 1 && !(view->each && view->format != FORMAT_JSON))
        view->job = &job;
    if (view->job)
        xs_memory_for_many_traces();
    view->each = view->each || count < 2;
    bool is_sum = view->job && !view->each; /* otherwise a report is printed after each trace */
    if (is_sum)
        xs_progress_begin_file(*paths, 0);
    for (int i = 0; i < count; i++) {
        if (is_sum)
            xs_progress_range(0, 1, (size_t)i, (size_t)count);
        if (report_one(paths[i], view, count > 1 ? view->shown : -1) == XS_EXIT_OK)
            view->shown++;
        else
            status = XS_EXIT_ERROR;
    }
    if (is_sum)
        xs_progress_end();
    xs_job_finish(&job);
    if (view->json.depth)
        xs_report_json_end(view->job, &view->json);
    else if (view->job && view->format == FORMAT_MARKDOWN)
        xs_job_markdown(&job, view->details, view->out);
    else if (view->job)
        xs_job_text(&job, view->details, view->out);
    view->job = NULL;
    xs_job_free(&job);
    return status;
}

int xs_report_traces(char *const *paths, int count, struct xs_out *out) {
    struct view view = {.by = -1, .each = true, .out = out};
    return report_all(paths, count, &view);
}

static const struct argp_child children[] = {XS_OUTPUT_CHILD, XS_DEBUG_PATH_CHILD, XS_FILTER_CHILD, {0}};
const struct xs_interface xs_interface_report = {
    .argp = {.options = options, .parser = parse, .args_doc = "TRACE|PID...", .doc = doc, .children = children}};

int xs_command_report(int argc, char **argv) {
    struct xs_out out;
    struct arguments arguments = {.view = {.by = -1, .out = &out}};
    struct xs_traces_arguments *traces = &arguments.traces;
    struct view *view = &arguments.view;
    struct xs_traces named;
    if (argp_parse(&xs_interface_report.argp, argc, argv, 0, NULL, &arguments) != 0)
        return XS_EXIT_USAGE;
    int expanded = xs_traces_expand(traces->traces, traces->count, &named);
    if (xs_output_is_trace(&traces->output, &named) || xs_out_open(&out, &traces->output) < 0) {
        xs_traces_free(&named);
        xs_filter_free(&arguments.filter);
        return XS_EXIT_ERROR;
    }
    view->json.file = out.file;
    view->filter = xs_filter_is_empty(&arguments.filter) ? NULL : &arguments.filter;
    view->details = traces->details;
    view->each = view->each || view->by >= 0 || view->sections;
    int status = report_all(named.names, named.count, view);
    status = status == XS_EXIT_OK ? expanded : status;
    /* if no trace could be read, the output is not kept */
    if (xs_out_close(&out, status == XS_EXIT_OK || view->shown) < 0)
        status = XS_EXIT_ERROR;
    xs_traces_free(&named);
    xs_filter_free(&arguments.filter);
    return status;
}
