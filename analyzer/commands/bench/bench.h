/* Measures commands without capture, to find out which command is faster, by how much, and whether they print the same.
 * These functions start the programs, keep their times and outputs, and compare them. bench_words.h has the functions
 * that print the results. */
#ifndef XFERSPY_ANALYZER_COMMANDS_BENCH_BENCH_H
#define XFERSPY_ANALYZER_COMMANDS_BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/spread.h"
#include "analyzer/commands/bench/output.h"

/* A command to be compared. All other commands are compared with the first one. */
struct xs_bench_variant {
    char *const *argv;     /* NULL after the last word; owned by the caller */
    char *const *settings; /* additional variables "NAME=VALUE" for its environment, NULL after the last; NULL: none */
};

struct xs_bench_terms {
    const struct xs_bench_variant *variants;
    size_t variant_count;
    size_t runs;         /* number of runs of each variant, 1 to XS_RUNS_LIMIT */
    size_t warm_up;      /* number of earlier runs of each variant; only their outputs and statuses are used */
    double time_limit_s; /* a round is not begun if it would probably end after this time, and a program that still runs
                            at this time is ended; 0: no limit */
    const struct xs_bench_patterns *patterns;
    int exit_status; /* the exit status of a successful run */
    void (*progress)(size_t round, size_t rounds,
                     void *context); /* called before each round, also of the warm-up; NULL: not needed */
    void *context;
    const char *side_names[2]; /* names of the sides for notes; NULL: BEFORE and AFTER */
};

struct xs_bench_run {
    struct xs_metric_value wall, loop; /* ns; loop is not known if no pattern was given or none matched */
    int status;                        /* as from waitpid */
};

struct xs_bench_side {
    struct xs_bench_run runs[XS_RUNS_LIMIT]; /* the runs of the complete rounds, in order */
    struct xs_outputs outputs;               /* outputs of all runs, also of warm-up runs and of an incomplete round */
    int status;                              /* as from waitpid, of the first run, which may be a warm-up run */
    bool status_varies;
};

enum xs_bench_end {
    XS_BENCH_COMPLETE,
    XS_BENCH_OVER_TIME,   /* the time limit allowed fewer rounds */
    XS_BENCH_INTERRUPTED, /* a signal ended the measurement */
    XS_BENCH_FAILED,      /* a program could not be started, or its output could not be kept; a message was printed */
};

struct xs_bench {
    struct xs_bench_side *sides; /* one side per variant */
    size_t side_count;
    size_t rounds;   /* number of complete rounds; each side has this number of runs */
    int exit_status; /* the expected exit status, from the terms */
    enum xs_bench_end end;
};

/* Runs the variants alternately, each once per round. The order of the variants changes between rounds (with two: AB,
 * BA, BA, AB), so that no variant always runs after the same other variant. A program gets the environment without the
 * variables of capture, an empty standard input and a new process group. SIGINT, SIGTERM and SIGHUP end the running
 * program and the measurement. Only one thread at a time may call this function. */
void xs_bench_measure(const struct xs_bench_terms *terms, struct xs_bench *bench);
void xs_bench_free(struct xs_bench *bench);

/* Returns how many runs of a side failed, which means that they ended by a signal or with an unexpected exit status.
 * `*status` is set to the status of the first failed run, as from waitpid. */
size_t xs_bench_failures(const struct xs_bench *bench, size_t side, int *status);

enum xs_bench_result { XS_BENCH_FASTER, XS_BENCH_SLOWER, XS_BENCH_NO_DIFFERENCE, XS_BENCH_CANNOT_TELL };
extern const char *const xs_bench_result_names[];

/* The comparison of one time, wall or loop, between two sides. */
struct xs_bench_time {
    struct xs_difference difference;
    int64_t low_ns, high_ns; /* how much longer AFTER takes: the ends of the interval */
    bool is_interval;        /* the interval has a confidence of 90 %, because the test allows 5 % on each side;
                                false: there are too few runs, so it is the range of all differences */
};

/* The comparison of a variant with the first one. */
struct xs_bench_pair {
    struct xs_bench_time wall, loop;
    bool by_loop;   /* the result is based on the loop's time, which every run has */
    bool is_failed; /* some runs failed, so the times are not compared */
    enum xs_bench_result result;
    struct xs_outputs_compared output;
    bool exits_differ;
};

void xs_bench_compare(const struct xs_bench *bench, size_t variant, struct xs_bench_pair *pair);

/* Compares two lists of runs, without their outputs. */
void xs_bench_compare_times(const struct xs_bench_run *before, size_t before_count, const struct xs_bench_run *after,
                            size_t after_count, struct xs_bench_pair *pair);

static inline const struct xs_bench_time *xs_bench_deciding(const struct xs_bench_pair *pair) {
    return pair->by_loop ? &pair->loop : &pair->wall;
}

/* Returns how much less time AFTER takes, by the medians; negative: more. */
static inline int64_t xs_bench_gain_ns(const struct xs_bench_time *time) {
    return -xs_difference_delta(&time->difference);
}

#endif
