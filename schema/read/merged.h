/* A merged file contains the traces of a job in one SQLite database. In a merged file, each table of schema.sql has an
 * additional first column `trace`. The table `merged_trace` has a row for each trace, and views show the rows of all
 * traces. A name like "JOB.db:3" means one trace of a merged file. The name consists of the file's name, a colon and
 * the trace's name in the file, which is the rank of the trace's process if the rank is known. When one trace of a
 * merged file is opened, TEMP views with the names and columns of the tables of schema.sql hide the file's tables and
 * show only the rows of that trace. Therefore readers see no difference from the file of a single trace. */
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

/* True if the file's header is that of a merged file. The rest of the file is not checked. */
bool xs_merged_is(const char *path);

/* Returns the length of the file's name in a name like "JOB.db:3". 0: the name is not of this form, a file with the
 * whole name exists, or no part of the name before a colon is the name of a merged file. */
size_t xs_merged_split(const char *path);

/* Lists the traces of a merged file in the file's order; the caller frees the list. On error returns a negative status
 * and a one-line message naming the file (XS_TRACE_MESSAGE_BYTES long). */
int xs_merged_list(const char *path, struct xs_merged_trace **traces, size_t *count, char *message);

/* Opens a merged file without selecting a trace, so that SQL statements can read the rows of all its traces. */
int xs_merged_open_all(const char *path, struct xs_trace *trace, char *message);

/* Only the files of this folder may call xs_merged_open and xs_merged_schema. xs_trace_open calls xs_merged_open, after
 * xs_trace_begin, for a name that xs_merged_split accepts, and for the name of a merged file. The name of a merged file
 * without a trace's name is an error, and the message lists the names of the traces. */
int xs_merged_open(const char *path, struct xs_trace *trace, char *message);
/* Opens a database in memory with the schema of a merged file. Returns an SQLite result code. The caller must close the
 * database also after an error. */
struct sqlite3;
int xs_merged_schema(struct sqlite3 **db);

#endif
