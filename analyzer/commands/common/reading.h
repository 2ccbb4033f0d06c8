/* Reads one trace completely: its summary, findings and metrics. Commands that compare, judge or summarise traces begin
 * with this. */
#ifndef XFERSPY_ANALYZER_COMMAND_READING_H
#define XFERSPY_ANALYZER_COMMAND_READING_H

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

/* Opens a trace, analyses it with a progress line on a terminal, and fills `reading`; `options` may be NULL. After a
 * failure, which is printed, nothing is left to be freed. Returns an exit status. The reading must not be moved: the
 * summary points to its trace. */
int xs_reading_open(const char *path, const struct xs_analysis_options *options, struct xs_reading *reading);
/* Opens a trace without the remark that it is still being written. */
int xs_reading_open_live(const char *path, struct xs_reading *reading);
void xs_reading_close(struct xs_reading *reading);

#endif
