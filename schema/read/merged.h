/* A merged file holds the traces of a job in one SQLite database. Each table of schema.sql has a first column `trace`;
 * `merged_trace` has a row for each trace, and views span all of them. "JOB.db:3" names one trace: the file, and the
 * trace's name there, which is its rank where ranks are known. Opening one hides the tables behind TEMP views of that
 * trace, named and made like the tables of a single trace, so readers see no difference. */
#ifndef XFERSPY_SCHEMA_READ_MERGED_H
#define XFERSPY_SCHEMA_READ_MERGED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/read/trace.h"

#define XS_MERGED_APPLICATION_ID 0x7866736d /* "xfsm"; user_version is the schema version of the file's tables */

/* Key of meta: 1 where the trace was still being written when it was merged. */
#define XS_META_SNAPSHOT "snapshot"

enum { XS_MERGED_NAME_BYTES = 256 };

struct xs_merged_trace {
    int64_t id;                      /* value of column `trace` in every table */
    char name[XS_MERGED_NAME_BYTES]; /* unique in the file */
};

/* True when a file's first bytes are those of a merged file. */
bool xs_merged_is(const char *path);

/* Returns the length of the file name in "JOB.db:3": no file has the whole name, and the part before the colon names a
 * merged file. 0: not such a name. */
size_t xs_merged_split(const char *path);

/* Lists the traces of a merged file in its order; the caller frees the list. On error returns a negative status and a
 * one-line message naming the file (XS_TRACE_MESSAGE_BYTES long). */
int xs_merged_list(const char *path, struct xs_merged_trace **traces, size_t *count, char *message);

/* Opens a whole merged file, for SQL over its traces. */
int xs_merged_open_all(const char *path, struct xs_trace *trace, char *message);

/* The rest is for this folder. xs_trace_open calls this for a name that xs_merged_split accepts, and for a merged file
 * itself. A merged file without a trace's name is an error that lists the names. */
int xs_merged_open(const char *path, struct xs_trace *trace, char *message);
/* Opens a database in memory with the schema of a merged file. The caller closes it whatever the SQLite result code. */
struct sqlite3;
int xs_merged_schema(struct sqlite3 **db);

#endif
