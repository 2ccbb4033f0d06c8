/* Compares what programs print: whether it is the same, apart from what differs between two runs of one command; and
 * finds the time that they print themselves. */
#ifndef XFERSPY_ANALYZER_COMMANDS_BENCH_OUTPUT_H
#define XFERSPY_ANALYZER_COMMANDS_BENCH_OUTPUT_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "analyzer/base/spread.h"
#include "analyzer/base/text.h"

/* Patterns to look for in an output; zeroed: none. */
struct xs_bench_patterns {
    regex_t *ignore; /* lines that count as not printed */
    size_t ignore_count;
    regex_t loop_time; /* matches a line with a time; its first group is the number. Such lines count as not printed */
    bool has_loop_time;
    double unit_ns; /* unit of that number; 0: the unit follows the number */
};

/* Returns the factor of "ns", "us", "ms", "s" or "min" in `bytes` bytes of text; 0: none of them. */
double xs_time_unit_ns(const char *text, size_t bytes);

/* The lines of all runs of one command, folded into one; zeroed: no run. */
struct xs_outputs {
    size_t runs;
    uint64_t *lines; /* a hash for each line of the first run */
    bool *varies;    /* whether a later run had another line here */
    size_t count, capacity;
    size_t ignored;        /* lines of the first run that count as not printed */
    bool count_varies;     /* a later run had more or fewer lines */
    bool too_long;         /* an output was too long to be read in full */
    struct xs_string text; /* beginning of the first run's output, in whole lines */
};

/* Adds what a run printed; reads the file from its beginning. `loop` gets the time in it, and keeps its value if there
 * is none. Returns false if the file cannot be read. */
bool xs_outputs_add(struct xs_outputs *outputs, FILE *file, const struct xs_bench_patterns *patterns,
                    struct xs_metric_value *loop);
/* Looks only for the time, in what goes to standard error. */
bool xs_output_loop_time(FILE *file, const struct xs_bench_patterns *patterns, struct xs_metric_value *loop);
void xs_outputs_free(struct xs_outputs *outputs);

enum xs_output_result {
    XS_OUTPUT_SAME,
    XS_OUTPUT_DIFFERS,
    XS_OUTPUT_VARIES,   /* the first command's runs print different numbers of lines: no comparison */
    XS_OUTPUT_TOO_LONG, /* too long to be compared */
};
extern const char *const xs_output_result_names[];

struct xs_outputs_compared {
    enum xs_output_result result;
    size_t lines;                   /* lines of the first command */
    size_t ignored;                 /* its further lines that count as not printed */
    size_t varying;                 /* of `lines`: those that differ between its own runs and are not compared */
    size_t line;                    /* the first line that differs, counted from 1 without ignored ones; 0: none */
    struct xs_string before, after; /* that line; empty if it is not kept, or not there */
};

/* Compares only what the runs of `before` have in common; what varies in `after` alone is a difference. If a side has
 * no run, there is no difference. */
void xs_outputs_compare(const struct xs_outputs *before, const struct xs_outputs *after,
                        struct xs_outputs_compared *compared);
void xs_outputs_compared_free(struct xs_outputs_compared *compared);

#endif
