/* xferspy bench: two commands, not profiled, in turns: which is faster, by how much, and whether they print the same.
 * With a demand it is a gate for CI. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/base/memory.h"
#include "analyzer/bench/bench_words.h"
#include "analyzer/command/command.h"

XS_DECLARE_COMMAND(bench)

enum { RUNS = 9, WARM_UP = 1, MOST_WARM_UP = 100 };
enum {
    OPTION_RUNS = 0x200,
    OPTION_WARM_UP,
    OPTION_LOOP_TIME,
    OPTION_LOOP_UNIT,
    OPTION_IGNORE,
    OPTION_TIME_LIMIT,
    OPTION_AT_LEAST,
    OPTION_FAIL_ON,
    OPTION_FORMAT,
};

static const struct argp_option options[] = {
    {NULL, 0, NULL, 0, "What is run:", 1},
    /* two rows, or argp adds a lecture on the arguments of short options to the help */
    {"runs", OPTION_RUNS, "N", 0, "runs of each command, 9 if not given, at most 32; short: -n N", 1},
    {NULL, 'n', "N", OPTION_HIDDEN, NULL, 1},
    {"warm-up", OPTION_WARM_UP, "N", 0, "runs of each before, whose times do not count; 1 if not given", 1},
    {"time-limit", OPTION_TIME_LIMIT, "SECONDS", 0,
     "begin no round that would probably end later, and end a run that is still going on then", 1},
    {NULL, 0, NULL, 0, "What is compared:", 2},
    {"loop-time", OPTION_LOOP_TIME, "PATTERN", 0,
     "compare the time that the program prints: an extended regular expression whose one group is the number. Its unit "
     "(ns, us, ms, s, min) has to stand behind it",
     2},
    {"loop-unit", OPTION_LOOP_UNIT, "ns|us|ms|s|min", 0, "the unit of that number where none stands behind it", 2},
    {"ignore", OPTION_IGNORE, "PATTERN", 0,
     "do not compare lines in which this extended regular expression is found; may be repeated", 2},
    {NULL, 0, NULL, 0, "What fails:", 3},
    {"at-least", OPTION_AT_LEAST, "GAIN", 0,
     "fail if the gain is less: a share of BEFORE (10%), a time (20ms), or 0: no slower", 3},
    {"fail-on", OPTION_FAIL_ON, "LIST", 0,
     "of output (it differs, or the exit status), slower, unclear; or none. If not given: output", 3},
    {NULL, 0, NULL, 0, "What is written:", 4},
    {"format", OPTION_FORMAT, "text|json|markdown", 0, "text if not given", 4},
    {"json", XS_OPTION_JSON, NULL, 0, XS_HELP_JSON ": format \"" XS_BENCH_FORMAT "\", units in the names", 4},
    {0}};

#define WHICH_COMMANDS "which commands? Two of them: -- BEFORE -- AFTER"
static const char doc[] =
    "Runs two commands in turns, without profiling them, and says which is faster, by how much, and whether they print "
    "the same. The exit status is 0 if what is demanded holds, 3 if it does not, " XS_HELP_ERRORS "."
    "\v"
    "Examples:\n"
    "  xferspy bench -- ./app.old input -- ./app.new input\n"
    "  xferspy bench -n 15 --at-least=10% -- python train.py -- python train_pinned.py\n"
    "  xferspy bench --loop-time='loop ([0-9.]+) ms' -- ./wasteful -- ./repaired\n"
    "  xferspy bench --ignore='^elapsed' --json -o bench.json -- ./old -- ./new\n"
    "  xferspy diff --bench=bench.json old.db new.db\n"
    "\n"
    "Both commands get the same environment, without the variables of xferspy, and an empty standard input. What they "
    "print on standard output is compared line by line, as far as runs of the first command print the same. The gain "
    "is "
    "that of the medians. It counts if the exact rank test of Mann and Whitney finds it in the runs' order (one-sided, "
    "p <= 0.05), and its interval is that of the same test (90 %).";

