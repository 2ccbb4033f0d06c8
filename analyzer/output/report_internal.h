/* Between the files that print the report as text; for nobody else. */
#ifndef XFERSPY_ANALYZER_OUTPUT_REPORT_INTERNAL_H
#define XFERSPY_ANALYZER_OUTPUT_REPORT_INTERNAL_H

#include "analyzer/model/scan.h"
#include "analyzer/output/report.h"

void xs_report_overlap_lines(const struct xs_summary *summary, struct xs_out *out);

/* Everything after the transfers: migrations, memory, waiting, coverage, cost. */
void xs_report_text_more(const struct xs_summary *summary, struct xs_out *out);

#endif
