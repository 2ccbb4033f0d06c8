/* Recovery moves the events that a killed process left in its spool into the trace. Code outside of this folder must
 * use the functions of trace.h instead. */
#ifndef XFERSPY_SCHEMA_READ_RECOVER_H
#define XFERSPY_SCHEMA_READ_RECOVER_H

#include <stdbool.h>
#include <stdint.h>

#include "schema/safe_open/side_files.h"
#include "schema/spool/spool.h"

struct xs_recovery {
    enum xs_writer writer;
    bool spool_found, spool_damaged;
    bool nothing_recorded; /* no thread had begun to write events into the spool */
    bool spool_missing;    /* the spool was deleted, or is in the memory of another machine or container; `error` tells
                              which of the two is true */
    char stopped[XS_SPOOL_STOPPED_BYTES]; /* reason why capture ended before the process ended; "": it did not */
    char error[512];                      /* one line: SQLite's message, or where the missing events are */
};

/* Recovers the file at `path`; the caller has verified that it is a trace. Returns the number of events moved into the
 * trace, XS_ERROR_BUSY if the writer lives or may live, or another error, after which nothing has changed. */
int64_t xs_recover(const char *path, struct xs_recovery *recovery);

/* Recovers a copy that xs_copy_trace made of `original`. No process writes the copy, and the spool is beside it. If a
 * pointer to a spool is beside the copy instead of a spool, the pointer is not followed: the copy belongs to this user,
 * but a stranger may have written the pointer, to make one of this user's spools a part of the stranger's trace. */
int64_t xs_recover_copy(const char *path, const char *original, struct xs_recovery *recovery);

/* Ends the WAL, if a recovery could not end it because other processes were reading the trace. The caller must first
 * close this process's last connection to the trace. The call succeeds only in the last process that reads the trace;
 * earlier calls have no effect. */
void xs_recover_close(const char *path);

/* Returns the state of the process that writes the trace's spool; XS_WRITER_GONE if there is no readable spool. */
enum xs_writer xs_writer_of(const char *path);

#endif
