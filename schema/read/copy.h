/* A trace is copied with its side files to a temporary place, to recover it where its directory is not writable. */
#ifndef XFERSPY_SCHEMA_READ_COPY_H
#define XFERSPY_SCHEMA_READ_COPY_H

#include "schema/read/recover.h"

struct xs_copy {
    char directory[XS_PATH_BYTES];
    char path[XS_PATH_BYTES]; /* path of the copied trace */
};

/* Side files to be copied. */
enum { XS_COPY_LOG = 1, XS_COPY_JOURNAL = 2, XS_COPY_SPOOL = 4 };

/* Copies to $TMPDIR or /tmp. A copied log matches the state of the copied trace, even while its process writes. Returns
 * 0 or an error, after which no copy is left. */
int xs_copy_trace(const char *path, unsigned what, struct xs_copy *copy);

/* Copies as xs_copy_trace does, then lets SQLite end the transaction that the journal or log holds. XS_ERROR_CORRUPT if
 * the copy is then no whole database: the journal is not the trace's. */
int xs_copy_settled(const char *path, unsigned what, struct xs_copy *copy);

/* True when SQLite may play the journal back into the trace. A journal can truncate a trace or change it at will, so a
 * copy is tried first. A journal in use by a process is not a leftover and counts as sound. */
bool xs_journal_is_sound(const char *path);

/* Deletes the files; a connection that has the trace open can still read it. */
void xs_copy_delete(struct xs_copy *copy);

#endif
