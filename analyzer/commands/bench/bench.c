/* Runs the rounds of a bench, and compares the variants; see bench.h. */
#include "analyzer/commands/bench/bench.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/out.h"
#include "analyzer/commands/bench/start.h"
#include "schema/clock.h"

const char *const xs_bench_result_names[] = {"faster", "slower", "no-difference", "cannot-tell"};

/* --- running --- */

struct work {
    const struct xs_bench_terms *terms;
    struct xs_bench *bench;
    struct xs_watch watch;
    char ***environments; /* one per variant */
    int64_t began_ns, longest_ns;
    struct xs_bench_run *round; /* the runs of the present round, one per variant; they are only used when the round is
                                   complete */
};

/* Returns the variant of a run. In every second round the order is reversed, and each pair of rounds begins with
 * another variant. */
static size_t variant_at(size_t round, size_t place, size_t count) {
    size_t turned = (place + round / 2) % count;
    return round % 2 ? count - 1 - turned : turned;
}

static int64_t deadline_of(const struct work *w) {
    double limit_s = w->terms->time_limit_s;
    return limit_s > 0 ? w->began_ns + (int64_t)(limit_s * 1e9) : 0;
}

static void keep_output(struct work *w, size_t variant, FILE *output, FILE *errors, struct xs_bench_run *run) {
    struct xs_bench_side *side = &w->bench->sides[variant];
    const struct xs_bench_patterns *patterns = w->terms->patterns;
    if (!side->outputs.runs)
        side->status = run->status;
    side->status_varies |= side->status != run->status;
    if ((patterns->has_loop_time && !xs_outputs_add(NULL, errors, patterns, &run->loop)) ||
        !xs_outputs_add(&side->outputs, output, patterns, &run->loop)) {
        xs_complain("what %s printed cannot be read: %s", w->terms->variants[variant].argv[0], strerror(errno));
        w->bench->end = XS_BENCH_FAILED;
    }
}

/* Returns a file for a program's output. It has no name, and only this program gets it. */
static FILE *new_file(void) {
    FILE *file = tmpfile();
    if (file)
        fcntl(fileno(file), F_SETFD, FD_CLOEXEC);
    return file;
}

/* Runs a variant once. False: the measurement has to end. */
static bool run_variant(struct work *w, size_t variant) {
    static const enum xs_bench_end ends[] = {[XS_RAN_TO_END] = XS_BENCH_COMPLETE,
                                             [XS_RAN_TOO_LONG] = XS_BENCH_OVER_TIME,
                                             [XS_RAN_INTERRUPTED] = XS_BENCH_INTERRUPTED,
                                             [XS_RAN_NOT] = XS_BENCH_FAILED};
    struct xs_bench_run *run = &w->round[variant];
    FILE *output = new_file(), *errors = new_file();
    *run = (struct xs_bench_run){.wall.known = true};
    if (!output || !errors) {
        xs_complain("no file for what a program prints: %s", strerror(errno));
        w->bench->end = XS_BENCH_FAILED;
    } else {
        enum xs_ran ran = xs_run_once(w->terms->variants[variant].argv, w->environments[variant], output, errors,
                                      &w->watch, deadline_of(w), &run->wall.value, &run->status);
        w->bench->end = ends[ran];
        if (ran == XS_RAN_TO_END)
            keep_output(w, variant, output, errors, run);
    }
    if (output)
        fclose(output);
    if (errors)
        fclose(errors);
    return w->bench->end == XS_BENCH_COMPLETE;
}

/* True if there is time for one more round that takes as long as the longest round so far. */
static bool has_time(const struct work *w) {
    int64_t deadline = deadline_of(w);
    return !deadline || xs_time_ns(CLOCK_MONOTONIC) + w->longest_ns <= deadline;
}

static bool run_round(struct work *w, size_t round) {
    int64_t begin = xs_time_ns(CLOCK_MONOTONIC);
    for (size_t place = 0; place < w->terms->variant_count; place++)
        if (!run_variant(w, variant_at(round, place, w->terms->variant_count)))
            return false;
    int64_t taken = xs_time_ns(CLOCK_MONOTONIC) - begin;
    w->longest_ns = taken > w->longest_ns ? taken : w->longest_ns;
    return true;
}

static void run_rounds(struct work *w) {
    const struct xs_bench_terms *terms = w->terms;
    size_t rounds = terms->warm_up + terms->runs;
    for (size_t round = 0; round < rounds; round++) {
        if (xs_watch_poll(&w->watch))
            w->bench->end = XS_BENCH_INTERRUPTED;
        else if (!has_time(w))
            w->bench->end = XS_BENCH_OVER_TIME;
        if (w->bench->end != XS_BENCH_COMPLETE)
            return;
        if (terms->progress)
            terms->progress(round, rounds, terms->context);
        if (!run_round(w, round))
            return;
        if (round < terms->warm_up)
            continue;
        for (size_t i = 0; i < terms->variant_count; i++)
            w->bench->sides[i].runs[w->bench->rounds] = w->round[i];
        w->bench->rounds++;
    }
}

