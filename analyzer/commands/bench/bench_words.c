/* Writes the words of a bench; see bench_words.h. */
#include "analyzer/commands/bench/bench_words.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "analyzer/base/units.h"

enum { SHORT_MS = 200, NOISY_PERCENT = 2, LINE_COLUMNS = 60 };

/* --- numbers --- */

static void add_signed(struct xs_string *text, int64_t ns) {
    uint64_t much = ns < 0 ? (uint64_t)0 - (uint64_t)ns : (uint64_t)ns;
    xs_string_format(text, "%s%s", ns < 0 ? "-" : "+", XS_NS_TEXT(much));
}

void xs_bench_delta(struct xs_string *text, const struct xs_bench_time *time) {
    add_signed(text, xs_difference_delta(&time->difference));
    xs_string_format(text, " (");
    add_signed(text, time->low_ns);
    xs_string_format(text, " to ");
    add_signed(text, time->high_ns);
    xs_string_format(text, ")");
}

void xs_bench_percent(struct xs_string *text, const struct xs_difference *difference) {
    double before = (double)difference->before.median, delta = (double)xs_difference_delta(difference);
    double percent = before > 0 ? 100 * delta / before : 0, much = percent < 0 ? -percent : percent;
    if (before > 0)
        xs_string_format(text, "%+.*f %%", much < 9.95 ? 1 : 0, percent);
}

void xs_bench_spread(struct xs_string *text, const struct xs_spread *spread) {
    xs_string_format(text, "%s (%s to %s)", XS_NS_TEXT(spread->median), XS_NS_TEXT(spread->least),
                     XS_NS_TEXT(spread->most));
}

/* --- sentences --- */

static const char *side_name(const struct xs_bench_report *report, size_t side) {
    static const char *const names[] = {"BEFORE", "AFTER"};
    return report->terms->side_names[side] ? report->terms->side_names[side] : names[side];
}

static void add_status(struct xs_string *text, int status, bool varies) {
    if (WIFSIGNALED(status))
        xs_string_format(text, "signal %d", WTERMSIG(status));
    else
        xs_string_format(text, "exit status %d", WEXITSTATUS(status));
    if (varies)
        xs_string_format(text, " and others");
}

void xs_bench_say_failures(struct xs_string *text, const struct xs_bench *bench, size_t side, const char *whose) {
    int status;
    bool varies = false;
    size_t failed = xs_bench_failures(bench, side, &status);
    for (size_t i = 0, met = 0; i < bench->rounds && met < failed; i++) {
        int ended = bench->sides[side].runs[i].status;
        bool is_failed = !WIFEXITED(ended) || WEXITSTATUS(ended) != bench->exit_status;
        varies |= is_failed && ended != status;
        met += is_failed;
    }
    if (!failed)
        return;
    xs_string_format(text, "%zu of %zu run%s %s ended with ", failed, bench->rounds, bench->rounds == 1 ? "" : "s",
                     whose);
    add_status(text, status, varies);
}

static void say_all_failures(struct xs_string *text, const struct xs_bench *bench) {
    struct xs_string sides[2] = {{0}, {0}};
    xs_bench_say_failures(&sides[0], bench, 0, "of BEFORE");
    xs_bench_say_failures(&sides[1], bench, 1, "of AFTER");
    xs_string_format(text, "Nothing was measured: %s%s%s.", sides[0].length ? sides[0].data : "",
                     sides[0].length && sides[1].length ? ", " : "", sides[1].length ? sides[1].data : "");
    xs_string_free(&sides[0]);
    xs_string_free(&sides[1]);
}

void xs_bench_conclusion(struct xs_string *text, const struct xs_bench_report *report) {
    static const char *const words[] = {"AFTER is faster", "AFTER is slower", "No difference beyond the runs' own",
                                        "Too few runs to tell which is faster"};
    const struct xs_bench_pair *pair = &report->pair;
    const struct xs_difference *d = &xs_bench_deciding(pair)->difference;
    char before[XS_UNIT_BYTES], after[XS_UNIT_BYTES];
    if (pair->is_failed) {
        say_all_failures(text, report->bench);
        return;
    }
    xs_string_format(text, "%s", words[pair->result]);
    if (d->certainty == XS_NOT_KNOWN) {
        xs_string_format(text, ": no round was completed.");
        return;
    }
    xs_format_two_ns(before, d->before.median, after, d->after.median);
    xs_string_format(text, ": %s -> %s (", before, after);
    xs_bench_percent(text, d);
    xs_string_format(text, pair->by_loop ? ") of the loop's time." : ").");
}

