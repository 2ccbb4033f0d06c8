/* Shared by the files that print the report as text; no other file includes this. */
#ifndef XFERSPY_ANALYZER_COMMANDS_REPORT_REPORT_INTERNAL_H
#define XFERSPY_ANALYZER_COMMANDS_REPORT_REPORT_INTERNAL_H

#include "analyzer/commands/report/report.h"
#include "analyzer/trace/scan.h"

/* These print one section each, nothing where the trace has nothing of it; in the file of the section's name. */
void xs_report_transfers(const struct xs_summary *summary, struct xs_out *out);
void xs_report_largest(const struct xs_summary *summary, struct xs_out *out);
void xs_report_slowest(const struct xs_summary *summary, struct xs_out *out);
void xs_report_memory(const struct xs_summary *summary, struct xs_out *out);
void xs_report_calls(const struct xs_summary *summary, struct xs_out *out);
void xs_report_coverage(const struct xs_report *report, struct xs_out *out);
void xs_report_cost(const struct xs_summary *summary, struct xs_out *out);

/* Why profiling cost more than its budget: the run is so short that the start and the end of a process alone, which
 * took once_ns, exceed it; else the parts that took most, the largest first. */
enum { XS_COST_MOST = 2 };
struct xs_cost_excess {
    bool is_over, is_short;
    unsigned count;
    enum xs_cost_part most[XS_COST_MOST];
    uint64_t most_ns[XS_COST_MOST], once_ns;
};
struct xs_cost_excess xs_report_cost_excess(const struct xs_summary *summary);

/* Whether only a part of the transfers that moved something has device times; such numbers get the mark. */
#define XS_PARTLY_TIMED_MARK "*"
static inline bool xs_report_partly_timed(const struct xs_totals *t) {
    return t->timed_count && t->timed_count + t->empty_count < t->count;
}

/* Prints the sections that are asked for, with a heading each: all but the findings. */
void xs_report_text_sections(const struct xs_report *report, unsigned sections, struct xs_out *out);
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
void xs_report_text_next(const struct xs_report *report, struct xs_out *out);

/* Headings that Markdown has, too. */
#define XS_WAITING_HEADING "Waiting and other calls"
#define XS_COST_HEADING "Cost of profiling"

#endif
