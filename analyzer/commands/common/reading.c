/* One trace, read whole; see reading.h. */
#include "analyzer/commands/common/reading.h"

#include "analyzer/commands/common/command.h"
#include "analyzer/commands/common/progress.h"
#include "analyzer/savings/causes/causes.h"
#include "analyzer/trace/modelled/modelled.h"

static int open_it(const char *path, const struct xs_analysis_options *options, bool quietly,
                   struct xs_reading *reading) {
    char message[XS_TRACE_MESSAGE_BYTES];
    struct xs_progress progress;
    *reading = (struct xs_reading){.path = path};
    if (xs_open(path, &reading->trace, quietly) < 0)
        return XS_EXIT_ERROR;
    xs_progress_begin(&progress, &reading->trace);
    int status = xs_modelled_add_to(&reading->trace, message);
    if (status >= 0) /* before the summary: it knows what was chosen */
        status = xs_diagnose(&reading->trace, options, &reading->diagnosis, message);
    bool summed = false;
    if (status >= 0) {
        status =
            xs_summary_compute_of(&reading->trace, reading->diagnosis->findings->selection, &reading->summary, message);
        summed = status >= 0;
    }
    if (status >= 0)
        status = xs_content_coverage_read(&reading->trace, &reading->contents, message);
    xs_progress_end(&progress);
    if (status >= 0) {
        xs_metrics_compute(&reading->summary, reading->diagnosis, &reading->metrics);
        return XS_EXIT_OK;
    }
    xs_complain("%s", message);
    xs_diagnosis_free(reading->diagnosis);
    if (summed)
        xs_summary_free(&reading->summary);
    xs_trace_close(&reading->trace);
    return XS_EXIT_ERROR;
}

int xs_reading_open(const char *path, const struct xs_analysis_options *options, struct xs_reading *reading) {
    return open_it(path, options, false, reading);
}

int xs_reading_open_live(const char *path, struct xs_reading *reading) { return open_it(path, NULL, true, reading); }

void xs_reading_close(struct xs_reading *reading) {
    xs_diagnosis_free(reading->diagnosis);
    xs_summary_free(&reading->summary);
    xs_trace_close(&reading->trace);
}