enum xs_style xs_bench_conclusion_style(const struct xs_bench_report *report) {
    bool faster = report->pair.result == XS_BENCH_FASTER, slower = report->pair.result == XS_BENCH_SLOWER;
    return report->failed || slower ? XS_STYLE_BAD : faster ? XS_STYLE_GOOD : XS_STYLE_WARN;
}

static void add_line(struct xs_string *text, const char *who, const struct xs_string *line) {
    xs_string_format(text, "; %s: ", who);
    if (line->data)
        xs_string_add_cut(text, line->data, LINE_COLUMNS);
    else
        xs_string_format(text, "(not kept, or no such line)");
}

void xs_bench_output(struct xs_string *text, const struct xs_bench_report *report) {
    const struct xs_outputs_compared *c = &report->pair.output;
    switch (c->result) {
    case XS_OUTPUT_SAME:
        xs_string_format(text, "the same, %s line%s", XS_COUNT_TEXT(c->lines), c->lines == 1 ? "" : "s");
        break;
    case XS_OUTPUT_DIFFERS:
        xs_string_format(text, "differs from line %zu on", c->line);
        add_line(text, "before", &c->before);
        add_line(text, "after", &c->after);
        break;
    case XS_OUTPUT_VARIES:
        xs_string_format(text, "not compared: runs of %s print different numbers of lines (--ignore)",
                         side_name(report, 0));
        break;
    case XS_OUTPUT_TOO_LONG:
        xs_string_format(text, "not compared: too long");
        break;
    }
    if (c->varying)
        xs_string_format(text, "; %s of them differ%s between runs of %s and %s not compared",
                         XS_COUNT_TEXT(c->varying), c->varying == 1 ? "s" : "", side_name(report, 0),
                         c->varying == 1 ? "is" : "are");
    if (c->ignored)
        xs_string_format(text, "; %s more ignored", XS_COUNT_TEXT(c->ignored));
}

void xs_bench_demands_words(struct xs_string *text, const struct xs_bench_report *report) {
    static const char *const words[] = {"the output or the exit status differs", "AFTER is slower",
                                        "it is not clear which is faster", "the gain is smaller", "a program failed"};
    const struct xs_bench_demands *demands = report->demands;
    if (!demands->at_least && !report->failed)
        return;
    if (demands->at_least)
        xs_string_format(text, "--at-least=%s: ", demands->at_least);
    if (!report->failed)
        xs_string_format(text, "passed");
    for (unsigned i = 0, n = 0; i < sizeof words / sizeof words[0]; i++)
        if (report->failed & 1U << i)
            xs_string_format(text, "%s%s", n++ ? ", " : "", words[i]);
}

/* Adds a command. Words that contain a character that is not in `plain` are quoted for a shell. */
void xs_bench_command(struct xs_string *text, char *const *argv) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%";
    for (size_t i = 0; argv[i]; i++) {
        bool quote = !*argv[i] || argv[i][strspn(argv[i], plain)];
        xs_string_format(text, "%s%s", i ? " " : "", quote ? "'" : "");
        for (const char *c = argv[i]; *c; c++)
            xs_string_add(text, *c == '\'' ? "'\\''" : c, *c == '\'' ? 4 : 1);
        xs_string_format(text, "%s", quote ? "'" : "");
    }
}

/* --- warnings --- */

