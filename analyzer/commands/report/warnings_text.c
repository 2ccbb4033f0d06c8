/* Prints warnings before the numbers of a report, as text and in Markdown: reasons why the numbers may be wrong or
 * incomplete. */
#include <stdio.h>
#include <string.h>

#include "analyzer/base/text.h"
#include "analyzer/base/units.h"
#include "analyzer/commands/report/report_internal.h"
#include "analyzer/words/failures_words.h"
#include "analyzer/words/modelled_words.h"
#include "analyzer/words/recorded_parts_words.h"
#include "analyzer/words/saving_words.h"

/* Says that rows were thinned out. Device times of dropped calls are not modelled. */
static void say_thinned(const struct xs_summary *s, struct xs_out *out) {
    const struct xs_thinned *thinned = &s->thinned;
    xs_out_line(out, XS_STYLE_WARN,
                "The trace reached its largest size (XFERSPY_MAX_SIZE): from %s to %s it has one call of %s,"
                " and more of call sites with few. %s rows are gone. Totals include them%s; findings and lists do not.",
                XS_NS_TEXT((uint64_t)(thinned->from_ns > 0 ? thinned->from_ns : 0)),
                XS_NS_TEXT((uint64_t)(thinned->to_ns > 0 ? thinned->to_ns : 0)), XS_COUNT_TEXT(thinned->one_in),
                XS_COUNT_TEXT(thinned->rows),
                xs_modelled_any(s) ? ", but of their device times only what was recorded" : "");
}

void xs_report_windows(const struct xs_summary *s, struct xs_out *out) {
    struct xs_string text = {0};
    xs_modelled_say(&text, s, XS_MODELLED_SENTENCE);
    xs_out_take_line(out, XS_STYLE_PLAIN, &text);
}

/* Says that device times are late, because CUPTI delivers many of them at a time. Until they arrive, time in which a
 * copy waits for kernels looks like copying. */
static void say_late(const struct xs_summary *s, struct xs_out *out) {
    enum { MUCH_PERCENT = 2 };
    const struct xs_coverage *c = &s->coverage;
    bool late_ones = s->trace->is_live || s->run.is_snapshot;
    if (late_ones && !strcmp(s->run.cupti_status, "active") &&
        c->without_record > c->host_transfers / 100 * MUCH_PERCENT)
        xs_out_line(out, XS_STYLE_WARN,
                    "The device times of %s of %s transfers are not there yet: savings can still change much.",
                    XS_COUNT_TEXT(c->without_record), XS_COUNT_TEXT(c->host_transfers));
}

/* Says up to which time an unfinished trace goes, and, if known, why it is unfinished. */
static void say_unfinished(const struct xs_summary *s, struct xs_out *out) {
    const struct xs_trace *trace = s->trace;
    const char *why = "The trace was not finished", *more = "";
    if (trace->is_live)
        why = "The process still runs";
    else if (s->run.is_snapshot)
        why = XS_THIS_IS_A_SNAPSHOT;
    else if (trace->is_cut)
        why = "The process was killed, and its last events are missing";
    else if (trace->merged_id >= 0)
        why = "This copy was made before the trace was finished";
    else
        more = " To copy the trace of a program that still runs, use xferspy merge.";
    if (s->run.duration_ns)
        xs_out_line(out, XS_STYLE_WARN, "%s: it is recorded up to %s%s.%s", why, XS_NS_TEXT(s->run.duration_ns),
                    trace->is_live ? " so far" : "", more);
    else
        xs_out_line(out, XS_STYLE_WARN, "%s, and nothing is recorded%s.%s", why, trace->is_live ? " yet" : "", more);
    say_late(s, out);
}

/* Prints all warnings, before the rest of the report. */
void xs_report_warnings(const struct xs_summary *s, struct xs_out *out) {
    const char *status = s->run.status;
    struct xs_string text = {0};
    if (s->run.simulated)
        xs_say_simulated(&text, NULL, "times below");
    xs_out_take_line(out, XS_STYLE_BAD, &text);
    if (*s->run.importer)
        xs_out_line(out, XS_STYLE_WARN,
                    "Imported from a profile of Nsight Systems%s%s: contents, launch arguments and the addresses of "
                    "copies are not in it, so findings that need them cannot be made.",
                    *s->run.import_version ? " " : "", s->run.import_version);
    if (s->trace->is_live || !strcmp(status, "running"))
        say_unfinished(s, out);
    else if (!strcmp(status, "recovered"))
        xs_out_line(out, XS_STYLE_WARN,
                    "The process was killed; its last events were recovered, device times of the "
                    "last moments may be missing.");
    else if (!strcmp(status, "stopped"))
        xs_out_line(out, XS_STYLE_WARN, "Capture stopped before the program did; the notes below say why.");
    else if (strcmp(status, "complete") != 0)
        xs_out_line(out, XS_STYLE_WARN, "The trace was not closed (status: %s); the end may be missing.", status);
    if (s->thinned.rows && !s->looked_at.is_ledger)
        say_thinned(s, out);
    xs_repaired_say(&text, &s->repaired);
    xs_out_take_line(out, XS_STYLE_WARN, &text);
    xs_looked_at_say(s, &text);
    xs_out_take_line(out, XS_STYLE_WARN, &text);
    if (s->damaged_rows)
        xs_out_line(
            out, XS_STYLE_WARN,
            "%s rows hold values that cannot be true (negative sizes, ends before starts); those values were left out.",
            XS_COUNT_TEXT(s->damaged_rows));
}

/* Prints failed calls before everything else, because after a failed call a program does not work as intended. */
void xs_report_failures(const struct xs_report *report, struct xs_out *out) {
    XS_SCOPED_STRING text = {0};
    xs_failures_say(&text, &report->summary->failures, report->diagnosis->findings);
    if (text.length) {
        fputs(xs_style_on(out, XS_STYLE_BAD), out->file);
        xs_out_indented(out, 0, "%s.", text.data);
        fputs(xs_style_off(out, XS_STYLE_BAD), out->file);
    }
}
