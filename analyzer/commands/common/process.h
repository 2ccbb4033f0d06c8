/* Finds the traces that a running process writes, by its number. */
#ifndef XFERSPY_ANALYZER_COMMANDS_COMMON_PROCESS_H
#define XFERSPY_ANALYZER_COMMANDS_COMMON_PROCESS_H

#include <stdbool.h>

#include "analyzer/commands/common/traces.h"

/* Says whether an argument that names a trace is the number of a process: digits, and no file has that name. */
bool xs_is_process(const char *argument);

/* Puts the traces that the process has open into `traces`. If it writes none, as a launcher does, takes those of its
 * descendants, with a line on standard error that says which. Always free `traces`. Returns XS_EXIT_OK, or
 * XS_EXIT_ERROR after a message: there is none. */
int xs_process_traces(const char *pid, struct xs_traces *traces);

/* Returns the one trace that an argument names, as a new string: the argument itself, or the process's trace. NULL
 * after a message: none, or several. */
char *xs_trace_named(const char *argument);

#endif
