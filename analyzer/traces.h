/* The traces that a command's arguments name: files, folders, and merged files with all that is in them. */
#ifndef XFERSPY_ANALYZER_TRACES_H
#define XFERSPY_ANALYZER_TRACES_H

#include <stddef.h>

struct xs_traces {
    char **names; /* each for xs_open; NULL after the last */
    int count;
};

/* Puts the names of all traces that are meant into `traces`, to be freed whatever is returned:
 *   - a folder stands for the *.db in it, in the order of `ls -v`; what is no trace is left out, with a line on
 *     standard error; a folder without a trace is an error;
 *   - a merged file stands for its traces, in its order; "JOB.db:3" for one of them;
 *   - anything else stands for itself, if it exists or not: opening it finds the words.
 * What is named twice is taken once, with a line that says so; copies of a file are not seen here. Returns XS_EXIT_OK, or
 * XS_EXIT_ERROR after a message: what could be had is there all the same. */
int xs_traces_expand(char *const *arguments, int count, struct xs_traces *traces);
void xs_traces_free(struct xs_traces *traces);

#endif
