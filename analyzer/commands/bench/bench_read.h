/* Reads the output of `xferspy bench --json`. */
#ifndef XFERSPY_ANALYZER_COMMANDS_BENCH_BENCH_READ_H
#define XFERSPY_ANALYZER_COMMANDS_BENCH_BENCH_READ_H

#include "analyzer/base/text.h"
#include "analyzer/commands/bench/bench.h"

/* The times of the runs of both sides: times of loops if every run has a loop time, else times of the whole program. */
struct xs_bench_times {
    struct xs_metric_value times[2][XS_RUNS_LIMIT]; /* all known */
    size_t counts[2];
    bool by_loop;
    struct xs_string commands[2]; /* the words of the commands, separated by blanks; `data` is NULL if the file does not
                                     have them */
};

/* Returns an exit status. It prints a message about problems with the file, such as failed runs in it. `times` must be
 * zeroed before the call, and freed in any case. */
int xs_bench_read(const char *path, struct xs_bench_times *times);
void xs_bench_times_free(struct xs_bench_times *times);

#endif
