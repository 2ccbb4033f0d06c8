/* Checks whether a bench is of the program in the compared traces. */
#ifndef XFERSPY_ANALYZER_COMMANDS_DIFF_DIFF_BENCH_H
#define XFERSPY_ANALYZER_COMMANDS_DIFF_DIFF_BENCH_H

#include "analyzer/base/text.h"
#include "analyzer/commands/bench/bench_read.h"
#include "analyzer/commands/diff/diff.h"

/* Returns true if both commands of the bench are of other programs than both sides, with a sentence without its full
 * stop, to be escaped. A bench is often of ./train.old and ./train while the traces are both of ./train, and a command
 * can stand behind others (taskset -c 0 ./train): one command that names the program of one side is enough. Returns
 * false for what is not known (a shell that starts programs, a trace without names). */
bool xs_diff_bench_is_of_others(const char *path, const struct xs_bench_times *bench, const struct xs_side *before,
                                const struct xs_side *after, struct xs_string *why);

#endif
