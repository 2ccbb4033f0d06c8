/* The traces that a command's arguments name: files, folders, and merged files with all that is in them. */
#ifndef XFERSPY_ANALYZER_COMMAND_TRACES_H
#define XFERSPY_ANALYZER_COMMAND_TRACES_H

#include <stdbool.h>
#include <stddef.h>

#include "schema/read/trace.h"

struct xs_traces {
    char **names; /* each for xs_open; NULL after the last */
    int count;
};

/* Puts the names of all traces that are meant into `traces`, to be freed whatever is returned:
 *   - a folder stands for the *.db in it, in the order of `ls -v`; what is no trace is left out, with a line on
 *     standard error; a folder without a trace is an error;
 *   - the number of a process stands for the trace that it writes (process.h), where no file has that name;
 *   - a merged file stands for its traces, in its order; "JOB.db:3" for one of them;
 *   - anything else stands for itself, if it exists or not: opening it finds the words.
 * What is named twice is taken once, with a line that says so; copies of a file are not seen here. Returns XS_EXIT_OK,
 * or XS_EXIT_ERROR after a message: what could be had is there all the same. */
int xs_traces_expand(char *const *arguments, int count, struct xs_traces *traces);
void xs_traces_free(struct xs_traces *traces);

/* For a command that takes one trace: true, after a message that names the traces in it, where `path` is a folder. */
bool xs_complain_folder(const char *path);

/* The bytes of a name that are a file's: all of it, but for a trace in a merged file. */
size_t xs_traces_file_bytes(const char *name);

/* The identity of a trace, which all its copies have and no other trace has: host, pid, rank and start time of the
 * process that wrote it. The caller frees it. NULL if the trace does not have these values. */
char *xs_trace_identity(const struct xs_trace *trace);

/* xs_output_is_input for names of traces, of which some are in merged files. */
struct xs_out_options;
bool xs_output_is_trace(const struct xs_out_options *options, const struct xs_traces *traces);

#endif
