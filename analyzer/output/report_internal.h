/* Between the files that print the report as text; for nobody else. */
#ifndef XFERSPY_ANALYZER_OUTPUT_REPORT_INTERNAL_H
#define XFERSPY_ANALYZER_OUTPUT_REPORT_INTERNAL_H

#include "analyzer/model/scan.h"
#include "analyzer/output/report.h"

void xs_report_heading(struct xs_out *out, const char *title); /* with an empty line before it */

/* An indented line of text: escaped, and wrapped on a terminal. */
void xs_report_line(struct xs_out *out, enum xs_style style, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

const char *xs_report_arrow(const struct xs_out *out);

void xs_report_overlap_lines(const struct xs_summary *summary, struct xs_out *out);

/* Everything after the transfers: migrations, memory, waiting, coverage, cost. */
void xs_report_text_more(const struct xs_summary *summary, struct xs_out *out);

#endif
