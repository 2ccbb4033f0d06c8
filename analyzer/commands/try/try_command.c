/* xferspy try: makes the repair of each cause in the running program, which stays unchanged, and measures the gain. */
#include <stdlib.h>
#include <unistd.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/commands/common/traces.h"
#include "analyzer/commands/try/tried.h"
#include "analyzer/commands/try/try.h"
#include "analyzer/words/findings_words.h"
#include "schema/clock.h"

XS_DECLARE_COMMAND(try)

enum { OPTION_ONLY = 0x200, OPTION_YES };
static const struct argp_option options[] = {
    {"only", OPTION_ONLY, "CAUSE", 0,
     "try only this cause, by its number or by the finding's name as in a report; may be repeated", 1},
    {"yes", OPTION_YES, NULL, 0, "run the command that is in the trace without asking", 1},
    {0}};

#define WHICH "try what? A trace, or -- and a program"
static const char doc[] =
    "Runs the unchanged program of a trace again and makes the repair of each cause from outside. Says what each "
    "repair gains, and what the report predicts. Without a trace, the program is recorded first. " XS_HELP_LIMITS "\v"
    "Examples:\n"
    "  xferspy try run.db                     asks first\n"
    "  xferspy try -- ./app input             records it first, in a new folder\n"
    "  xferspy try run.db -- ./app input      with another command\n"
    "  xferspy try --only=1 -n 15 --loop-time='loop ([0-9.]+) ms' run.db\n"
    "  xferspy try --at-least=10% --json -o tried.json run.db\n"
    "\n"
    "The program is not changed: libxferspy.so is preloaded, and skips the calls that the trace proved needless, or "
    "makes them in another way. With 5 causes the program runs 76 times: 10 times as it is, and 11 times with each "
    "repair "
    "and with all. Before the first run, a line says how long that takes at least. Each repair is checked in a run of "
    "its own before it is measured. Then runs without "
    "repairs, with each repair and with all repairs take turns. Standard output and exit status of all runs have to be "
    "the same. The result is kept beside the trace, as TRACE.try.json, and `xferspy report' shows it.";

struct arguments {
    struct xs_out_options output;
    struct xs_bench_arguments bench;
    char *trace;
    const char *predicts; /* the trace from which predictions are taken, if it is another one */
    char **program;
    const char **only;
    size_t only_count;
    int64_t began_ns;
    bool is_agreed;
};

/* --- arguments --- */

static void take_argument(struct arguments *a, char *argument, struct argp_state *state) {
    if (state->quoted && state->next - 1 >= state->quoted) {
        a->program = state->argv + state->next - 1;
        state->next = state->argc;
    } else if (a->trace) {
        argp_error(state, "TRACE is given once; a program comes behind --");
    } else {
        a->trace = argument;
    }
}

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &a->bench;
        state->child_inputs[1] = &a->output;
        return 0;
    case OPTION_ONLY:
        a->only = xs_realloc(a->only, (a->only_count + 1) * sizeof *a->only);
        a->only[a->only_count++] = argument;
        return 0;
    case OPTION_YES:
        a->is_agreed = true;
        return 0;
    case ARGP_KEY_ARG:
        take_argument(a, argument, state);
        return 0;
    case ARGP_KEY_END:
        if (!a->trace && !a->program)
            argp_error(state, WHICH);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* --- trying --- */

/* Finds the findings of --only. False: a message was printed. */
static bool choose(const struct arguments *a, const struct xs_diagnosis *diagnosis, size_t *chosen) {
    for (size_t i = 0; i < a->only_count; i++) {
        long index = xs_finding_find(diagnosis, a->only[i]);
        if (index < 0) {
            XS_SCOPED char *word = xs_text_shell_word(a->trace);
            xs_complain("--only=%s: %s; `xferspy report %s' names them", a->only[i],
                        index == -2 ? "several findings have this name" : "there is no such cause", word);
            return false;
        }
        chosen[i] = (size_t)index;
    }
    return true;
}

