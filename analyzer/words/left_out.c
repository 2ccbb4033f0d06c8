/* Writes sentences about data that is missing in a trace; see left_out.h. */
#include "analyzer/words/left_out.h"

#include <inttypes.h>
#include <string.h>

#include "analyzer/base/units.h"
#include "analyzer/trace/scan.h"
#include "schema/spool/spool.h"

const char *const xs_left_out_names[XS_LEFT_OUT_COUNT] = {
    [XS_LEFT_DROPPED] = "dropped", [XS_LEFT_NESTED] = "nested",         [XS_LEFT_JUMPED] = "left",
    [XS_LEFT_DAMAGED] = "damaged", [XS_LEFT_RECORDS] = "cupti_records", [XS_LEFT_STACKS] = "without_stack",
    [XS_LEFT_OUTSIDE] = "outside", [XS_LEFT_NEWER] = "newer_functions"};

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

/* Returns who chose the recorded parts, if they are no steps. */
static const char *chooser(const struct xs_recorded_steps *steps) {
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
                         XS_COUNT_TEXT(l->parts), l->parts == 1 ? "" : "s", chooser(steps));
    else
        say_steps(steps, text);
    bool is_one = !l->is_at_most && (steps->by == XS_RECORDED_ALL ? l->parts == 1 : steps->count < 2);
    xs_string_format(text, ": findings and totals are of %s, and outside only allocations were recorded.",
                     is_one ? "it" : "them");
}

/* Adds "3 copies, 1 memset and 20 other calls". */
static uint64_t say_outside(const struct xs_summary *summary, struct xs_string *text) {
    const struct xs_capture_ranges *l = &summary->looked_at;
    const bool in_steps = summary->recorded_steps.by != XS_RECORDED_ALL;
    const struct {
        uint64_t count;
        const char *one, *many;
    } kinds[] = {{l->transfers, "call that copies", "calls that copy"},
                 {l->memsets, "memset", "memsets"},
                 {l->launches, "launch", "launches"},
                 {l->others, "wait or other call", "waits and other calls"}};
    uint64_t count = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!kinds[i].count)
            continue;
        xs_string_format(text, "%s%s %s", count ? ", " : "", XS_COUNT_TEXT(kinds[i].count),
                         kinds[i].count == 1 ? kinds[i].one : kinds[i].many);
        count += kinds[i].count;
    }
    if (count)
        xs_string_format(text, " %s counted and not recorded: outside of %s%s.", count == 1 ? "was" : "were",
                         l->is_ledger ? "the parts of the ledger"
                         : in_steps   ? "the steps that were asked for"
                                      : "what ",
                         l->is_ledger || in_steps ? "" : chooser(&summary->recorded_steps));
    return count;
}

#define CALLED "coverage.unknown_called"
#define LOOKED_UP "coverage.unknown_looked_up"
enum { NEWER_BYTES = 16 << 10, NEWER_NAMED = 12 };

/* Adds " (cuFirst, cuSecond and 3 more)"; returns how many names there are. */
static uint64_t list_names(const struct xs_trace *trace, const char *key, struct xs_string *list) {
    char names[NEWER_BYTES];
    uint64_t count = 0;
    xs_trace_meta_text(trace, key, memset(names, 0, sizeof names), sizeof names, "");
    for (char *name = names, *end; *name; name = end) {
        end = name + strcspn(name, ",");
        if (*end)
            *end++ = '\0';
        if (count++ < NEWER_NAMED) {
            xs_string_format(list, count == 1 ? " (" : ", ");
            xs_string_add_cut(list, name, NAME_COLUMNS);
        }
    }
    if (count > NEWER_NAMED)
        xs_string_format(list, " and %s more", XS_COUNT_TEXT(count - NEWER_NAMED));
    if (count)
        xs_string_format(list, ")");
    return count;
}

