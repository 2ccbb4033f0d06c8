/* What programs print: whether it is the same, apart from what differs between two runs of one command, and the time
 * that they print themselves. */
#ifndef XFERSPY_ANALYZER_BENCH_OUTPUT_H
#define XFERSPY_ANALYZER_BENCH_OUTPUT_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "analyzer/base/spread.h"
#include "analyzer/base/text.h"

/* What is looked for in an output; zeroed: nothing. */
struct xs_bench_patterns {
    regex_t *ignore; /* lines that count as not printed */
    size_t ignore_count;
    regex_t loop_time; /* of a line with a time; its first group is the number. Such lines count as not printed */
    bool has_loop_time;
    double unit_ns; /* of that number; 0: its unit stands behind it */
};

/* The factor of "ns", "us", "ms", "s" or "min", which `bytes` bytes of text are; 0: none of them. */
double xs_time_unit_ns(const char *text, size_t bytes);

/* The lines of all runs of one command, folded into one; zeroed: no run. */
struct xs_outputs {
    size_t runs;
    uint64_t *lines; /* a hash each, of the first run */
    bool *varies;    /* a line that was another in a later run */
    size_t count, capacity;
    size_t ignored;        /* lines of the first run that count as not printed */
    bool count_varies;     /* a later run had more lines, or fewer */
    bool too_long;         /* one of them was too long to be looked at in full */
    struct xs_string text; /* the beginning of the first run's, whole lines */
};

/* Adds what a run printed; the file is read from its beginning. `loop` gets the time in it, where there is one; it
 * keeps its value where there is none. False where the file cannot be read. */
bool xs_outputs_add(struct xs_outputs *outputs, FILE *file, const struct xs_bench_patterns *patterns,
                    struct xs_metric_value *loop);
/* Looks for the time alone, in what goes to standard error. */
bool xs_output_loop_time(FILE *file, const struct xs_bench_patterns *patterns, struct xs_metric_value *loop);
void xs_outputs_free(struct xs_outputs *outputs);

enum xs_output_result {
    XS_OUTPUT_SAME,
    XS_OUTPUT_DIFFERS,
    XS_OUTPUT_VARIES,   /* the first command's runs print different numbers of lines: nothing can be compared */
    XS_OUTPUT_TOO_LONG, /* to be compared */
};
extern const char *const xs_output_result_names[];

struct xs_outputs_compared {
    enum xs_output_result result;
    size_t lines;                   /* of the first command */
    size_t ignored;                 /* others of it, that count as not printed */
    size_t varying;                 /* of `lines`, which differ between its own runs and are not compared */
    size_t line;                    /* the first that differs, counted from 1 without ignored ones; 0: there is none */
    struct xs_string before, after; /* that line; empty where it is not kept, or not there */
};

/* Only what the runs of `before` have in common is compared; what varies in `after` alone is a difference. Where one of
 * them has no run, there is none. */
void xs_outputs_compare(const struct xs_outputs *before, const struct xs_outputs *after,
                        struct xs_outputs_compared *compared);
void xs_outputs_compared_free(struct xs_outputs_compared *compared);

#endif