static int write_result(const struct xs_try *t, const struct arguments *a) {
    static void (*const writers[])(const struct xs_try *t, struct xs_out *out) = {xs_try_text, xs_try_json,
                                                                                  xs_try_markdown};
    struct xs_out out;
    if (xs_out_open(&out, &a->output) < 0)
        return XS_EXIT_ERROR;
    writers[a->bench.format](t, &out);
    return xs_out_close(&out, true) < 0 ? XS_EXIT_ERROR : XS_EXIT_OK;
}

/* Writes the result to the folder of the trace, if anything was measured; otherwise an earlier result would be lost. */
static void keep_result(const struct xs_try *t) {
    struct xs_string path = {0};
    struct xs_out out;
    xs_string_format(&path, "%s" XS_TRIED_SUFFIX, t->reading->trace.file);
    const struct xs_out_options kept = {.path = path.data, .force = true};
    if (t->bench.rounds && t->reading->trace.merged_id < 0 && xs_out_open(&out, &kept) >= 0) {
        xs_try_json(t, &out);
        xs_out_close(&out, true);
    }
    xs_string_free(&path);
}

static int measure(const struct arguments *a, const struct xs_program *program, const struct xs_reading *reading,
                   struct xs_trials *trials) {
    struct xs_try t = {.arguments = &a->bench,
                       .program = program,
                       .reading = reading,
                       .trials = trials,
                       .shows = isatty(STDERR_FILENO),
                       .began_ns = a->began_ns,
                       .identity = xs_trace_identity(&reading->trace)};
    int status = xs_try_measure(&t);
    if (t.attempts && t.end != XS_BENCH_FAILED) {
        int written = write_result(&t, a);
        keep_result(&t);
        status = written == XS_EXIT_OK ? status : written;
    }
    xs_try_free(&t);
    return status;
}

static int predict(const struct arguments *a, const struct xs_reading *planned, struct xs_trials *trials) {
    const struct xs_analysis_options analysis = {.is_in_part = xs_try_has_repair};
    struct xs_reading reading;
    if (!a->predicts)
        return XS_EXIT_OK;
    if (xs_reading_open(a->predicts, &(struct xs_reading_request){.analysis = &analysis}, &reading) != XS_EXIT_OK)
        return XS_EXIT_ERROR;
    xs_trials_predict(trials, planned->diagnosis, reading.diagnosis);
    xs_reading_close(&reading);
    return XS_EXIT_OK;
}

/* Takes the plans from the named trace. False: a message was printed. */
static bool take_plans(const char *trace, const struct xs_reading *reading, struct xs_trials *trials) {
    const struct xs_analysis_options analysis = {.keeps_repairables = true};
    char message[XS_TRACE_MESSAGE_BYTES];
    struct xs_reading whole;
    bool taken = false;
    if (xs_reading_open(trace, &(struct xs_reading_request){.analysis = &analysis}, &whole) == XS_EXIT_OK) {
        taken = xs_trials_plan_by(trials, reading->diagnosis, &whole, message) >= 0;
        if (!taken)
            xs_complain("%s", message);
        xs_reading_close(&whole);
    }
    return taken;
}

/* Records another trace for the plans. A normal trace has the contents of a sample of its copies only. The other copies
 * are in no plan, so only a small part of the prediction would be repaired. The new trace has all contents. If
 * recording fails, the plan from the sample is used. */
static int plan_whole(const struct xs_program *program, const struct xs_reading *reading, struct xs_trials *trials) {
    struct xs_program_traces recorded;
    struct xs_program watching = *program;
    watching.watches_all = xs_trials_are_about_reads(trials);
    bool interrupted, is_recorded = xs_program_record_whole(&watching, &recorded, &interrupted);
    bool taken = is_recorded && take_plans(recorded.whole, reading, trials);
    if (is_recorded)
        xs_program_forget(&recorded);
    if (!taken && !interrupted)
        xs_complain("so the plan has only the copies whose contents are in %s", reading->trace.path);
    xs_recorded_free(&recorded);
    return interrupted ? XS_EXIT_ERROR : XS_EXIT_OK;
}

