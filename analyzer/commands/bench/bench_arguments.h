/* What the commands take that measure runs in turns (bench, try): how many runs, what of them is compared, what fails,
 * and in which format it is written. */
#ifndef XFERSPY_ANALYZER_BENCH_BENCH_ARGUMENTS_H
#define XFERSPY_ANALYZER_BENCH_BENCH_ARGUMENTS_H

#include "analyzer/commands/bench/bench_words.h"
#include "analyzer/commands/common/command.h"

enum xs_bench_format { XS_BENCH_AS_TEXT, XS_BENCH_AS_JSON, XS_BENCH_AS_MARKDOWN };

struct xs_bench_arguments {
    struct xs_bench_terms terms; /* whose variants are the command's to set */
    struct xs_bench_patterns patterns;
    struct xs_bench_gate gate;
    enum xs_bench_format format;
};

/* A child of a command's argp; its input is a struct xs_bench_arguments. */
extern const struct argp xs_bench_argp;
#define XS_BENCH_CHILD                                                                                                 \
    { &xs_bench_argp, 0, NULL, 0 }

/* The defaults. Must not be moved afterwards; to be ended whatever the parser says. */
void xs_bench_arguments_begin(struct xs_bench_arguments *arguments);
void xs_bench_arguments_end(struct xs_bench_arguments *arguments);

#endif
