/* xferspy report: what was found in a trace and what it shows, on one screen. */
#include "analyzer/output/report.h"
#include "analyzer/command.h"
#include "analyzer/model/analyse.h"
#include "analyzer/model/summary.h"
#include "analyzer/output/progress.h"

static const struct argp_option options[] = {
    {NULL, 0, NULL, 0, "What to show:", 1},
    {"json", XS_OPTION_JSON, NULL, 0, "everything, as JSON: format \"xferspy-report\", units in the names", 1},
    {"details", XS_OPTION_DETAILS, NULL, 0, "every finding at length, the largest and the slowest transfers", 1},
    {0}};

static const char doc[] =
    "Shows which copies between CPU and GPU were wasted, ranked by the time that removing them gives back, what all of "
    "them together would give back, and what to do. Then totals by direction and memory kind against the link's peak, "
    "how much copying ran beside kernels, allocations, waiting, what the trace covers, and what profiling itself cost."
    "\v"
    "Examples:\n"
    "  xferspy report xferspy-app.4242.db\n"
    "  xferspy report --details run.db\n"
    "  xferspy report --json run.db | jq '.traces[0].findings[0]'\n"
    "  xferspy report -o report.txt rank*.db\n"
    "\n"
    "A finding is named as `xferspy explain' takes it. `on the device' is the time that its copies took there, "
    "`exposed' the part of it in which no kernel ran or the host was blocked. What it gives back is exposed time where "
    "that is known.\n"
    "\n"
    "`H2D pageable' are uploads from pageable host memory, `D2H pinned' downloads into pinned memory, `D2D' copies on "
    "the device. "
    "`device time' is the time between start and end of a copy on the device, as CUPTI recorded it; `rate' is bytes by "
    "device time, `of link' that rate against the link's peak in one direction, `of run' the device time against the "
    "run's "
    "wall time (copies that ran side by side can add up to more than 100 %). `*' marks numbers of which some transfers "
    "have no device time. The device time of launches is the sum of their kernels'.\n"
    "\n"
    "A trace that a killed process left is completed first from its .spool file.";

/* How a report is to be shown. */
struct view {
    struct xs_json *json; /* NULL: as text */
    bool details;
    struct xs_out *out;
};

static void show(const struct xs_report *report, const struct view *view, const char *path, int index) {
    if (view->json) {
        if (!view->json->depth)
            xs_report_json_begin(view->json);
        xs_report_json(report, view->json);
        return;
    }
    if (index >= 0)
        xs_report_text_heading(path, index, view->out);
    xs_report_text(report, view->out);
}

/* One trace; a failure was printed and leaves the output as it was. `index` is its heading's, negative for none. */
static int report_one(const char *path, const struct view *view, int index) {
    struct xs_trace trace;
    struct xs_summary summary;
    struct xs_findings *findings = NULL;
    struct xs_report report = {.summary = &summary, .details = view->details};
    struct xs_progress progress;
    char message[XS_TRACE_MESSAGE_BYTES];
    if (xs_open(path, &trace, false) < 0)
        return XS_EXIT_ERROR;
    xs_progress_begin(&progress, &trace);
    int status = xs_summary_compute(&trace, &summary, message);
    bool summed = status >= 0;
    if (status >= 0)
        status = xs_analyse(&trace, NULL, &findings, message);
    if (status >= 0)
        status = xs_checked_read(&trace, &report.checked, message);
    xs_progress_end(&progress);
    report.findings = findings;
    if (status < 0)
        xs_complain("%s", message);
    else
        show(&report, view, path, index);
    xs_findings_free(findings);
    if (summed)
        xs_summary_free(&summary);
    xs_trace_close(&trace);
    return status < 0 ? XS_EXIT_ERROR : XS_EXIT_OK;
}

int xs_report_traces(char *const *paths, int count, bool as_json, bool details, struct xs_out *out) {
    struct xs_json json = {.file = out->file};
    struct view view = {.json = as_json ? &json : NULL, .details = details, .out = out};
    int status = XS_EXIT_OK, shown = 0;
    for (int i = 0; i < count; i++) {
        if (report_one(paths[i], &view, count > 1 ? shown : -1) == XS_EXIT_OK)
            shown++;
        else
            status = XS_EXIT_ERROR;
    }
    if (json.depth)
        xs_report_json_end(&json);
    return status;
}

int xs_command_report(int argc, char **argv) {
    static const struct argp_child children[] = {XS_OUTPUT_CHILD, {0}};
    static const struct argp argp = {
        .options = options, .parser = xs_parse_traces, .args_doc = "TRACE...", .doc = doc, .children = children};
    struct xs_traces_arguments arguments = {0};
    struct xs_out out;
    if (argp_parse(&argp, argc, argv, 0, NULL, &arguments) != 0)
        return XS_EXIT_USAGE;
    if (xs_output_is_input(&arguments.output, arguments.traces, arguments.count) ||
        xs_out_open(&out, &arguments.output) < 0)
        return XS_EXIT_ERROR;
    int status = xs_report_traces(arguments.traces, arguments.count, arguments.json, arguments.details, &out);
    /* with one trace that could not be read there is nothing to keep */
    if (xs_out_close(&out, status == XS_EXIT_OK || arguments.count > 1) < 0)
        status = XS_EXIT_ERROR;
    return status;
}