static void note(struct xs_bench_report *report, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void note(struct xs_bench_report *report, const char *format, ...) {
    struct xs_string text = {0};
    va_list arguments;
    if (report->note_count == XS_BENCH_NOTES_LIMIT)
        return;
    va_start(arguments, format);
    xs_string_vformat(&text, format, arguments);
    va_end(arguments);
    xs_string_add(&text, ".", 1);
    report->notes[report->note_count++] = text.data;
}

static void note_end(struct xs_bench_report *report) {
    const struct xs_bench *bench = report->bench;
    if (bench->end == XS_BENCH_OVER_TIME)
        note(report, "The time limit allowed %zu of %zu rounds", bench->rounds, report->terms->runs);
    if (bench->end == XS_BENCH_INTERRUPTED)
        note(report, "It was interrupted after %zu of %zu rounds", bench->rounds, report->terms->runs);
    if (bench->rounds && bench->rounds < XS_RUNS_TO_TELL)
        note(report, "%zu run%s a side %s too few to know the noise; use %d or more each (-n)", bench->rounds,
             bench->rounds == 1 ? "" : "s", bench->rounds == 1 ? "is" : "are", XS_RUNS_TO_TELL);
}

/* Adds a note on failed runs. If the program always ends in this way, it says which option accepts that. */
static void note_failures(struct xs_bench_report *report) {
    int first = 0, second = 0;
    size_t before = xs_bench_failures(report->bench, 0, &first), after = xs_bench_failures(report->bench, 1, &second);
    if (before && after && WIFEXITED(first) && first == second)
        note(report, "If both end so after their work, say it with --status=%d", WEXITSTATUS(first));
    else
        note(report, "What a program prints about its failure is not shown; run it by itself");
}

/* Notes how runs ended, warm-up runs included. */
static void note_exits(struct xs_bench_report *report) {
    for (size_t i = 0; i < 2; i++) {
        const struct xs_bench_side *side = &report->bench->sides[i];
        bool works = WIFEXITED(side->status) && WEXITSTATUS(side->status) == report->bench->exit_status;
        XS_SCOPED_STRING status = {0};
        if (!side->outputs.runs || (works && !side->status_varies))
            continue;
        add_status(&status, side->status, side->status_varies);
        note(report, "%s ended with %s", side_name(report, i), status.data);
    }
}

static void note_loop(struct xs_bench_report *report) {
    for (size_t i = 0; i < 2 && report->terms->patterns->has_loop_time; i++) {
        size_t known = 0;
        for (size_t r = 0; r < report->bench->rounds; r++)
            known += report->bench->sides[i].runs[r].loop.known;
        if (known < report->bench->rounds)
            note(report, "%zu of %zu runs of %s print no time that --loop-time finds with a unit%s",
                 report->bench->rounds - known, report->bench->rounds, side_name(report, i),
                 report->pair.by_loop ? "" : "; the whole run's time is compared");
    }
}

/* Notes that varying lines are known only after two runs of the unchanged program. */
static void note_varying(struct xs_bench_report *report) {
    if (report->pair.output.result == XS_OUTPUT_DIFFERS && report->bench->sides[0].outputs.runs == 1)
        note(report,
             "%s ran once, so which of its lines vary from run to run is not known, and they count as a difference; "
             "use more runs (-n), or --warm-up=1",
             side_name(report, 0));
}

/* Notes runs that are too short, or too noisy. */
static void note_noise(struct xs_bench_report *report) {
    const struct xs_bench_time *time = xs_bench_deciding(&report->pair);
    const struct xs_difference *d = &time->difference;
    uint64_t shorter = d->before.median < d->after.median ? d->before.median : d->after.median;
    if (d->certainty == XS_NOT_KNOWN)
        return;
    if (!report->pair.by_loop && shorter < SHORT_MS * UINT64_C(1000000))
        note(report,
             "A run of %s is short: starting and ending the process is much of it. Let the program do more, or "
             "name the time that it prints with --loop-time",
             XS_NS_TEXT(shorter));
    double low = (double)time->low_ns, high = (double)time->high_ns, share = NOISY_PERCENT / 100.0;
    if (report->pair.result != XS_BENCH_NO_DIFFERENCE || (high - low) / 2 < share * (double)d->before.median)
        return;
    const char *faster = XS_NS_TEXT(time->low_ns < 0 ? (uint64_t)0 - (uint64_t)time->low_ns : 0);
    const char *slower = XS_NS_TEXT(time->high_ns > 0 ? (uint64_t)time->high_ns : 0);
    note(report,
         "The runs are noisy: %s may be up to %s faster or up to %s slower. Use more runs (-n), or a machine with less "
         "other work",
         side_name(report, 1), faster, slower);
}

void xs_bench_report_make(const struct xs_bench_terms *terms, const struct xs_bench *bench,
                          const struct xs_bench_demands *demands, struct xs_bench_report *report) {
    *report = (struct xs_bench_report){.terms = terms, .bench = bench, .demands = demands};
    xs_bench_compare(bench, 1, &report->pair);
    report->failed = xs_bench_judge(bench, &report->pair, demands);
    note_end(report);
    if (report->pair.is_failed) {
        note_failures(report);
        return;
    }
    note_exits(report);
    note_varying(report);
    note_loop(report);
    note_noise(report);
}

void xs_bench_report_free(struct xs_bench_report *report) {
    for (size_t i = 0; i < report->note_count; i++)
        free(report->notes[i]);
    xs_outputs_compared_free(&report->pair.output);
}
