/* Writes sentences about the parts of a run that were recorded; see recorded_parts_words.h. */
#include "analyzer/words/recorded_parts_words.h"

#include <inttypes.h>
#include <string.h>

#include "analyzer/base/units.h"
#include "analyzer/trace/scan.h"
#include "schema/spool/spool.h"

void xs_looked_at_say_briefly(const struct xs_summary *summary, struct xs_string *text) {
    const struct xs_capture_ranges *l = &summary->looked_at;
    if (l->has_gaps && !l->parts)
        xs_string_format(text, "nothing was recorded");
    else if (l->has_gaps && l->is_ledger)
        xs_string_format(text, "%s of %s were looked at, in a ledger", XS_NS_TEXT(l->recorded_ns),
                         XS_NS_TEXT(summary->run.duration_ns));
    else if (l->has_gaps)
        xs_string_format(text, "%s%s of %s %s looked at", l->is_at_most ? "at most " : "", XS_NS_TEXT(l->recorded_ns),
                         XS_NS_TEXT(summary->run.duration_ns), "were");
}

enum { NAME_COLUMNS = 60 };

/* Adds the name of the range; an anonymized copy has none. */
static void say_range(const struct xs_recorded_steps *steps, struct xs_string *text) {
    if (!*steps->name) {
        xs_string_format(text, "NVTX range that was named");
        return;
    }
    xs_string_format(text, "NVTX range \"");
    xs_string_add_cut(text, steps->name, NAME_COLUMNS);
    xs_string_format(text, "\"");
}

/* Adds "steps 3 to 5 (4 were asked for), by the NVTX range "step"". */
static void say_steps(const struct xs_recorded_steps *steps, struct xs_string *text) {
    if (!steps->count)
        xs_string_format(text, "the beginning of a step");
    else if (steps->count == 1)
        xs_string_format(text, "step %s", XS_COUNT_TEXT(steps->first));
    else
        xs_string_format(text, "steps %s to %s", XS_COUNT_TEXT(steps->first),
                         XS_COUNT_TEXT(xs_sum(steps->first, steps->count - 1)));
    if (steps->count < steps->wanted)
        xs_string_format(text, " (%s %s asked for)", XS_COUNT_TEXT(steps->wanted), steps->wanted == 1 ? "was" : "were");
    xs_string_format(text, ", by the ");
    if (steps->by == XS_RECORDED_BY_RANGE) {
        say_range(steps, text);
    } else {
        xs_string_format(text, "wait that came most regularly (");
        xs_string_add_cut(text, steps->name, NAME_COLUMNS);
        xs_string_format(text, ")");
    }
    if (steps->by == XS_RECORDED_BY_WAIT && steps->count && steps->first > xs_sum(steps->skipped, 1))
        xs_string_format(text, ", which was found only then");
}

static void say_no_window(const char *window, bool runs, struct xs_string *text) {
    static const char of_range[] = "nvtx:";
    if (!strncmp(window, of_range, sizeof of_range - 1)) {
        xs_string_format(text, "no NVTX range \"");
        xs_string_add_cut(text, window + sizeof of_range - 1, NAME_COLUMNS);
        xs_string_format(text, "\" came (XFERSPY_WINDOW).");
    } else if (!strcmp(window, XS_RECORDED_BY_COMMAND)) {
        xs_string_format(text, "it was never started by `xferspy start' (XFERSPY_START=off).");
    } else if (!strcmp(window, "profiler")) {
        xs_string_format(text, "cudaProfilerStart was never called (XFERSPY_WINDOW=profiler).");
    } else if (*window && runs) {
        xs_string_format(text, "XFERSPY_WINDOW asks for ");
        xs_string_add_cut(text, window, NAME_COLUMNS);
        xs_string_format(text, ".");
    } else if (*window) {
        xs_string_format(text, "the program ended before ");
        xs_string_add_cut(text, window, NAME_COLUMNS);
        xs_string_format(text, " (XFERSPY_WINDOW).");
    } else { /* an anonymized copy */
        xs_string_format(text, "what XFERSPY_WINDOW asks for never came.");
    }
}

