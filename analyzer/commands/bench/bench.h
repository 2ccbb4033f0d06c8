/* Commands measured side by side, without capture: which is faster, by how much, and whether they print the same. This
 * is the engine: it starts programs, keeps their times and outputs, and compares. What a person sees of it is in
 * bench_words.h. */
#ifndef XFERSPY_ANALYZER_BENCH_BENCH_H
#define XFERSPY_ANALYZER_BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/spread.h"
#include "analyzer/commands/bench/output.h"

/* One of the commands that are compared; the first is what the others are compared with. */
struct xs_bench_variant {
    char *const *argv;     /* NULL after the last word; the caller's */
    char *const *settings; /* "NAME=VALUE" for its environment besides, NULL after the last; NULL: none */
};

struct xs_bench_terms {
    const struct xs_bench_variant *variants;
    size_t variant_count;
    size_t runs;         /* of each, 1 to XS_RUNS_LIMIT */
    size_t warm_up;      /* runs of each before, of which only the outputs count */
    double time_limit_s; /* no round begins that would probably end later; 0: none */
    const struct xs_bench_patterns *patterns;
    int exit_status;                                              /* that a program ends with which has done its work */
    void (*progress)(size_t round, size_t rounds, void *context); /* before each round, warm-up included; or NULL */
    void *context;
    const char *side_names[2]; /* in notes; NULL: BEFORE and AFTER */
};

struct xs_bench_run {
    struct xs_metric_value wall, loop; /* ns; the loop's is not known where no pattern was given or none matched */
    int status;                        /* as of waitpid */
};

struct xs_bench_side {
    struct xs_bench_run runs[XS_RUNS_LIMIT]; /* of the complete rounds, in their order */
    struct xs_outputs outputs;               /* of these and of those to warm up */
    int status;                              /* as of waitpid, of the first run */
    bool status_varies;
};

enum xs_bench_end {
    XS_BENCH_COMPLETE,
    XS_BENCH_OVER_TIME,   /* the time limit allowed fewer rounds */
    XS_BENCH_INTERRUPTED, /* by a signal */
    XS_BENCH_FAILED,      /* something could not be started; a message was printed */
};

struct xs_bench {
    struct xs_bench_side *sides; /* a side a variant */
    size_t side_count;
    size_t rounds;   /* complete ones: each side has so many runs */
    int exit_status; /* of the terms */
    enum xs_bench_end end;
};

/* Runs the variants in turns: of two, first one and then the other begins, so that neither always follows the same. A
 * program gets the environment without what belongs to capture, an empty standard input and a process group of its
 * own. SIGINT, SIGTERM and SIGHUP end the program that runs, and the measurement. For one thread. */
void xs_bench_measure(const struct xs_bench_terms *terms, struct xs_bench *bench);
void xs_bench_free(struct xs_bench *bench);

/* How many of a side's runs failed: they ended with another exit status, or by a signal. `status` gets the first such
 * one's, as of waitpid. */
size_t xs_bench_failures(const struct xs_bench *bench, size_t side, int *status);

enum xs_bench_result { XS_BENCH_FASTER, XS_BENCH_SLOWER, XS_BENCH_NO_DIFFERENCE, XS_BENCH_CANNOT_TELL };
extern const char *const xs_bench_result_names[];

/* A time of two sides compared. */
struct xs_bench_time {
    struct xs_difference difference;
    int64_t low_ns, high_ns; /* by how much AFTER takes longer */
    bool is_interval;        /* of 90 %, as the test has 5 % on a side; else of so few runs the range */
};

/* One variant beside the first one. */
struct xs_bench_pair {
    struct xs_bench_time wall, loop;
    bool by_loop;   /* the result rests on the loop's time, which every run has */
    bool is_failed; /* runs failed; then nothing is known of the times */
    enum xs_bench_result result;
    struct xs_outputs_compared output;
    bool exits_differ;
};

void xs_bench_compare(const struct xs_bench *bench, size_t variant, struct xs_bench_pair *pair);

/* The same of two lists of runs, without their outputs. */
void xs_bench_compare_times(const struct xs_bench_run *before, size_t before_count, const struct xs_bench_run *after,
                            size_t after_count, struct xs_bench_pair *pair);

static inline const struct xs_bench_time *xs_bench_deciding(const struct xs_bench_pair *pair) {
    return pair->by_loop ? &pair->loop : &pair->wall;
}

/* What AFTER takes less, by the medians; negative: more. */
static inline int64_t xs_bench_gain_ns(const struct xs_bench_time *time) {
    return -xs_difference_delta(&time->difference);
}

#endif
