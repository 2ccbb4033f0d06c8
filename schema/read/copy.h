/* A temporary copy of a trace with all that lies beside it, to recover a trace whose directory cannot be written. */
#ifndef XFERSPY_SCHEMA_TRACE_COPY_H
#define XFERSPY_SCHEMA_TRACE_COPY_H

#include "schema/read/recover.h"

struct xs_copy {
    char directory[XS_PATH_BYTES];
    char path[XS_PATH_BYTES]; /* of the copied trace */
};

/* Which of the files beside it are copied. */
enum { XS_COPY_LOG = 1, XS_COPY_JOURNAL = 2, XS_COPY_SPOOL = 4 };

/* In $TMPDIR or /tmp. A log that is copied belongs to the state of the trace that is copied, also where its process
 * writes meanwhile. Returns 0 or an error, after which nothing is left there. */
int xs_copy_trace(const char *path, unsigned what, struct xs_copy *copy);

/* The same, after which SQLite has ended a transaction that the journal or the log holds. XS_ERROR_CORRUPT where the
 * copy is no whole database then: the journal is not the trace's. */
int xs_copy_settled(const char *path, unsigned what, struct xs_copy *copy);

/* Whether SQLite may play the journal back into the trace. A journal can cut a trace off, or change it to anything, so
 * it is tried in a copy. One that a process is using is none that was left. */
bool xs_journal_is_sound(const char *path);

/* Deletes the files; a connection that has the trace open keeps reading it. */
void xs_copy_delete(struct xs_copy *copy);

#endif
