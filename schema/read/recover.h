/* Taking over what a killed process left behind; trace.c is the way to it from outside. */
#ifndef XFERSPY_SCHEMA_TRACE_RECOVER_H
#define XFERSPY_SCHEMA_TRACE_RECOVER_H

#include <stdbool.h>
#include <stdint.h>

#include "schema/safe_open/side_files.h"
#include "schema/spool/spool.h"

struct xs_recovery {
    enum xs_writer writer;
    bool spool_found, spool_damaged;
    bool nothing_recorded; /* no thread had begun to write an event into the spool */
    bool spool_missing;    /* it is in the memory of another machine or container, or gone; `error` says which */
    char stopped[XS_SPOOL_STOPPED_BYTES]; /* why capture ended before the process did; "": it did not */
    char error[512];                      /* SQLite's words for a failure */
};

/* Recovers the trace at `path`, which has been identified as one. Returns the events taken over, XS_ERROR_BUSY while
 * its writer lives or may live, or an error after which nothing has changed. */
int64_t xs_recover(const char *path, bool writer_is_gone, struct xs_recovery *recovery);

/* The same for a copy that xs_copy_trace made of `original`, which no process writes and which has the spool beside it.
 * A pointer that was copied is not followed: the copy is this user's, but the pointer may be a stranger's who wants to
 * show one of this user's spools as part of his own trace. */
int64_t xs_recover_copy(const char *path, const char *original, struct xs_recovery *recovery);

/* After the trace's last connection of this process was closed: ends a WAL that a recovery left because others were
 * reading then. The last of them does it; for the others it does nothing. */
void xs_recover_close(const char *path);

/* State of the writer of the spool beside the trace; gone where there is no spool that can be read. */
enum xs_writer xs_writer_of(const char *path);

#endif
