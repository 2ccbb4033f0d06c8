/* Writing a merged file (schema/read/merged.h): trace after trace, each whole or not at all. */
#ifndef XFERSPY_SCHEMA_TRACE_MERGED_WRITE_H
#define XFERSPY_SCHEMA_TRACE_MERGED_WRITE_H

#include "schema/read/trace.h"

struct xs_merged_writer;

/* Makes the tables in `path`, a file that is there and empty; `name` is what messages call it. Negative status: a
 * message of one line (XS_TRACE_MESSAGE_BYTES), and nothing to be closed. */
int xs_merged_create(const char *path, const char *name, struct xs_merged_writer **writer, char *message);

/* Copies a trace under a name that no other has, XS_MERGED_NAME_BYTES long; `file` is where it came from. If the
 * trace is damaged (XS_ERROR_CORRUPT), nothing of it is in the file, and other traces may follow. After any other error
 * the file cannot be used. */
int xs_merged_add(struct xs_merged_writer *writer, const struct xs_trace *trace, const char *name, const char *file,
                  char *message);

/* Puts everything on the disk if `keep`, and frees. */
int xs_merged_close(struct xs_merged_writer *writer, int keep, char *message);

#endif
