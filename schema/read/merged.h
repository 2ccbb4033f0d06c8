/* A merged file contains the traces of a job in one SQLite database. Each table of schema.sql has an additional first
 * column `trace` there. The table `merged_trace` has a row for each trace, and views show the rows of all traces.
 * "JOB.db:3" means one trace: the file, and the trace's name in it, which is its rank if the rank is known. When one
 * trace is opened, TEMP views with the names and columns of a single trace's tables hide the tables and show only the
 * rows of that trace, so readers see no difference from a single trace. */
#ifndef XFERSPY_SCHEMA_READ_MERGED_H
#define XFERSPY_SCHEMA_READ_MERGED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/read/trace.h"

#define XS_MERGED_APPLICATION_ID 0x7866736d /* "xfsm"; user_version is the schema version of the file's tables */

/* Key of meta; its value is 1 if the trace was still being written when it was merged. */
#define XS_META_SNAPSHOT "snapshot"

enum { XS_MERGED_NAME_BYTES = 256 };

struct xs_merged_trace {
    int64_t id;                      /* value of column `trace` in every table */
    char name[XS_MERGED_NAME_BYTES]; /* unique in the file */
};

/* True if the file begins like a merged file. */
bool xs_merged_is(const char *path);

/* Returns the length of the file name in a name like "JOB.db:3". 0: the name is not of this form, a file with the whole
 * name exists, or the part before the colon is no merged file. */
size_t xs_merged_split(const char *path);

/* Lists the traces of a merged file in the file's order; the caller frees the list. On error returns a negative status
 * and a one-line message naming the file (XS_TRACE_MESSAGE_BYTES long). */
int xs_merged_list(const char *path, struct xs_merged_trace **traces, size_t *count, char *message);

/* Opens a whole merged file, for SQL over its traces. */
int xs_merged_open_all(const char *path, struct xs_trace *trace, char *message);

/* The rest is only for the files of this folder. xs_trace_open calls xs_merged_open, after xs_trace_begin, for a name
 * that xs_merged_split accepts, and for a merged file itself. If the name has no part for a trace, this is an error,
 * whose message lists the names of the traces. */
int xs_merged_open(const char *path, struct xs_trace *trace, char *message);
/* Opens a database in memory with the schema of a merged file. The caller must close it for every SQLite result code,
 * also after an error. */
struct sqlite3;
int xs_merged_schema(struct sqlite3 **db);

#endif
