/* Reads one trace completely: its findings, summary, coverage and metrics. Every command that analyses a trace begins
 * with this. */
#ifndef XFERSPY_ANALYZER_COMMANDS_COMMON_READING_H
#define XFERSPY_ANALYZER_COMMANDS_COMMON_READING_H

#include "analyzer/findings/engine/analyse.h"
#include "analyzer/savings/causes/diagnosis.h"
#include "analyzer/totals/summary/content_coverage.h"
#include "analyzer/totals/summary/metrics.h"
#include "analyzer/totals/summary/summary.h"
#include "schema/read/trace.h"

struct xs_reading {
    const char *path; /* the caller's */
    struct xs_trace trace;
    struct xs_summary summary;
    struct xs_diagnosis *diagnosis;
    struct xs_content_coverage contents;
    struct xs_metric_values metrics;
};

/* What a command needs besides, or does not need. */
struct xs_reading_request {
    const struct xs_analysis_options *analysis; /* NULL: none */
    bool quietly;                               /* does not remark that the trace is still being written */
    bool without_summary;                       /* the summary and the metrics are left empty */
    /* Reads what else the command needs, while the line of progress is shown. A negative status sets the message, and
     * ends the reading. NULL: nothing. */
    int (*more)(void *data, const struct xs_reading *reading, char *message);
    void *data; /* for `more` */
};

/* Opens a trace, and reads it as xs_reading_fill does. The reading must not be moved: the summary points to its trace.
 * `request` NULL: nothing special. Returns an exit status. */
int xs_reading_open(const char *path, const struct xs_reading_request *request, struct xs_reading *reading);
/* Analyses the reading's trace, which xs_open opened, with a line of progress on a terminal. After a failure, which is
 * printed, the trace is closed and nothing is left to be freed. Returns an exit status. */
int xs_reading_fill(const char *path, const struct xs_reading_request *request, struct xs_reading *reading);
void xs_reading_close(struct xs_reading *reading);

#endif
