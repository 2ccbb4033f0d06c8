/* The report of one trace, for people and for programs. Printing only: every number is in the summary and the findings. */
#ifndef XFERSPY_ANALYZER_OUTPUT_REPORT_H
#define XFERSPY_ANALYZER_OUTPUT_REPORT_H

#include "analyzer/model/findings.h"
#include "analyzer/model/summary.h"
#include "analyzer/model/summary_by.h"
#include "analyzer/output/checked.h"
#include "analyzer/output/json.h"
#include "analyzer/output/out.h"

#define XS_REPORT_JSON_VERSION 1

/* What is known of one trace. */
struct xs_report {
    const struct xs_summary *summary;
    const struct xs_findings *findings;
    struct xs_checked checked;
    bool details;           /* text: every finding at length, the largest and the slowest transfers */
    const struct xs_by *by; /* totals by one thing: of text all that is shown; NULL: not asked for */
    size_t top;             /* rows of it, 0: as by.h says */
};

void xs_report_text(const struct xs_report *report, struct xs_out *out);
/* Before each of several traces; `index` counts from 0. */
void xs_report_text_heading(const char *path, int index, struct xs_out *out);

/* {"format": "xferspy-report", "version": 1, "traces": [ ... ]} */
void xs_report_json_begin(struct xs_json *json);
void xs_report_json(const struct xs_report *report, struct xs_json *json);
void xs_report_json_end(struct xs_json *json);

#endif