static void put_names(const struct xs_trace *trace, const char *meta, const char *key, struct xs_json *json) {
    char names[NEWER_BYTES];
    xs_trace_meta_text(trace, meta, memset(names, 0, sizeof names), sizeof names, "");
    xs_json_array(json, key);
    for (const char *name = names; *name; name += strspn(name, ",")) {
        size_t length = strcspn(name, ",");
        xs_json_text_bytes(json, NULL, name, length);
        name += length;
    }
    xs_json_end(json, ']');
}

void xs_newer_functions_json(const struct xs_trace *trace, struct xs_json *json) {
    put_names(trace, CALLED, "called", json);
    put_names(trace, LOOKED_UP, "looked_up", json);
}

static uint64_t say_newer(const struct xs_summary *summary, struct xs_string *text) {
    XS_SCOPED_STRING called = {0}, looked_up = {0};
    if (!summary->trace)
        return 0;
    uint64_t calls = list_names(summary->trace, CALLED, &called);
    uint64_t others = list_names(summary->trace, LOOKED_UP, &looked_up);
    if (calls + others)
        xs_string_format(text, "Functions of a newer driver: the program ");
    if (calls)
        xs_string_format(text, "called %s%s", XS_COUNT_TEXT(calls), called.data);
    if (calls && others)
        xs_string_format(text, " and looked up %s more%s", XS_COUNT_TEXT(others), looked_up.data);
    else if (others)
        xs_string_format(text, "looked up %s%s and called none of them", XS_COUNT_TEXT(others), looked_up.data);
    if (calls)
        xs_string_format(text, ". xferspy does not record these calls. Unless it knows that a function changes no "
                               "device memory, it takes it that all of it may change at any time after the first call");
    if (calls + others)
        xs_string_format(text, ".");
    return calls + others;
}

uint64_t xs_left_out_say(const struct xs_summary *summary, enum xs_left_out kind, struct xs_string *text) {
    const struct xs_coverage *c = &summary->coverage;
    const uint64_t counts[XS_LEFT_OUT_COUNT] = {[XS_LEFT_DROPPED] = c->dropped,
                                                [XS_LEFT_NESTED] = c->nested,
                                                [XS_LEFT_JUMPED] = c->left,
                                                [XS_LEFT_DAMAGED] = c->skipped_events,
                                                [XS_LEFT_RECORDS] = c->dropped_records,
                                                [XS_LEFT_STACKS] = c->without_stack};
    if (kind == XS_LEFT_OUTSIDE)
        return say_outside(summary, text);
    if (kind == XS_LEFT_NEWER)
        return say_newer(summary, text);
    uint64_t count = counts[kind];
    const char *s = count == 1 ? "" : "s", *were = count == 1 ? "was" : "were";
    if (!count)
        return 0;
    const char *number = XS_COUNT_TEXT(count);
    switch (kind) {
    case XS_LEFT_DROPPED:
        xs_string_format(text, "%s call%s %s not recorded: the spool was full and could not grow.", number, s, were);
        break;
    case XS_LEFT_NESTED:
        xs_string_format(text,
                         "%s call%s %s not recorded: made inside other driver calls, such as those that a library's "
                         "callback made.",
                         number, s, were);
        break;
    case XS_LEFT_JUMPED:
        xs_string_format(text,
                         "%s call%s %s not recorded: the program never came back from the driver there, but jumped out "
                         "of the call or ended the thread.",
                         number, s, were);
        break;
    case XS_LEFT_DAMAGED:
        xs_string_format(text, "%s recorded event%s %s lost: the spool was damaged.", number, s, were);
        break;
    case XS_LEFT_RECORDS:
        xs_string_format(text, "CUPTI dropped %s record%s.", number, s);
        break;
    case XS_LEFT_STACKS:
        xs_string_format(text, "The call site is not known of %s of %s transfers.", number,
                         XS_COUNT_TEXT(c->host_transfers));
        break;
    case XS_LEFT_OUTSIDE:
    case XS_LEFT_NEWER:
    case XS_LEFT_OUT_COUNT:
        break;
    }
    return count;
}
