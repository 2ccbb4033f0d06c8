/* Recovery takes over the events that a killed process left behind; outside callers use trace.c. */
#ifndef XFERSPY_SCHEMA_READ_RECOVER_H
#define XFERSPY_SCHEMA_READ_RECOVER_H

#include <stdbool.h>
#include <stdint.h>

#include "schema/safe_open/side_files.h"
#include "schema/spool/spool.h"

struct xs_recovery {
    enum xs_writer writer;
    bool spool_found, spool_damaged;
    bool nothing_recorded; /* no thread had begun to write an event into the spool */
    bool spool_missing;    /* the spool is gone or in the memory of another machine or container; `error` says which */
    char stopped[XS_SPOOL_STOPPED_BYTES]; /* why capture ended before the process did; "": it did not */
    char error[512];                      /* one line: SQLite's message, or where the missing events are */
};

/* Recovers the file at `path`, already identified as a trace. Returns the number of events taken over, XS_ERROR_BUSY
 * while the writer lives or may live, or an error after which nothing has changed. */
int64_t xs_recover(const char *path, bool writer_is_gone, struct xs_recovery *recovery);

/* Recovers a copy that xs_copy_trace made of `original`; no process writes it, and the spool lies beside it. A copied
 * pointer is not followed: the copy is this user's, but a stranger may have written the pointer to show one of this
 * user's spools as part of his own trace. */
int64_t xs_recover_copy(const char *path, const char *original, struct xs_recovery *recovery);

/* Ends a WAL that a recovery left because others were reading. Called after this process closed its last connection to
 * the trace. Only the last reader's call succeeds; earlier ones have no effect. */
void xs_recover_close(const char *path);

/* Returns the state of the writer of the spool beside the trace; gone where no readable spool exists. */
enum xs_writer xs_writer_of(const char *path);

#endif
