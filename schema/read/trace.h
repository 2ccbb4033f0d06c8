/* Opens a trace for reading: checks that the file is a trace, recovers what a killed process left in the spool, and
 * opens a read-only SQLite connection. */
#ifndef XFERSPY_SCHEMA_READ_TRACE_H
#define XFERSPY_SCHEMA_READ_TRACE_H

#include <stdint.h>

#include "schema/error.h"

struct sqlite3;
struct xs_step_limit;
struct xs_device_windows;

struct xs_trace {
    struct sqlite3 *db; /* read-only; owned by the trace */
    struct xs_step_limit
        *steps; /* limits the cost of reading (schema/safe_open/step_limit.h); owned by the connection */
    struct xs_device_windows
        *windows;      /* used by the analyzer (analyzer/trace/windows/device_windows.h); owned by the connection */
    char path[4096];   /* path as it was opened */
    char file[4224];   /* path with links resolved, and without the trace's name in a merged file */
    int64_t merged_id; /* number of the trace in a merged file (schema/read/merged.h); -1: the file is no merged file */
    int is_live;       /* the process still runs, and readers see what was drained so far */
    int is_cut;        /* the process was killed and its last events are missing, for the reason in `warning` */
    int recovers; /* when the trace was opened, this user could recover from its side files; another process may have
                     done so meanwhile */
    int64_t recovered_events; /* number of events that this call moved from the spool into the trace; -1: nothing was
                                 left to recover */
    char warning[512];        /* one line that tells why the trace is incomplete, without a file name; "": no warning */
};

#define XS_TRACE_MESSAGE_BYTES 5120

/* Opens `path`, which is a trace's file, or a trace in a merged file ("JOB.db:3", schema/read/merged.h). If the trace's
 * writer was killed, recovers the trace first (in a temporary copy if its directory is not writable). On error returns
 * a negative status, and writes one line with the file's name to `message` (XS_TRACE_MESSAGE_BYTES long). Never writes
 * to a file that is no trace, and makes no files beside it. */
int xs_trace_open(const char *path, struct xs_trace *trace, char *message);
void xs_trace_close(struct xs_trace *trace);

/* Returns the reason why a statement on the trace failed: SQLite's message, or a text which says that it took too many
 * steps. Valid until the next statement. */
const char *xs_trace_why(const struct xs_trace *trace);

/* Returns the disk space that the trace and its log occupy, which may be less than their length; 0: the file is
 * missing. */
int64_t xs_trace_bytes(const char *file);

/* Returns about how many rows the tables of events have, from their largest numbers, which costs no reading of rows. */
uint64_t xs_trace_event_rows(const struct xs_trace *trace);

/* xs_trace_meta_int and xs_trace_meta_text read a value of meta, and return `fallback` if the key is missing. Text is
 * copied into the buffer, cut at bytes - 1, and ended by a NUL. */
int64_t xs_trace_meta_int(const struct xs_trace *trace, const char *key, int64_t fallback);
/* Reads a count from meta, and returns 0 if it is missing or negative. */
uint64_t xs_trace_meta_count(const struct xs_trace *trace, const char *key);
const char *xs_trace_meta_text(const struct xs_trace *trace, const char *key, char *buffer, int bytes,
                               const char *fallback);

#endif
