/* Reading what `xferspy bench --json` wrote. */
#ifndef XFERSPY_ANALYZER_BENCH_BENCH_READ_H
#define XFERSPY_ANALYZER_BENCH_BENCH_READ_H

#include "analyzer/base/text.h"
#include "analyzer/commands/bench/bench.h"

/* The times of the runs of both sides: of their loops where every run has one, else of the whole program. */
struct xs_bench_times {
    struct xs_metric_value times[2][XS_RUNS_LIMIT]; /* all known */
    size_t counts[2];
    bool by_loop;
    struct xs_string commands[2]; /* the words with blanks between them; `data` NULL: the file does not say */
};

/* An exit status; what is wrong with the file was printed, as that runs in it failed. `times` is zeroed before, and to
 * be freed in any case. */
int xs_bench_read(const char *path, struct xs_bench_times *times);
void xs_bench_times_free(struct xs_bench_times *times);

#endif
