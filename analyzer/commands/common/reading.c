/* Reads one trace completely; see reading.h. */
#include "analyzer/commands/common/reading.h"

#include "analyzer/base/progress.h"
#include "analyzer/commands/common/command.h"
#include "analyzer/commands/common/totals_thread.h"
#include "analyzer/savings/causes/find_savings.h"
#include "analyzer/trace/modelled/modelled.h"

/* Begins the summary in a second thread, unless it needs the transfers that the analysis selects. */
static void begin_totals(const struct xs_reading_request *request, const struct xs_reading *reading,
                         struct xs_totals_thread *totals) {
    const struct xs_filter *filter = request->analysis ? request->analysis->filter : NULL;
    if (request->without_summary || (filter && !xs_filter_is_empty(filter)))
        return;
    xs_totals_thread_begin(totals, &reading->trace);
    if (totals->runs)
        xs_progress_without_summary();
}

/* Computes the summary, or waits for the thread that does. */
static int read_summary(struct xs_reading *reading, struct xs_totals_thread *totals, char *message) {
    if (totals->runs)
        return xs_totals_thread_end(totals, &reading->trace, &reading->summary, message);
    return xs_summary_compute(&reading->trace, reading->diagnosis->findings->selection, &reading->summary, message);
}

static int read_all(const struct xs_reading_request *request, struct xs_reading *reading, char *message) {
    struct xs_totals_thread totals = {0};
    xs_progress_at(XS_PROGRESS_SITES);
    int status = xs_modelled_add_to(&reading->trace, message);
    if (status >= 0)
        begin_totals(request, reading, &totals);
    if (status >= 0) /* must be computed before the summary, which needs the selected transfers */
        status = xs_diagnose(&reading->trace, request->analysis, &reading->diagnosis, message);
    xs_progress_at(XS_PROGRESS_SUMMARY);
    if (status >= 0 && !request->without_summary)
        status = read_summary(reading, &totals, message);
    xs_totals_thread_drop(&totals);
    if (status >= 0)
        status = xs_content_coverage_read(&reading->trace, &reading->contents, message);
    if (status >= 0 && request->more)
        status = request->more(request->data, reading, message);
    if (status >= 0 && !request->without_summary)
        xs_metrics_compute(&reading->summary, reading->diagnosis, &reading->metrics);
    return status;
}

int xs_reading_fill(const char *path, const struct xs_reading_request *request, struct xs_reading *reading) {
    static const struct xs_reading_request nothing_special;
    char message[XS_TRACE_MESSAGE_BYTES];
    reading->path = path;
    bool is_silent = request && request->quietly;
    if (!is_silent)
        xs_progress_begin(&reading->trace);
    int status = read_all(request ? request : &nothing_special, reading, message);
    if (!is_silent)
        xs_progress_end();
    if (status >= 0)
        return XS_EXIT_OK;
    xs_complain("%s", message);
    xs_reading_close(reading);
    return XS_EXIT_ERROR;
}

int xs_reading_open(const char *path, const struct xs_reading_request *request, struct xs_reading *reading) {
    *reading = (struct xs_reading){0};
    if (xs_open(path, &reading->trace, request && request->quietly) < 0)
        return XS_EXIT_ERROR;
    return xs_reading_fill(path, request, reading);
}

void xs_reading_close(struct xs_reading *reading) {
    xs_diagnosis_free(reading->diagnosis);
    xs_summary_free(&reading->summary);
    xs_trace_close(&reading->trace);
}
