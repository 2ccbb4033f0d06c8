/* Writes a merged file (schema/read/merged.h). Traces are added one after the other, each completely or not at all. */
#ifndef XFERSPY_SCHEMA_READ_MERGED_WRITE_H
#define XFERSPY_SCHEMA_READ_MERGED_WRITE_H

#include "schema/read/trace.h"

struct xs_merged_writer;

/* Makes the tables in `path`, an existing empty file, which messages call `name`. On error returns a negative status,
 * and writes one line to `message` (XS_TRACE_MESSAGE_BYTES long); there is then no writer to close. */
int xs_merged_create(const char *path, const char *name, struct xs_merged_writer **writer, char *message);

/* Adds a copy of a trace under a unique name of at most XS_MERGED_NAME_BYTES bytes; `file` is the name of the trace's
 * file. XS_ERROR_CORRUPT: the trace is damaged, and nothing was added; other traces may still be added. After any other
 * error the merged file is unusable. */
int xs_merged_add(struct xs_merged_writer *writer, const struct xs_trace *trace, const char *name, const char *file,
                  char *message);

/* Writes all data to disk if `keep` is not 0, and frees the writer. */
int xs_merged_close(struct xs_merged_writer *writer, int keep, char *message);

#endif
