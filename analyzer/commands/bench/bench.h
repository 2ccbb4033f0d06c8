/* Measures commands side by side, without capture: which is faster, by how much, and whether they print the same. This
 * is the engine: it starts programs, keeps their times and outputs, and compares. bench_words.h words the results. */
#ifndef XFERSPY_ANALYZER_COMMANDS_BENCH_BENCH_H
#define XFERSPY_ANALYZER_COMMANDS_BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/spread.h"
#include "analyzer/commands/bench/output.h"

/* A command to be compared; the others are compared with the first one. */
struct xs_bench_variant {
    char *const *argv;     /* NULL after the last word; the caller's */
    char *const *settings; /* additional "NAME=VALUE" for its environment, NULL after the last; NULL: none */
};

struct xs_bench_terms {
    const struct xs_bench_variant *variants;
    size_t variant_count;
    size_t runs;         /* runs of each variant, 1 to XS_RUNS_LIMIT */
    size_t warm_up;      /* earlier runs of each variant, of which only the outputs count */
    double time_limit_s; /* no round begins that would probably end later; 0: no limit */
    const struct xs_bench_patterns *patterns;
    int exit_status; /* exit status of a program that has done its work */
    void (*progress)(size_t round, size_t rounds,
                     void *context); /* called before each round, warm-up included; NULL: not wanted */
    void *context;
    const char *side_names[2]; /* used in notes; NULL: BEFORE and AFTER */
};

struct xs_bench_run {
    struct xs_metric_value wall, loop; /* ns; loop is not known if no pattern was given or none matched */
    int status;                        /* as from waitpid */
};

struct xs_bench_side {
    struct xs_bench_run runs[XS_RUNS_LIMIT]; /* of the complete rounds, in order */
    struct xs_outputs outputs;               /* of these runs and the warm-up runs */
    int status;                              /* as from waitpid, of the first run */
    bool status_varies;
};

enum xs_bench_end {
    XS_BENCH_COMPLETE,
    XS_BENCH_OVER_TIME,   /* the time limit allowed fewer rounds */
    XS_BENCH_INTERRUPTED, /* a signal ended it */
    XS_BENCH_FAILED,      /* something could not be started; a message was printed */
};

struct xs_bench {
    struct xs_bench_side *sides; /* one side per variant */
    size_t side_count;
    size_t rounds;   /* complete rounds: each side has this many runs */
    int exit_status; /* the expected one, from the terms */
    enum xs_bench_end end;
};

/* Runs the variants in turns. Of two variants, each begins every other round, so that neither always follows the other.
 * A program gets the environment without what belongs to capture, an empty standard input and a process group of its
 * own. SIGINT, SIGTERM and SIGHUP end the running program and the measurement. For one thread. */
void xs_bench_measure(const struct xs_bench_terms *terms, struct xs_bench *bench);
void xs_bench_free(struct xs_bench *bench);

/* Returns how many of a side's runs failed: they ended with another exit status, or by a signal. `status` gets the
 * first failed run's, as from waitpid. */
size_t xs_bench_failures(const struct xs_bench *bench, size_t side, int *status);

enum xs_bench_result { XS_BENCH_FASTER, XS_BENCH_SLOWER, XS_BENCH_NO_DIFFERENCE, XS_BENCH_CANNOT_TELL };
extern const char *const xs_bench_result_names[];

/* Compares a time of two sides. */
struct xs_bench_time {
    struct xs_difference difference;
    int64_t low_ns, high_ns; /* how much longer AFTER takes */
    bool is_interval;        /* a 90 % interval, as the test has 5 % on a side; false: too few runs, so the range */
};

/* Compares a variant with the first one. */
struct xs_bench_pair {
    struct xs_bench_time wall, loop;
    bool by_loop;   /* the result rests on the loop's time, which every run has */
    bool is_failed; /* runs failed; then nothing is known of the times */
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

/* Returns how much less AFTER takes, by the medians; negative: more. */
static inline int64_t xs_bench_gain_ns(const struct xs_bench_time *time) {
    return -xs_difference_delta(&time->difference);
}

#endif