struct arguments {
    struct xs_out_options output;
    struct xs_bench_variant variants[2];
    struct xs_bench_terms terms;
    struct xs_bench_patterns patterns;
    struct xs_bench_gate gate;
    unsigned format;
};

static const char *const formats[] = {"text", "json", "markdown", NULL};
static void (*const writers[])(const struct xs_bench_report *report,
                               struct xs_out *out) = {xs_bench_text, xs_bench_json, xs_bench_markdown};

/* --- arguments --- */

static size_t parse_number(const char *name, const char *text, size_t least, size_t most, struct argp_state *state) {
    char *end = NULL;
    errno = 0;
    unsigned long number = strtoul(text, &end, 10);
    if (errno || end == text || *end || *text == '-' || number < least || number > most)
        argp_error(state, "--%s=%s: use a number from %zu to %zu", name, text, least, most);
    return number;
}

static void parse_pattern(const char *name, const char *text, regex_t *pattern, struct argp_state *state) {
    char message[200];
    int error = regcomp(pattern, text, REG_EXTENDED);
    if (error) {
        regerror(error, pattern, message, sizeof message);
        argp_error(state, "--%s=%s: %s", name, text, message);
    }
}

static void parse_loop_time(struct arguments *a, const char *text, struct argp_state *state) {
    if (a->patterns.has_loop_time)
        argp_error(state, "--loop-time: one pattern is enough");
    parse_pattern("loop-time", text, &a->patterns.loop_time, state);
    a->patterns.has_loop_time = true;
    if (a->patterns.loop_time.re_nsub != 1)
        argp_error(state, "--loop-time=%s: the number has to be its one group, as in `loop ([0-9.]+) ms'", text);
}

static void parse_faults(struct arguments *a, const char *text, struct argp_state *state) {
    a->gate.faults = 0;
    if (!strcmp(text, "none"))
        return;
    for (size_t bytes; *text; text += bytes + (text[bytes] == ',')) {
        unsigned i = 0;
        bytes = strcspn(text, ",");
        while (1U << i < XS_FAULT_GAIN &&
               (strlen(xs_bench_fault_names[i]) != bytes || strncmp(xs_bench_fault_names[i], text, bytes) != 0))
            i++;
        if (1U << i == XS_FAULT_GAIN)
            argp_error(state, "--fail-on: use output, slower or unclear, with commas between them, or none");
        a->gate.faults |= 1U << i;
    }
}

/* "before args -- after args"; the words stay where they are. */
static void parse_commands(struct arguments *a, struct argp_state *state) {
    char **words = state->argv + state->next;
    int count = state->argc - state->next, split = 0;
    while (split < count && strcmp(words[split], "--") != 0)
        split++;
    if (split == 0 || split >= count - 1)
        argp_error(state, WHICH_COMMANDS);
    words[split] = NULL;
    a->variants[0].argv = words;
    a->variants[1].argv = words + split + 1;
    state->next = state->argc;
}

static void parse_time_limit(struct arguments *a, const char *text, struct argp_state *state) {
    char *end = NULL;
    a->terms.time_limit_s = strtod(text, &end);
    if (end == text || *end || !isfinite(a->terms.time_limit_s) || a->terms.time_limit_s <= 0 ||
        a->terms.time_limit_s > 1e9)
        argp_error(state, "--time-limit=%s: use seconds, as in 300", text);
}

