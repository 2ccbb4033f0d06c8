/* Reads one trace completely: its findings, summary, coverage and metrics. Every command that analyses a trace begins
 * by calling these functions. */
#ifndef XFERSPY_ANALYZER_COMMANDS_COMMON_READING_H
#define XFERSPY_ANALYZER_COMMANDS_COMMON_READING_H

#include "analyzer/findings/engine/analyse.h"
#include "analyzer/savings/causes/diagnosis.h"
#include "analyzer/totals/summary/content_coverage.h"
#include "analyzer/totals/summary/metrics.h"
#include "analyzer/totals/summary/summary.h"
#include "schema/read/trace.h"

struct xs_reading {
    const char *path; /* owned by the caller */
    struct xs_trace trace;
    struct xs_summary summary;
    struct xs_diagnosis *diagnosis;
    struct xs_content_coverage contents;
    struct xs_metric_values metrics;
};

/* What a command needs in addition to the defaults, or does not need. */
struct xs_reading_request {
    const struct xs_analysis_options *analysis; /* NULL: none */
    bool quietly;                               /* do not print that the trace is still being written, and show no line
                                                   of progress */
    bool without_summary;                       /* leave the summary and the metrics empty */
    /* Reads more data that the command needs, while the line of progress is shown. If it fails, it sets the message and
     * returns a negative status, which ends the reading. NULL: no more data is needed. */
    int (*more)(void *data, const struct xs_reading *reading, char *message);
    void *data; /* for `more` */
};

/* Opens a trace, and reads it as xs_reading_fill does. The reading must not be moved: the summary points to its trace.
 * `request` NULL: the defaults. Returns an exit status. */
int xs_reading_open(const char *path, const struct xs_reading_request *request, struct xs_reading *reading);
/* Analyses the reading's trace, which the caller has opened with xs_open, and shows a line of progress on a terminal.
 * After a failure, prints a message, closes the trace, and leaves nothing to be freed. Returns an exit status. */
int xs_reading_fill(const char *path, const struct xs_reading_request *request, struct xs_reading *reading);
void xs_reading_close(struct xs_reading *reading);

#endif
