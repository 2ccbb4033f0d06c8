/* Finds out whether the outputs of programs are the same, except for lines that differ between two runs of the first
 * command. It also finds the time that a program prints about itself. */
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
    regex_t *ignore; /* lines that are treated as if they were not printed */
    size_t ignore_count;
    regex_t loop_time; /* matches a line with a time; its first group is the number. Such lines are treated as if they
                          were not printed */
    bool has_loop_time;
    double unit_ns; /* the unit of the number, in ns; 0: the unit is printed after the number */
};

/* Returns how many ns the unit "ns", "us", "ms", "s" or "min" is; 0: the text is none of these. */
double xs_time_unit_ns(const char *text, size_t bytes);

/* The lines of all runs of one command, compared with those of its first run; zeroed: no run. */
struct xs_outputs {
    size_t runs;
    uint64_t *lines; /* a hash for each line of the first run */
    bool *varies;    /* for each line: true if a later run had a different line there */
    size_t count, capacity;
    size_t ignored;        /* number of lines of the first run that are treated as if they were not printed */
    bool count_varies;     /* a later run had more or fewer lines */
    bool too_long;         /* an output was too long to be read completely */
    struct xs_string text; /* the first lines of the first run's output, each complete, together less than 1 MiB */
    bool is_full;          /* a line of the first run did not fit into `text` */
};

/* Adds the output of a run; reads the file from its beginning. Sets `loop` to the last time in the output; if the
 * output has no time, does not change `loop`. `outputs` NULL: only looks for the time. Returns false if the file cannot
 * be read. */
bool xs_outputs_add(struct xs_outputs *outputs, FILE *file, const struct xs_bench_patterns *patterns,
                    struct xs_metric_value *loop);
void xs_outputs_free(struct xs_outputs *outputs);

enum xs_output_result {
    XS_OUTPUT_SAME,
    XS_OUTPUT_DIFFERS,
    XS_OUTPUT_VARIES,   /* the runs of the first command print different numbers of lines, so outputs cannot be
                           compared */
    XS_OUTPUT_TOO_LONG, /* too long to be compared */
};
extern const char *const xs_output_result_names[];

struct xs_outputs_compared {
    enum xs_output_result result;
    size_t lines;                   /* number of lines of the first command that are not ignored */
    size_t ignored;                 /* number of lines of the first command that are treated as if they were not
                                       printed */
    size_t varying;                 /* how many of `lines` differ between the runs of the first command, so that they
                                       are not compared */
    size_t line;                    /* number of the first line that differs, counted from 1, without ignored lines; 0:
                                       none */
    struct xs_string before, after; /* the texts of this line; empty if the text was not kept, or a side does not have
                                       the line */
};

/* Compares only lines that are the same in all runs of `before`. A line that varies only in the runs of `after` is a
 * difference. If a side has no run, there is no difference. */
void xs_outputs_compare(const struct xs_outputs *before, const struct xs_outputs *after,
                        struct xs_outputs_compared *compared);
void xs_outputs_compared_free(struct xs_outputs_compared *compared);

#endif
