/* Copies a trace and its side files to a temporary directory, to recover the trace there if its own directory is not
 * writable. */
#ifndef XFERSPY_SCHEMA_READ_COPY_H
#define XFERSPY_SCHEMA_READ_COPY_H

#include "schema/read/recover.h"

struct xs_copy {
    char directory[XS_PATH_BYTES];
    char path[XS_PATH_BYTES]; /* path of the copied trace */
};

/* The side files to copy. */
enum { XS_COPY_LOG = 1, XS_COPY_JOURNAL = 2, XS_COPY_SPOOL = 4 };

/* Copies to a directory in $TMPDIR or /tmp. A copied log fits the copied trace, even while the trace's process writes.
 * Returns 0, or an error, after which no copy is left. */
int xs_copy_trace(const char *path, unsigned what, struct xs_copy *copy);

/* Copies as xs_copy_trace does, then lets SQLite complete or undo the transaction that is in the journal or log.
 * XS_ERROR_CORRUPT: after this the copy is no complete database, so the journal does not belong to the trace. */
int xs_copy_settled(const char *path, unsigned what, struct xs_copy *copy);

/* True if SQLite may write the journal back into the trace. A journal can change or truncate the trace in any way, so
 * the function tries this with a copy. If a process is using the journal, returns true. */
bool xs_journal_is_sound(const char *path);

/* Deletes the files; a connection that has the trace open can still read it. */
void xs_copy_delete(struct xs_copy *copy);

#endif