void xs_bench_measure(const struct xs_bench_terms *terms, struct xs_bench *bench) {
    size_t count = terms->variant_count;
    struct work w = {.terms = terms, .bench = bench, .began_ns = xs_time_ns(CLOCK_MONOTONIC)};
    *bench = (struct xs_bench){.side_count = count,
                               .sides = xs_realloc(NULL, count * sizeof *bench->sides),
                               .exit_status = terms->exit_status};
    memset(bench->sides, 0, count * sizeof *bench->sides);
    w.round = xs_realloc(NULL, count * sizeof *w.round);
    w.environments = xs_realloc(NULL, count * sizeof *w.environments);
    for (size_t i = 0; i < count; i++)
        w.environments[i] = xs_environment_bare(environ, terms->variants[i].settings);
    xs_watch_begin(&w.watch);
    run_rounds(&w);
    xs_watch_end(&w.watch);
    for (size_t i = 0; i < count; i++)
        xs_environment_free(w.environments[i]);
    free(w.environments);
    free(w.round);
}

void xs_bench_free(struct xs_bench *bench) {
    for (size_t i = 0; i < bench->side_count; i++)
        xs_outputs_free(&bench->sides[i].outputs);
    free(bench->sides);
    *bench = (struct xs_bench){0};
}

/* --- comparing --- */

static const struct xs_metric_value *time_of(const struct xs_bench_run *run, bool loop) {
    return loop ? &run->loop : &run->wall;
}

static void compare_time(const struct xs_bench_run *before, size_t n, const struct xs_bench_run *after, size_t m,
                         bool loop, struct xs_bench_time *time) {
    uint64_t x[XS_RUNS_LIMIT], y[XS_RUNS_LIMIT];
    *time = (struct xs_bench_time){.difference.certainty = XS_NOT_KNOWN, .difference.p = -1};
    if (!n || !m)
        return;
    xs_difference_of(time_of(before, loop), n, time_of(after, loop), m, sizeof *before, &time->difference);
    if (time->difference.certainty == XS_NOT_KNOWN)
        return;
    for (size_t i = 0; i < n; i++)
        x[i] = time_of(&before[i], loop)->value;
    for (size_t i = 0; i < m; i++)
        y[i] = time_of(&after[i], loop)->value;
    time->is_interval = xs_shift_interval(x, n, y, m, &time->low_ns, &time->high_ns);
}

void xs_bench_compare_times(const struct xs_bench_run *before, size_t before_count, const struct xs_bench_run *after,
                            size_t after_count, struct xs_bench_pair *pair) {
    *pair = (struct xs_bench_pair){0};
    compare_time(before, before_count, after, after_count, false, &pair->wall);
    compare_time(before, before_count, after, after_count, true, &pair->loop);
    pair->by_loop = pair->loop.difference.certainty != XS_NOT_KNOWN;
    const struct xs_difference *d = &xs_bench_deciding(pair)->difference;
    int64_t delta = xs_difference_delta(d);
    if (d->certainty == XS_NOT_KNOWN || d->certainty == XS_TOO_FEW_RUNS)
        pair->result = XS_BENCH_CANNOT_TELL;
    else if (d->certainty == XS_WITHIN_SPREAD || !delta)
        pair->result = XS_BENCH_NO_DIFFERENCE;
    else
        pair->result = delta < 0 ? XS_BENCH_FASTER : XS_BENCH_SLOWER;
}

size_t xs_bench_failures(const struct xs_bench *bench, size_t side, int *status) {
    size_t count = 0;
    for (size_t i = 0; i < bench->rounds; i++) {
        int ended = bench->sides[side].runs[i].status;
        if (WIFEXITED(ended) && WEXITSTATUS(ended) == bench->exit_status)
            continue;
        if (!count++)
            *status = ended;
    }
    return count;
}

void xs_bench_compare(const struct xs_bench *bench, size_t variant, struct xs_bench_pair *pair) {
    const struct xs_bench_side *before = &bench->sides[0], *after = &bench->sides[variant];
    int status;
    bool is_failed = xs_bench_failures(bench, 0, &status) || xs_bench_failures(bench, variant, &status);
    size_t rounds = is_failed ? 0 : bench->rounds; /* the time of a run that failed is no measurement */
    xs_bench_compare_times(before->runs, rounds, after->runs, rounds, pair);
    pair->is_failed = is_failed;
    xs_outputs_compare(&before->outputs, &after->outputs, &pair->output);
    pair->exits_differ = before->outputs.runs && after->outputs.runs && !before->status_varies &&
                         (after->status_varies || before->status != after->status);
}
