/* Readers open a trace here: opening checks that the file is a trace, recovers what a killed process left in the spool,
 * and returns a read-only SQLite connection. */
#ifndef XFERSPY_SCHEMA_READ_TRACE_H
#define XFERSPY_SCHEMA_READ_TRACE_H

#include <stdint.h>

#include "schema/error.h"

struct sqlite3;
struct xs_steps;
struct xs_device_windows;

struct xs_trace {
    struct sqlite3 *db;     /* read-only; owned by the trace */
    struct xs_steps *steps; /* limits the cost of reading (schema/safe_open/step_limit.h); owned by the connection */
    struct xs_device_windows
        *windows;      /* the analyzer's (analyzer/trace/windows/device_windows.h); owned by the connection */
    char path[4096];   /* path as it was opened */
    char file[4224];   /* file of the trace: links resolved, without a trace's name in a merged file */
    int64_t merged_id; /* trace's number in a merged file (schema/read/merged.h); -1: the file is the trace */
    int is_live;       /* the process still runs: readers see what was drained so far */
    int is_cut;        /* the process was killed and its last events are missing: `warning` says why */
    int recovers;      /* the side files were this user's to take over; another process may have done so meanwhile */
    int64_t recovered_events; /* events this call took over from the spool; -1: nothing was left to recover */
    char warning[512];        /* one line, "" for none: the trace is open but incomplete; names no file */
};

#define XS_TRACE_MESSAGE_BYTES 5120

/* Opens `path`, a file or a trace in a merged one ("JOB.db:3", schema/read/merged.h). Recovers it first if its writer
 * was killed (in a temporary copy if its directory is not writable). On error returns a negative status and a one-line
 * message naming the file in `message` (XS_TRACE_MESSAGE_BYTES long). Never writes to a file that is not a trace, nor
 * makes files beside it. */
int xs_trace_open(const char *path, struct xs_trace *trace, char *message);
void xs_trace_close(struct xs_trace *trace);

/* Returns why a statement on the trace failed: SQLite's message, or that it was ended for its cost. Valid until the
 * next statement. */
const char *xs_trace_why(const struct xs_trace *trace);

/* Returns the disk space that the trace and its log occupy, not the length of a sparse file; 0 where it is missing. */
int64_t xs_trace_bytes(const char *file);

/* Read meta values; `fallback` where the key is missing. Text is copied into the buffer, NUL-terminated, cut at bytes -
 * 1. */
int64_t xs_trace_meta_int(const struct xs_trace *trace, const char *key, int64_t fallback);
/* Reads a count from meta: 0 where it is missing or negative. */
uint64_t xs_trace_meta_count(const struct xs_trace *trace, const char *key);
const char *xs_trace_meta_text(const struct xs_trace *trace, const char *key, char *buffer, int bytes,
                               const char *fallback);

/* Moves the events left in the spool beside `path` into the trace, ends the WAL and deletes the spool. xs_trace_open
 * calls it. Repeated calls are safe, even from several processes at once. Returns the number of events taken over, 0
 * where there was no spool, XS_ERROR_BUSY while the writer lives, or an error. */
int64_t xs_trace_recover(const char *path);

/* Recovers as xs_trace_recover does where the writer's state cannot be determined, because it ran on another machine:
 * the caller knows that it is dead. */
int64_t xs_trace_recover_abandoned(const char *path);

#endif
