/* A merged file: the traces of a job in one SQLite database. It has every table of schema.sql with a column `trace`
 * before the others, `merged_trace` with a row a trace, and views over all of them. A trace in it is named "JOB.db:3":
 * the file, and the trace's name there, which is its rank where ranks are known. Opening one hides the tables behind
 * TEMP views of that trace, named and made like those of a trace by itself, so that readers need not know. */
#ifndef XFERSPY_SCHEMA_TRACE_MERGED_H
#define XFERSPY_SCHEMA_TRACE_MERGED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/read/trace.h"

#define XS_MERGED_APPLICATION_ID 0x7866736d /* "xfsm"; user_version is the schema version of its tables */

/* A key of meta: 1 where the trace was still written when it was merged. */
#define XS_META_SNAPSHOT "snapshot"

enum { XS_MERGED_NAME_BYTES = 256 };

struct xs_merged_trace {
    int64_t id;                      /* column `trace` of every table */
    char name[XS_MERGED_NAME_BYTES]; /* of no other trace in the file */
};

/* Whether a file is a merged one, by its first bytes. */
bool xs_merged_is(const char *path);

/* How many bytes of "JOB.db:3" are the file's name: there is no file of the whole name, and a merged one before the
 * colon. 0: it is no such name. */
size_t xs_merged_split(const char *path);

/* The traces of a merged file, in its order, to be freed. On error a negative status and a one-line message naming the
 * file (XS_TRACE_MESSAGE_BYTES long). */
int xs_merged_list(const char *path, struct xs_merged_trace **traces, size_t *count, char *message);

/* Opens all of a merged file, for SQL over its traces. */
int xs_merged_open_all(const char *path, struct xs_trace *trace, char *message);

/* The rest is for this folder. What xs_trace_open does with a name that xs_merged_split knows, or that is a merged
 * file's: without a trace's name that is an error which lists them. */
int xs_merged_open(const char *path, struct xs_trace *trace, char *message);
/* Opens a database in memory that has the schema of a merged file, to be closed whatever the SQLite result code. */
struct sqlite3;
int xs_merged_schema(struct sqlite3 **db);

#endif
