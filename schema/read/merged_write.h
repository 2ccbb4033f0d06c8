/* The writer of a merged file (schema/read/merged.h) adds trace after trace, each whole or not at all. */
#ifndef XFERSPY_SCHEMA_READ_MERGED_WRITE_H
#define XFERSPY_SCHEMA_READ_MERGED_WRITE_H

#include "schema/read/trace.h"

struct xs_merged_writer;

/* Makes the tables in `path`, an existing empty file; messages call it `name`. A negative status comes with a one-line
 * message (XS_TRACE_MESSAGE_BYTES) and leaves nothing to close. */
int xs_merged_create(const char *path, const char *name, struct xs_merged_writer **writer, char *message);

/* Copies a trace under a unique name, XS_MERGED_NAME_BYTES long; `file` is its origin. A damaged trace
 * (XS_ERROR_CORRUPT) leaves nothing in the file, and other traces may follow. After any other error the file is
 * unusable. */
int xs_merged_add(struct xs_merged_writer *writer, const struct xs_trace *trace, const char *name, const char *file,
                  char *message);

/* Writes everything to disk if `keep`, and frees the writer. */
int xs_merged_close(struct xs_merged_writer *writer, int keep, char *message);

#endif
