/* Writes the words of trials; see try.h. */
#include <string.h>

#include "analyzer/base/units.h"
#include "analyzer/commands/try/tried.h"
#include "analyzer/commands/try/try.h"

static void add_less(struct xs_string *text, uint64_t ns) {
    xs_string_format(text, "%s%s", ns ? "-" : "", XS_NS_TEXT(ns));
}

static bool reads_the_same(uint64_t a_ns, uint64_t b_ns) {
    char a[XS_UNIT_BYTES], b[XS_UNIT_BYTES];
    return !strcmp(xs_format_ns(a, a_ns), xs_format_ns(b, b_ns));
}

void xs_try_predicted(struct xs_string *text, const struct xs_saving *saving) {
    if (!saving->known) {
        xs_string_format(text, "unknown");
        return;
    }
    if (!saving->most_ns) {
        xs_string_format(text, "nothing");
        return;
    }
    if (saving->bounds || !saving->least_ns) {
        xs_string_format(text, "up to ");
    } else if (!reads_the_same(saving->least_ns, saving->most_ns)) {
        add_less(text, saving->least_ns);
        xs_string_format(text, " to ");
    }
    add_less(text, saving->most_ns);
}

static void add_output(struct xs_string *text, const struct xs_bench_report *report) {
    const struct xs_outputs_compared *c = &report->pair.output;
    xs_tried_say_output(text, &(struct xs_tried_output){.result = c->result,
                                                        .exits_differ = report->pair.exits_differ,
                                                        .lines = c->lines,
                                                        .varying = c->varying,
                                                        .ignored = c->ignored});
}

void xs_try_measured(struct xs_string *text, const struct xs_try *t, size_t attempt) {
    const struct xs_trial *trial = &t->trials->items[attempt];
    const struct xs_tried_runs *o = t->attempts[attempt].outcome;
    switch (trial->state) {
    case XS_TRIAL_CANNOT:
        xs_string_format(text, "cannot be tried: %s", trial->why ? trial->why : "");
        return;
    case XS_TRIAL_FAILED:
        xs_string_format(text, "ERROR: %s", trial->why ? trial->why : "");
        return;
    case XS_TRIAL_PLANNED:
        xs_string_format(text, "not measured: %s",
                         t->end == XS_BENCH_INTERRUPTED ? "it was interrupted" : "the time limit came first");
        return;
    case XS_TRIAL_MEASURED:
        break;
    }
    xs_bench_delta(text, xs_bench_deciding(&o->report.pair));
    xs_string_format(text, ", %zu run%s each, ", t->bench.rounds, t->bench.rounds == 1 ? "" : "s");
    add_output(text, &o->report);
}

void xs_try_what(struct xs_string *text, const struct xs_trial *trial) {
    xs_string_format(text, "%s ", trial->name);
    for (unsigned i = 0; i < trial->left_out_count; i++)
        xs_string_format(text, "%s%s%s", i ? ", " : "(without ", trial->left_out[i].verdict,
                         i + 1 == trial->left_out_count ? ") " : "");
    xs_string_format(text, "%s", trial->place);
}

void xs_try_left_out(struct xs_string *text, const struct xs_trial *trial) {
    for (unsigned i = 0; i < trial->left_out_count; i++)
        xs_string_format(text, "%s%s %s: %s", i ? "; " : "not tried: ", XS_COUNT_TEXT(trial->left_out[i].instances),
                         trial->left_out[i].verdict, trial->left_out[i].why);
}

/* Adds how many repairs the plan contains, how many copies there are, and how many repairs the library made in the run
 * with the fewest.
 */
void xs_try_done(struct xs_string *text, const struct xs_try *t, size_t attempt) {
    const struct xs_trial *trial = &t->trials->items[attempt];
    const struct xs_repair_log *log = &t->attempts[attempt].logged;
    if (!trial->planned)
        return;
    xs_trial_repairs(text, trial);
    xs_string_format(text, ": %s of %s %s in the plan", XS_COUNT_TEXT(trial->planned), XS_COUNT_TEXT(trial->of),
                     !trial->number                          ? "copies and allocations"
                     : xs_try_is_about_copies(trial->repair) ? "copies"
                                                             : "allocations");
    if (!log->runs)
        return;
    xs_string_format(text, ", applied %s times (%s)", XS_COUNT_TEXT(log->applied), XS_BYTES_TEXT(log->bytes));
    if (log->refused.length)
        xs_string_format(text, "; refused: %s", log->refused.data);
}

void xs_try_demands(struct xs_string *text, const struct xs_try *t) {
    struct xs_bench_report report = {.demands = &t->arguments->demands, .failed = t->failed};
    bool ended = false;
    for (size_t i = 0; i < t->trials->count; i++)
        ended |= t->trials->items[i].state == XS_TRIAL_FAILED;
    if (ended && t->failed & XS_FAULT_OUTPUT) {
        xs_string_format(text, "a repair did not do in this run what the trace says%s",
                         t->failed & ~(unsigned)XS_FAULT_OUTPUT ? "; " : "");
        report.failed &= ~(unsigned)XS_FAULT_OUTPUT;
        if (!report.failed)
            return;
    }
    xs_bench_demands_words(text, &report);
}

enum xs_style xs_try_style(const struct xs_try *t, size_t attempt) {
    const struct xs_trial *trial = &t->trials->items[attempt];
    const struct xs_tried_runs *o = t->attempts[attempt].outcome;
    if (trial->state == XS_TRIAL_FAILED)
        return XS_STYLE_BAD;
    if (trial->state != XS_TRIAL_MEASURED)
        return XS_STYLE_DIM;
    if (o->report.pair.output.result == XS_OUTPUT_DIFFERS || o->report.pair.exits_differ)
        return XS_STYLE_BAD;
    return o->report.pair.result == XS_BENCH_FASTER   ? XS_STYLE_GOOD
           : o->report.pair.result == XS_BENCH_SLOWER ? XS_STYLE_BAD
                                                      : XS_STYLE_WARN;
}