static int try_reading(const struct arguments *a, const struct xs_program *program, const struct xs_reading *reading) {
    char message[XS_TRACE_MESSAGE_BYTES];
    struct xs_trials trials = {0};
    XS_SCOPED size_t *chosen = xs_realloc(NULL, (a->only_count + 1) * sizeof *chosen);
    int status = XS_EXIT_ERROR;
    if (choose(a, reading->diagnosis, chosen)) {
        if (xs_trials_make(&trials, reading, chosen, a->only_count, message) < 0)
            xs_complain("%s", message);
        else if (predict(a, reading, &trials) == XS_EXIT_OK && (!xs_trials_are_sampled(&trials, reading->diagnosis) ||
                                                                plan_whole(program, reading, &trials) == XS_EXIT_OK))
            status = measure(a, program, reading, &trials);
        xs_trials_free(&trials);
    }
    return status;
}

static int try_trace(const struct arguments *a, struct xs_program *program) {
    const struct xs_analysis_options analysis = {.keeps_repairables = true, .is_in_part = xs_try_has_repair};
    struct xs_reading reading;
    if (xs_reading_open(a->trace, &(struct xs_reading_request){.analysis = &analysis}, &reading) != XS_EXIT_OK)
        return XS_EXIT_ERROR;
    int status = XS_EXIT_OK;
    if (reading.trace.is_live) {
        xs_complain_live(a->trace, "try");
        status = XS_EXIT_ERROR;
    } else if (!program->argv) {
        status = xs_program_of_trace(program, &reading.trace, a->is_agreed);
    }
    if (status == XS_EXIT_OK)
        status = try_reading(a, program, &reading);
    xs_reading_close(&reading);
    return status;
}

static int start(struct arguments *a) {
    struct xs_program program;
    struct xs_program_traces recorded = {0};
    if (xs_out_check(&a->output) < 0) /* checked now, not after the programs ran */
        return XS_EXIT_ERROR;
    if (a->trace && xs_output_is_input(&a->output, &a->trace, 1))
        return XS_EXIT_ERROR;
    int status = xs_program_begin(&program);
    a->began_ns = xs_time_ns(CLOCK_MONOTONIC);
    if (a->bench.terms.time_limit_s > 0)
        program.deadline_ns = a->began_ns + (int64_t)(a->bench.terms.time_limit_s * 1e9);
    if (status == XS_EXIT_OK && a->program)
        xs_program_set(&program, a->program);
    if (status == XS_EXIT_OK && !a->trace) {
        status = xs_program_record(&program, &recorded);
        a->trace = recorded.whole;
        a->predicts = recorded.predicts;
        if (recorded.whole)
            xs_complain("the trace is %s; %s predicts", recorded.whole, recorded.predicts);
    }
    if (status == XS_EXIT_OK)
        status = try_trace(a, &program);
    xs_program_end(&program);
    xs_recorded_free(&recorded);
    return status;
}

static const struct argp_child children[] = {XS_BENCH_CHILD, XS_OUTPUT_CHILD, {0}};
const struct xs_interface xs_interface_try = {.argp = {.options = options,
                                                       .parser = parse,
                                                       .args_doc = "[TRACE] [-- PROGRAM [ARGUMENTS]]",
                                                       .doc = doc,
                                                       .children = children}};

int xs_command_try(int argc, char **argv) {
    struct arguments a = {0};
    int status = XS_EXIT_USAGE;
    xs_bench_arguments_begin(&a.bench);
    if (argp_parse(&xs_interface_try.argp, argc, argv, ARGP_IN_ORDER, NULL, &a) == 0)
        status = start(&a);
    xs_bench_arguments_end(&a.bench);
    free(a.only);
    return status;
}
