/* Finds the traces that a running process writes, by the number of the process. */
#ifndef XFERSPY_ANALYZER_COMMANDS_COMMON_PROCESS_H
#define XFERSPY_ANALYZER_COMMANDS_COMMON_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/commands/common/traces.h"

/* True if an argument that names a trace is the number of a process: it consists of digits, and no file has that name.
 */
bool xs_is_process(const char *argument);

/* Returns the content of a process's file in /proc, such as "stat"; NULL: it cannot be read. The caller frees it. */
char *xs_process_file(int64_t pid, const char *what, size_t *bytes);

/* Returns the number of the process that started a process, or that took it over; 0: it is not known. */
int64_t xs_process_parent(int64_t pid);

/* Fills `traces` with the traces that the process writes. If it writes none, because it is a launcher for example,
 * takes the traces of its descendants, and prints a line on standard error that names them. `traces` must be freed in
 * any case. Returns XS_EXIT_OK, or XS_EXIT_ERROR after a message if there is no trace. */
int xs_process_traces(const char *pid, struct xs_traces *traces);

/* Returns the one trace that an argument names, as a new string: the argument itself, or the trace that the process
 * writes. Returns NULL after a message if there is no trace, or several. */
char *xs_trace_named(const char *argument);

#endif
