/* Shared by the files that print the report as text; no other file includes this. */
#ifndef XFERSPY_ANALYZER_REPORT_REPORT_INTERNAL_H
#define XFERSPY_ANALYZER_REPORT_REPORT_INTERNAL_H

#include "analyzer/commands/report/report.h"
#include "analyzer/trace/scan.h"

/* Prints what profiling cost; cost_text.c. */
void xs_report_cost(const struct xs_summary *s, struct xs_out *out);

/* Whether only a part of the transfers that moved something has device times; such numbers get the mark. */
#define XS_PARTLY_TIMED_MARK "*"
static inline bool xs_report_partly_timed(const struct xs_totals *t) {
    return t->timed_count && t->timed_count + t->empty_count < t->count;
}

void xs_report_overlap_lines(const struct xs_summary *summary, struct xs_out *out);

/* Prints the requested sections, except the findings, each with a heading. */
void xs_report_text_sections(const struct xs_report *report, unsigned sections, struct xs_out *out);
/* Prints the sections after the transfers: migrations, memory, waiting, coverage, cost. */
void xs_report_text_more(const struct xs_report *report, unsigned sections, struct xs_out *out);
/* Prints a line on calls that failed; nothing if none did. */
void xs_report_failures(const struct xs_report *report, struct xs_out *out);
/* Prints that device times are modelled, before any of them; nothing if they are not. */
void xs_report_windows(const struct xs_summary *summary, struct xs_out *out);
/* Prints warnings about the whole report: a simulated GPU, a killed process, a damaged trace. */
void xs_report_warnings(const struct xs_summary *summary, struct xs_out *out);

/* Prints the first section. */
void xs_report_text_findings(const struct xs_report *report, struct xs_out *out);
/* Whether a cause has a repair that can be tried and was not. Then xs_report_text_next prints the next command. */
bool xs_report_can_try(const struct xs_report *report);
#define XS_NEXT_TRY "To measure what the repairs gain on the unchanged program: "
void xs_report_text_next(const struct xs_report *report, struct xs_out *out);

/* Headings that Markdown has, too. */
#define XS_WAITING_HEADING "Waiting and other calls"
#define XS_COST_HEADING "Cost of profiling"

#endif
