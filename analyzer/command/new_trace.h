/* A trace that a command writes: made under another name beside its own, so that a command that fails midway leaves neither a
 * half one nor an old one damaged. */
#ifndef XFERSPY_ANALYZER_COMMAND_NEW_TRACE_H
#define XFERSPY_ANALYZER_COMMAND_NEW_TRACE_H

#include <stdbool.h>

struct sqlite3;

struct xs_new_trace {
    struct sqlite3 *db; /* in a transaction */
    char *path, *temporary;
    bool force;
};

/* Makes it, with the tables, views and names of the current schema and meta schema_version. Negative after a message. */
int xs_new_trace_begin(struct xs_new_trace *trace, const char *path, bool force);

/* Ends the transaction and puts the file in its place if `keep`, else removes it. 0, or negative after a message. */
int xs_new_trace_end(struct xs_new_trace *trace, bool keep);

#endif
