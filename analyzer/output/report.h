/* The report of one summary, for people and for programs. Printing only: every number is in the summary. */
#ifndef XFERSPY_ANALYZER_OUTPUT_REPORT_H
#define XFERSPY_ANALYZER_OUTPUT_REPORT_H

#include "analyzer/model/summary.h"
#include "analyzer/output/json.h"
#include "analyzer/output/out.h"

#define XS_REPORT_JSON_VERSION 1

void xs_report_text(const struct xs_summary *summary, struct xs_out *out);
/* Before each of several traces; `index` counts from 0. */
void xs_report_text_heading(const char *path, int index, struct xs_out *out);

/* {"format": "xferspy-report", "version": 1, "traces": [ ... ]} */
void xs_report_json_begin(struct xs_json *json);
void xs_report_json(const struct xs_summary *summary, struct xs_json *json);
void xs_report_json_end(struct xs_json *json);

#endif
