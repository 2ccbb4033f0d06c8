/* Reads what `xferspy bench --json` wrote. */
#ifndef XFERSPY_ANALYZER_COMMANDS_BENCH_BENCH_READ_H
#define XFERSPY_ANALYZER_COMMANDS_BENCH_BENCH_READ_H

#include "analyzer/base/text.h"
#include "analyzer/commands/bench/bench.h"

/* Times of the runs of both sides: of their loops if every run has one, else of the whole program. */
struct xs_bench_times {
    struct xs_metric_value times[2][XS_RUNS_LIMIT]; /* all known */
    size_t counts[2];
    bool by_loop;
    struct xs_string commands[2]; /* the words with blanks between; `data` NULL: not in the file */
};

/* Returns an exit status; problems with the file, such as failed runs in it, were printed. `times` must be zeroed
 * before, and always freed. */
int xs_bench_read(const char *path, struct xs_bench_times *times);
void xs_bench_times_free(struct xs_bench_times *times);

#endif
