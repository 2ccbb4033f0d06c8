/* A temporary copy of a trace with all that lies beside it, to recover a trace whose directory cannot be written. */
#ifndef XFERSPY_SCHEMA_TRACE_COPY_H
#define XFERSPY_SCHEMA_TRACE_COPY_H

#include "schema/trace/recover.h"

struct xs_copy {
    char directory[XS_PATH_BYTES];
    char path[XS_PATH_BYTES]; /* of the copied trace */
};

/* In $TMPDIR or /tmp. Returns 0 or an error, after which nothing is left there. */
int xs_copy_trace(const char *path, struct xs_copy *copy);

/* Deletes the files; a connection that has the trace open keeps reading it. */
void xs_copy_delete(struct xs_copy *copy);

#endif
