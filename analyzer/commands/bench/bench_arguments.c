/* Defines the options of alternating measurements; see bench_arguments.h. */
#include "analyzer/commands/bench/bench_arguments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"

enum { RUNS = 9, WARM_UP = 1, MOST_WARM_UP = 100, MOST_STATUS = 255 };
enum {
    OPTION_RUNS = 0x4000,
    OPTION_WARM_UP,
    OPTION_LOOP_TIME,
    OPTION_LOOP_UNIT,
    OPTION_IGNORE,
    OPTION_STATUS,
    OPTION_TIME_LIMIT,
    OPTION_AT_LEAST,
    OPTION_FAIL_ON,
    OPTION_FORMAT,
};

static const struct argp_option options[] = {
    {NULL, 0, NULL, 0, "What is run:", 1},
    /* two rows, because argp would otherwise explain the arguments of short options in the help */
    {"runs", OPTION_RUNS, "N", 0, "runs of each command, 9 if not given, at most 32; short: -n N", 1},
    {NULL, 'n', "N", OPTION_HIDDEN, NULL, 1},
    {"warm-up", OPTION_WARM_UP, "N", 0, "runs of each before the measured ones; 1 if not given", 1},
    {"time-limit", OPTION_TIME_LIMIT, "SECONDS", 0,
     "start no round that would probably end after the limit, and stop a run that is still going at the limit", 1},
    {NULL, 0, NULL, 0, "What is compared:", 2},
    {"loop-time", OPTION_LOOP_TIME, "PATTERN", 0,
     "compare a time that the program prints on standard output or standard error. PATTERN is an extended regular "
     "expression with one group: the number. A unit (ns, us, ms, s, min) follows it, or is given with --loop-unit",
     2},
    {"loop-unit", OPTION_LOOP_UNIT, "ns|us|ms|s|min", 0, "the unit of that number, if none follows it", 2},
    {"ignore", OPTION_IGNORE, "PATTERN", 0,
     "do not compare lines in which this extended regular expression is found; may be repeated", 2},
    {"status", OPTION_STATUS, "N", 0,
     "the exit status of a program that has done its work, 0 if not given. One that ends in another way has failed, "
     "and "
     "is not measured",
     2},
    {NULL, 0, NULL, 0, "What fails:", 3},
    {"at-least", OPTION_AT_LEAST, "GAIN", 0,
     "fail if the gain is less than this: a share of the time before (10%), a time (20ms), or 0: not slower", 3},
    {"fail-on", OPTION_FAIL_ON, "LIST", 0, "one or more of output, slower, unclear; or none. If not given: output", 3},
    {NULL, 0, NULL, 0, "What is written:", 4},
    {"format", OPTION_FORMAT, "text|json|markdown", 0, "text if not given", 4},
    {"json", XS_OPTION_JSON, NULL, 0, "the same as --format=json, units in the names", 4},
    {0}};

static const char *const formats[] = {"text", "json", "markdown", NULL};

static void parse_pattern(const char *name, const char *text, regex_t *pattern, struct argp_state *state) {
    char message[200];
    if (!*text) /* it would match every line */
        argp_error(state, "--%s: the pattern is empty", name);
    int error = regcomp(pattern, text, REG_EXTENDED);
    if (error) {
        regerror(error, pattern, message, sizeof message);
        argp_error(state, "--%s=%s: %s", name, text, message);
    }
}

static void parse_loop_time(struct xs_bench_arguments *a, const char *text, struct argp_state *state) {
    if (a->patterns.has_loop_time)
        argp_error(state, "--loop-time: one pattern is enough");
    parse_pattern("loop-time", text, &a->patterns.loop_time, state);
    a->patterns.has_loop_time = true;
    if (a->patterns.loop_time.re_nsub != 1)
        argp_error(state, "--loop-time=%s: the number has to be its one group, as in `loop ([0-9.]+) ms'", text);
}

static void parse_faults(struct xs_bench_arguments *a, const char *text, struct argp_state *state) {
    a->demands.faults = 0;
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
        a->demands.faults |= 1U << i;
    }
}

static void parse_time_limit(struct xs_bench_arguments *a, const char *text, struct argp_state *state) {
    char *end = NULL;
    a->terms.time_limit_s = strtod(text, &end);
    if (end == text || *end || !isfinite(a->terms.time_limit_s) || a->terms.time_limit_s <= 0 ||
        a->terms.time_limit_s > 1e9)
        argp_error(state, "--time-limit=%s: use seconds, as in 300", text);
}

static error_t parse(int key, char *argument, struct argp_state *state) {
    static const char *const units[] = {"ns", "us", "ms", "s", "min", NULL};
    struct xs_bench_arguments *a = state->input;
    struct xs_bench_patterns *patterns = &a->patterns;
    switch (key) {
    case 'n':
    case OPTION_RUNS:
        a->terms.runs = xs_parse_number("runs", argument, 1, XS_RUNS_LIMIT, state);
        return 0;
    case OPTION_WARM_UP:
        a->terms.warm_up = xs_parse_number("warm-up", argument, 0, MOST_WARM_UP, state);
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
    case OPTION_STATUS:
        a->terms.exit_status = (int)xs_parse_number("status", argument, 0, MOST_STATUS, state);
        return 0;
    case OPTION_AT_LEAST:
        if (!xs_bench_demands_parse(argument, &a->demands))
            argp_error(state, "--at-least=%s: use a share (10%%), a time (20ms) or 0", argument);
        return 0;
    case OPTION_FAIL_ON:
        parse_faults(a, argument, state);
        return 0;
    case OPTION_FORMAT:
        a->format = (enum xs_bench_format)xs_parse_word("format", argument, formats, state);
        return 0;
    case XS_OPTION_JSON:
        a->format = XS_BENCH_AS_JSON;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp xs_bench_argp = {.options = options, .parser = parse};

void xs_bench_arguments_begin(struct xs_bench_arguments *a) {
    *a = (struct xs_bench_arguments){.demands = {.faults = XS_FAULT_OUTPUT, .share = -1}};
    a->terms = (struct xs_bench_terms){.runs = RUNS, .warm_up = WARM_UP, .patterns = &a->patterns};
}

void xs_bench_arguments_end(struct xs_bench_arguments *a) {
    for (size_t i = 0; i < a->patterns.ignore_count; i++)
        regfree(&a->patterns.ignore[i]);
    free(a->patterns.ignore);
    if (a->patterns.has_loop_time)
        regfree(&a->patterns.loop_time);
}
