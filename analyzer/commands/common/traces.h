/* Finds all traces that a command's arguments name: files, all traces of folders, and all traces of merged files. */
#ifndef XFERSPY_ANALYZER_COMMANDS_COMMON_TRACES_H
#define XFERSPY_ANALYZER_COMMANDS_COMMON_TRACES_H

#include <stdbool.h>
#include <stddef.h>

#include "schema/read/trace.h"

struct xs_traces {
    char **names; /* names for xs_open */
    int count;
};

/* Puts the names of all traces that the arguments mean into `traces`, which must be freed in any case:
 * - a folder means the files *.db in it, in the order of `ls -v`; a file that is no trace is left out, with a line on
 *   standard error; a folder without a trace is an error;
 * - the number of a process means the traces that the process writes (process.h), unless a file has that name;
 * - a merged file means all its traces, in its order; "JOB.db:3" means one of them;
 * - anything else is taken as the name of a trace, even if there is no such file: opening it then prints the message.
 * A trace that is named twice is taken once, with a line that says so; copies of a file are not noticed here. Returns
 * XS_EXIT_OK, or XS_EXIT_ERROR after a message; `traces` then still has the traces that were found. */
int xs_traces_expand(char *const *arguments, int count, struct xs_traces *traces);
void xs_traces_free(struct xs_traces *traces);

/* Commands that take one trace call this function. If `path` is a folder, it prints a message that names the traces in
 * the folder, and returns true. */
bool xs_complain_folder(const char *path);

/* Returns the name of a trace's file as a new string; it is the trace's name, except for a trace in a merged file. */
char *xs_traces_file(const char *name);

/* Returns the identity of a trace, which all its copies have and no other trace has: host, pid, rank and start time of
 * the process that wrote it. The caller frees it. NULL: the trace has no start time or no pid. */
char *xs_trace_identity(const struct xs_trace *trace);

struct xs_out_options;
/* Does what xs_output_is_input does; the inputs are the files of `traces`, which may be merged files. */
bool xs_output_is_trace(const struct xs_out_options *options, const struct xs_traces *traces);

#endif
