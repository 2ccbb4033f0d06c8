/* Compares programs by their names: the programs of the compared traces with each other, and with the programs of a
 * bench. */
#ifndef XFERSPY_ANALYZER_COMMANDS_DIFF_DIFF_PROGRAMS_H
#define XFERSPY_ANALYZER_COMMANDS_DIFF_DIFF_PROGRAMS_H

#include "analyzer/base/text.h"
#include "analyzer/commands/bench/bench_read.h"
#include "analyzer/commands/diff/diff.h"

/* Adds the name of the program: the name of the executable, or, if this is not known, the name in the command. */
void xs_side_program(struct xs_string *text, const struct xs_side_run *run);
bool xs_side_is_same_program(const struct xs_side_run *a, const struct xs_side_run *b);

/* True if the programs of the sides have different names. Names count as different if their common beginning is shorter
 * than half of the shorter name. For an interpreter, the name of its script or module is compared. */
bool xs_diff_names_differ(const struct xs_diff *diff);

/* Returns true if neither command of the bench runs the program of one of the sides; it then writes a sentence without
 * its full stop into `why`, which must be escaped. One command that names the program of one side is enough, because a
 * bench is often of ./train.old and ./train, while both traces are of ./train. The program may be an argument of
 * another one (taskset -c 0 ./train). Returns false if the program is not known (a shell that starts programs, a trace
 * without names). */
bool xs_diff_bench_is_of_others(const char *path, const struct xs_bench_times *bench, const struct xs_side *before,
                                const struct xs_side *after, struct xs_string *why);

#endif
