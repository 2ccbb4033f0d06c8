/* xferspy bench: runs two commands alternately, not profiled: which one is faster, by how much, and whether they print
 * the same. With a demand, it can be used as a check in CI. */
#include <string.h>
#include <unistd.h>

#include "analyzer/commands/bench/bench_arguments.h"

XS_DECLARE_COMMAND(bench)

#define WHICH_COMMANDS "which commands? Two of them: -- BEFORE -- AFTER"
static const char doc[] =
    "Runs two commands in turns, without profiling them, and says which is faster, by how much, and whether they print "
    "the same. " XS_HELP_LIMITS "\v"
    "Examples:\n"
    "  xferspy bench -- ./app.old input -- ./app.new input\n"
    "  xferspy bench -n 15 --at-least=10% -- python3 old.py -- python3 new.py\n"
    "  xferspy bench --loop-time='loop ([0-9.]+) ms' -- ./wasteful -- ./repaired\n"
    "  xferspy bench --ignore='^elapsed' --json -o bench.json -- ./old -- ./new\n"
    "  xferspy diff --bench=bench.json old.db new.db\n"
    "\n"
    "Both commands get the same environment, without the variables of xferspy, and an empty standard input. What they "
    "print on standard output is compared line by line; lines that differ between runs of the first command do not "
    "count. The gain is the difference of the medians. It counts if the exact rank test of Mann and Whitney finds it "
    "in the order of all runs (one-sided, p <= 0.05); its interval (90 %) comes from the same test.";

struct arguments {
    struct xs_out_options output;
    struct xs_bench_arguments bench;
    struct xs_bench_variant variants[2];
};

static void (*const writers[])(const struct xs_bench_report *report,
                               struct xs_out *out) = {xs_bench_text, xs_bench_json, xs_bench_markdown};

/* --- arguments --- */

/* Parses "before args -- after args"; the words stay in place. */
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

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct arguments *a = state->input;
    (void)argument;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &a->bench;
        state->child_inputs[1] = &a->output;
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

/* If the result is written to a file, prints the conclusion on the terminal, too, because the user waits for it. */
static void say_conclusion(const struct xs_bench_report *report) {
    XS_SCOPED_STRING conclusion = {0};
    xs_bench_conclusion(&conclusion, report);
    fprintf(stderr, "%s\n", conclusion.data);
}

static int print(const struct arguments *a, const struct xs_bench *bench) {
    struct xs_bench_report report;
    struct xs_out out;
    if (xs_out_open(&out, &a->output) < 0)
        return XS_EXIT_ERROR;
    xs_bench_report_make(&a->bench.terms, bench, &a->bench.demands, &report);
    writers[a->bench.format](&report, &out);
    if (a->output.path)
        say_conclusion(&report);
    int status = report.failed & XS_FAULT_STATUS ? XS_EXIT_ERROR : report.failed ? XS_EXIT_LIMIT : XS_EXIT_OK;
    xs_bench_report_free(&report);
    if (xs_out_close(&out, true) < 0 || !bench->rounds || bench->end == XS_BENCH_INTERRUPTED)
        status = XS_EXIT_ERROR;
    return status;
}

static int bench(struct arguments *a) {
    struct xs_bench bench;
    bool shows = isatty(STDERR_FILENO);
    if (xs_out_check(&a->output) < 0) /* checked now, not after the programs ran */
        return XS_EXIT_ERROR;
    a->bench.terms.progress = shows ? show_progress : NULL;
    xs_bench_measure(&a->bench.terms, &bench);
    if (shows)
        fputs("\r\033[K", stderr);
    int status = bench.end == XS_BENCH_FAILED ? XS_EXIT_ERROR : print(a, &bench);
    xs_bench_free(&bench);
    return status;
}

static const struct argp_child children[] = {XS_BENCH_CHILD, XS_OUTPUT_CHILD, {0}};
const struct xs_interface xs_interface_bench = {.argp = {.parser = parse,
                                                         .args_doc = "-- PROGRAM [ARGUMENTS] -- PROGRAM [ARGUMENTS]",
                                                         .doc = doc,
                                                         .children = children}};

int xs_command_bench(int argc, char **argv) {
    struct arguments a = {0};
    int status = XS_EXIT_USAGE;
    xs_bench_arguments_begin(&a.bench);
    a.bench.terms.variants = a.variants;
    a.bench.terms.variant_count = 2;
    if (argp_parse(&xs_interface_bench.argp, argc, argv, ARGP_IN_ORDER, NULL, &a) == 0)
        status = bench(&a);
    xs_bench_arguments_end(&a.bench);
    return status;
}
