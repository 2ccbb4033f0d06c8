/* Copies a trace and its side files to a temporary directory, to recover the trace there if its own directory is not
 * writable. */
#ifndef XFERSPY_SCHEMA_READ_COPY_H
#define XFERSPY_SCHEMA_READ_COPY_H

#include "schema/read/recover.h"

struct xs_copy {
    char directory[XS_PATH_BYTES];
    char path[XS_PATH_BYTES]; /* path of the copied trace */
};

/* Side files that can be copied. */
enum { XS_COPY_LOG = 1, XS_COPY_JOURNAL = 2, XS_COPY_SPOOL = 4 };

/* Copies the trace and those of its side files that `what` names to a new directory in $TMPDIR or /tmp. The copied log
 * fits the copied trace, even if a process writes the trace meanwhile. Returns 0, or an error, after which no copy is
 * left (XS_ERROR_BUSY: a process began the log anew during every attempt). */
int xs_copy_trace(const char *path, unsigned what, struct xs_copy *copy);

/* Copies the trace as xs_copy_trace does. Then SQLite completes or undoes, in the copy, the transaction that the
 * journal or log contains. XS_ERROR_CORRUPT: the result is not a sound database, so the journal probably does not
 * belong to the trace; no copy is left. */
int xs_copy_settled(const char *path, unsigned what, struct xs_copy *copy);

/* Returns true if SQLite may undo a transaction by writing the journal back into the trace. A journal can change or
 * truncate the trace in any way, so the function first does this in a copy, and returns false if the copy fails or is
 * not sound afterwards. If another process is writing the trace, the journal is in use, and the function returns true
 * without a copy. */
bool xs_journal_is_sound(const char *path);

/* Deletes the copied files and their directory. An SQLite connection that has the copy open can still read it. */
void xs_copy_delete(struct xs_copy *copy);

#endif
