/* The traces that a running process writes, by its number. */
#ifndef XFERSPY_ANALYZER_COMMAND_PROCESS_H
#define XFERSPY_ANALYZER_COMMAND_PROCESS_H

#include <stdbool.h>

#include "analyzer/commands/common/traces.h"

/* Whether an argument that names a trace is the number of a process: digits, and no file of that name. */
bool xs_is_process(const char *argument);

/* Puts the traces that the process has open into `traces`: its own, or, where it writes none, as a launcher does, those
 * of the processes that it started, and of theirs, with a line on standard error that says which. To be freed whatever
 * is returned. XS_EXIT_OK, or XS_EXIT_ERROR after a message: there is none. */
int xs_process_traces(const char *pid, struct xs_traces *traces);

/* The one trace that an argument names, as a new string: the argument itself, or that of the process. NULL after a
 * message: there is none, or there are several. */
char *xs_trace_named(const char *argument);

#endif
