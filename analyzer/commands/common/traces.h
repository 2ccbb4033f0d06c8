/* Expands the traces that a command's arguments name: files, folders, and merged files with all that is in them. */
#ifndef XFERSPY_ANALYZER_COMMANDS_COMMON_TRACES_H
#define XFERSPY_ANALYZER_COMMANDS_COMMON_TRACES_H

#include <stdbool.h>
#include <stddef.h>

#include "schema/read/trace.h"

struct xs_traces {
    char **names; /* names for xs_open; NULL after the last */
    int count;
};

/* Puts the names of all traces that are meant into `traces`, always to be freed:
 * - a folder stands for the *.db in it, in the order of `ls -v`; what is no trace is left out, with a line on standard
 *   error; a folder without a trace is an error;
 * - the number of a process stands for the trace that it writes (process.h), unless a file has that name;
 * - a merged file stands for its traces, in its order; "JOB.db:3" for one of them;
 * - anything else stands for itself, whether it exists or not: opening it finds the words.
 * A trace named twice is taken once, with a line that says so; copies of a file are not noticed here. Returns
 * XS_EXIT_OK, or XS_EXIT_ERROR after a message: the traces that were found are there all the same. */
int xs_traces_expand(char *const *arguments, int count, struct xs_traces *traces);
void xs_traces_free(struct xs_traces *traces);

/* Returns true, after a message that names the traces in it, if `path` is a folder; for a command that takes one trace.
 */
bool xs_complain_folder(const char *path);

/* Returns how many bytes of a name are a file's: all, except for a trace in a merged file. */
size_t xs_traces_file_bytes(const char *name);

/* Returns the identity of a trace, which all its copies have and no other trace has: host, pid, rank and start time of
 * the process that wrote it. The caller frees it. NULL if the trace does not have these values. */
char *xs_trace_identity(const struct xs_trace *trace);

/* Does xs_output_is_input for names of traces, some of them in merged files. */
struct xs_out_options;
bool xs_output_is_trace(const struct xs_out_options *options, const struct xs_traces *traces);

#endif