const char *xs_parts_chooser(const struct xs_recorded_steps *steps) {
    bool by_command = !strcmp(steps->name, XS_RECORDED_BY_COMMAND);
    return by_command ? "`xferspy start' asked for" : "XFERSPY_WINDOW asks for";
}

/* Adds why nothing was recorded, or, if the program still runs, why nothing has been recorded so far. */
static void say_none(const struct xs_recorded_steps *steps, bool runs, struct xs_string *text) {
    xs_string_format(text, "Nothing was recorded but allocations%s: ", runs ? " so far" : "");
    if (steps->by == XS_RECORDED_ALL) {
        say_no_window(steps->name, runs, text);
    } else if (steps->by == XS_RECORDED_BY_RANGE && !steps->passed) {
        xs_string_format(text, "no ");
        say_range(steps, text);
        xs_string_format(text, " came.");
    } else if (steps->by == XS_RECORDED_BY_RANGE) {
        xs_string_format(text, "the ");
        say_range(steps, text);
        xs_string_format(text, " came %s time%s, and %s step%s to be skipped%s.", XS_COUNT_TEXT(steps->passed),
                         steps->passed == 1 ? "" : "s", XS_COUNT_TEXT(steps->skipped),
                         steps->skipped == 1 ? " was" : "s were",
                         steps->passed > steps->skipped ? "; the others ended before the first CUDA call" : "");
    } else {
        xs_string_format(text,
                         "no wait came regularly, so nothing told the steps apart. Copies that block are no such "
                         "waits. Name an NVTX range (--step=NAME, XFERSPY_STEP=NAME), or record the whole run and "
                         "choose steps in the report (`xferspy report");
        if (steps->skipped)
            xs_string_format(text, " --skip-steps=%" PRIu64, steps->skipped);
        if (steps->wanted)
            xs_string_format(text, " --steps=%" PRIu64, steps->wanted);
        xs_string_format(text, "').");
    }
}

/* Says which part of the run the numbers of a ledger cover, and what a ledger cannot know. */
static void say_ledger(const struct xs_summary *summary, struct xs_string *text) {
    const struct xs_capture_ranges *l = &summary->looked_at;
    xs_string_format(text,
                     "This is a ledger (XFERSPY_MODE): totals are sums of all calls%s, and findings, savings and idle"
                     " times are of %s part%s of the run, %s of %s, chosen at random. It cannot know device times,"
                     " contents and the order of calls outside of %s.",
                     summary->totals.in_part ? " that were recorded" : "", XS_COUNT_TEXT(l->parts),
                     l->parts == 1 ? "" : "s", XS_NS_TEXT(l->recorded_ns), XS_NS_TEXT(summary->run.duration_ns),
                     l->parts == 1 ? "it" : "them");
    if (summary->totals.in_part)
        xs_string_format(text,
                         " For %s, calls were only counted, because recording them would have cost more than a ledger"
                         " may.",
                         XS_NS_TEXT(summary->totals.run_ns - summary->totals.ns));
}

void xs_looked_at_say(const struct xs_summary *summary, struct xs_string *text) {
    const struct xs_capture_ranges *l = &summary->looked_at;
    const struct xs_recorded_steps *steps = &summary->recorded_steps;
    if (!l->has_gaps)
        return;
    if (!l->parts) {
        say_none(steps, summary->run.is_snapshot || (summary->trace && summary->trace->is_live), text);
        return;
    }
    if (l->is_ledger) {
        say_ledger(summary, text);
        return;
    }
    xs_string_format(text, "Looked at %s%s of %s, in ", l->is_at_most ? "not more than " : "",
                     XS_NS_TEXT(l->recorded_ns), XS_NS_TEXT(summary->run.duration_ns));
    if (steps->by == XS_RECORDED_ALL)
        xs_string_format(text, "%s%s part%s of the run that %s", l->is_at_most ? "at least " : "",
                         XS_COUNT_TEXT(l->parts), l->parts == 1 ? "" : "s", xs_parts_chooser(steps));
    else
        say_steps(steps, text);
    bool is_one = !l->is_at_most && (steps->by == XS_RECORDED_ALL ? l->parts == 1 : steps->count < 2);
    xs_string_format(text, ": findings and totals are of %s, and outside only allocations were recorded.",
                     is_one ? "it" : "them");
}