static error_t parse(int key, char *argument, struct argp_state *state) {
    static const char *const units[] = {"ns", "us", "ms", "s", "min", NULL};
    struct arguments *a = state->input;
    struct xs_bench_patterns *patterns = &a->patterns;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &a->output;
        return 0;
    case 'n':
    case OPTION_RUNS:
        a->terms.runs = parse_number("runs", argument, 1, XS_RUNS_LIMIT, state);
        return 0;
    case OPTION_WARM_UP:
        a->terms.warm_up = parse_number("warm-up", argument, 0, MOST_WARM_UP, state);
        return 0;
    case OPTION_TIME_LIMIT:
        parse_time_limit(a, argument, state);
        return 0;
    case OPTION_LOOP_TIME:
        parse_loop_time(a, argument, state);
        return 0;
    case OPTION_LOOP_UNIT:
        argument = (char *)(uintptr_t)units[xs_parse_word("loop-unit", argument, units, state)];
        patterns->unit_ns = xs_time_unit_ns(argument, strlen(argument));
        return 0;
    case OPTION_IGNORE:
        patterns->ignore = xs_realloc(patterns->ignore, (patterns->ignore_count + 1) * sizeof *patterns->ignore);
        parse_pattern("ignore", argument, &patterns->ignore[patterns->ignore_count], state);
        patterns->ignore_count++;
        return 0;
    case OPTION_AT_LEAST:
        if (!xs_bench_gate_parse(argument, &a->gate))
            argp_error(state, "--at-least=%s: use a share (10%%), a time (20ms) or 0", argument);
        return 0;
    case OPTION_FAIL_ON:
        parse_faults(a, argument, state);
        return 0;
    case OPTION_FORMAT:
        a->format = (unsigned)xs_parse_word("format", argument, formats, state);
        return 0;
    case XS_OPTION_JSON:
        a->format = 1;
        return 0;
    case ARGP_KEY_ARGS:
        parse_commands(a, state);
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, WHICH_COMMANDS);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* --- running --- */

static void show_progress(size_t round, size_t rounds, void *context) {
    (void)context;
    fprintf(stderr, "\rround %zu of %zu ", round + 1, rounds);
}

static int print(const struct arguments *a, const struct xs_bench *bench) {
    struct xs_bench_report report;
    struct xs_out out;
    if (xs_out_open(&out, &a->output) < 0)
        return XS_EXIT_ERROR;
    xs_bench_report_make(&a->terms, bench, &a->gate, &report);
    writers[a->format](&report, &out);
    int status = report.failed ? XS_EXIT_LIMIT : XS_EXIT_OK;
    xs_bench_report_free(&report);
    if (xs_out_close(&out, true) < 0 || !bench->rounds || bench->end == XS_BENCH_INTERRUPTED)
        status = XS_EXIT_ERROR;
    return status;
}

static int bench(struct arguments *a) {
    struct xs_bench bench;
    bool shows = isatty(STDERR_FILENO);
    if (xs_out_check(&a->output) < 0) /* rather now than after running */
        return XS_EXIT_ERROR;
    a->terms.progress = shows ? show_progress : NULL;
    xs_bench_measure(&a->terms, &bench);
    if (shows)
        fputs("\r\033[K", stderr);
    int status = bench.end == XS_BENCH_FAILED ? XS_EXIT_ERROR : print(a, &bench);
    xs_bench_free(&bench);
    return status;
}

static const struct argp_child children[] = {XS_OUTPUT_CHILD, {0}};
const struct xs_interface xs_interface_bench = {.argp = {.options = options,
                                                         .parser = parse,
                                                         .args_doc = "-- PROGRAM [ARGUMENTS] -- PROGRAM [ARGUMENTS]",
                                                         .doc = doc,
                                                         .children = children}};

int xs_command_bench(int argc, char **argv) {
    struct arguments a = {.gate = {.faults = XS_FAULT_OUTPUT, .share = -1}};
    int status = XS_EXIT_USAGE;
    a.terms = (struct xs_bench_terms){
        .variants = a.variants, .variant_count = 2, .runs = RUNS, .warm_up = WARM_UP, .patterns = &a.patterns};
    if (argp_parse(&xs_interface_bench.argp, argc, argv, ARGP_IN_ORDER, NULL, &a) == 0)
        status = bench(&a);
    for (size_t i = 0; i < a.patterns.ignore_count; i++)
        regfree(&a.patterns.ignore[i]);
    free(a.patterns.ignore);
    if (a.patterns.has_loop_time)
        regfree(&a.patterns.loop_time);
    return status;
}
