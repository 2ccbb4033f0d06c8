/* Parses the arguments of the commands that run programs alternately and measure them (bench, try): how many runs, what
 * is compared, when the command fails, and the output format. */
#ifndef XFERSPY_ANALYZER_COMMANDS_BENCH_BENCH_ARGUMENTS_H
#define XFERSPY_ANALYZER_COMMANDS_BENCH_BENCH_ARGUMENTS_H

#include "analyzer/commands/bench/bench_words.h"
#include "analyzer/commands/common/command.h"

enum xs_bench_format { XS_BENCH_AS_TEXT, XS_BENCH_AS_JSON, XS_BENCH_AS_MARKDOWN };

struct xs_bench_arguments {
    struct xs_bench_terms terms; /* the command sets the variants */
    struct xs_bench_patterns patterns;
    struct xs_bench_demands demands;
    enum xs_bench_format format;
};

/* Parses the options, as a child of a command's argp. The child's input is a struct xs_bench_arguments. */
extern const struct argp xs_bench_argp;
#define XS_BENCH_CHILD                                                                                                 \
    { &xs_bench_argp, 0, NULL, 0 }

/* Sets the defaults. The struct must not be moved afterwards. xs_bench_arguments_end must be called, even if parsing
 * fails. */
void xs_bench_arguments_begin(struct xs_bench_arguments *arguments);
void xs_bench_arguments_end(struct xs_bench_arguments *arguments);

#endif
