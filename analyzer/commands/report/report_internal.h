/* Declarations shared by the files that print the report. No other file includes this header. */
#ifndef XFERSPY_ANALYZER_COMMANDS_REPORT_REPORT_INTERNAL_H
#define XFERSPY_ANALYZER_COMMANDS_REPORT_REPORT_INTERNAL_H

#include "analyzer/commands/report/report.h"
#include "analyzer/trace/scan.h"

/* The functions below each print one section, or nothing if the trace has no data for the section. The functions are in
 * the files *_text.c: those for waits are in idle_text.c, and those for the largest and slowest transfers are in
 * transfers_text.c. */
/* Prints the section on idle times. If `all` is true, prints every row, not only the largest rows. */
void xs_report_idle(const struct xs_report *report, bool all, struct xs_out *out);
void xs_report_waits(const struct xs_report *report, struct xs_out *out);
void xs_report_transfers(const struct xs_summary *summary, struct xs_out *out);
void xs_report_largest(const struct xs_summary *summary, struct xs_out *out);
void xs_report_slowest(const struct xs_summary *summary, struct xs_out *out);
void xs_report_memory(const struct xs_summary *summary, struct xs_out *out);
void xs_report_calls(const struct xs_summary *summary, struct xs_out *out);
void xs_report_coverage(const struct xs_report *report, struct xs_out *out);
void xs_report_cost(const struct xs_summary *summary, struct xs_out *out);

/* These functions print totals by one key (by.c). `top`: the number of rows; 0: in text, as many rows as fit on a
 * screen; in JSON, all rows. */
void xs_by_text(const struct xs_by *by, const struct xs_findings *findings, size_t top, struct xs_out *out);
void xs_by_json(const struct xs_by *by, size_t top, struct xs_json *json);

/* Says why profiling cost more than its budget. is_short: the run is so short that the start and the end of a process,
 * which took once_ns, already exceed the budget. Otherwise, `most` has the parts of the cost that took most time, the
 * largest first. */
enum { XS_COST_MOST = 2 };
struct xs_cost_excess {
    bool is_over, is_short;
    unsigned count;
    enum xs_cost_part most[XS_COST_MOST];
    uint64_t most_ns[XS_COST_MOST], once_ns;
};
struct xs_cost_excess xs_report_cost_excess(const struct xs_summary *summary);

/* True if only some of the transfers with at least one byte have device times. Numbers computed from the device times
 * of such totals get the mark XS_PARTLY_TIMED_MARK. */
#define XS_PARTLY_TIMED_MARK "*"
static inline bool xs_report_partly_timed(const struct xs_totals *t) {
    return t->timed_count && t->timed_count + t->empty_count < t->count;
}

/* Prints the sections in `sections`, except the section of the findings, each with a heading. */
void xs_report_text_sections(const struct xs_report *report, unsigned sections, struct xs_out *out);
/* Prints a line on calls that failed; nothing if none failed. */
void xs_report_failures(const struct xs_report *report, struct xs_out *out);
/* Prints that device times are modelled; nothing if none is. Must be called before device times are printed. */
void xs_report_windows(const struct xs_summary *summary, struct xs_out *out);
/* Prints warnings about the whole report: a simulated GPU, a killed process, a damaged trace. */
void xs_report_warnings(const struct xs_summary *summary, struct xs_out *out);

/* True if a cause is shown. A cause that saves nothing is never shown. Other causes are shown if they are among the
 * first and are not folded, or if details are requested. */
bool xs_report_shows_cause(const struct xs_report *report, size_t index);
/* Says how many causes and pieces of advice are not shown; writes nothing if all are shown. */
void xs_report_say_rest(struct xs_string *text, const struct xs_report *report);
/* Prints the first section: the findings. */
void xs_report_text_findings(const struct xs_report *report, struct xs_out *out);
/* True if a cause has a repair that can be tried but was not tried. Then xs_report_text_next prints the command that
 * tries it. */
bool xs_report_can_try(const struct xs_report *report);
void xs_report_text_next(const struct xs_report *report, struct xs_out *out);

/* These headings are in the text report and in the Markdown report. */
#define XS_WAITING_HEADING "Waiting and other calls"
#define XS_COST_HEADING "Cost of profiling"

#endif
