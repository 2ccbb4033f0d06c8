/* Opens a trace for reading: checks that the file is a trace, recovers what a killed process left in the spool, and
 * opens a read-only SQLite connection. */
#ifndef XFERSPY_SCHEMA_READ_TRACE_H
#define XFERSPY_SCHEMA_READ_TRACE_H

#include <stdbool.h>
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
    char file[4224];   /* path of the file, with links resolved; if `path` is "JOB.db:3", the path of JOB.db */
    int64_t merged_id; /* number of the trace in a merged file (schema/read/merged.h); -1: the file is no merged file */
    int is_live;       /* the process still runs, and readers see what was drained so far */
    int is_cut;        /* the process was killed, and its last events are missing for the reason in `warning` */
    int is_alone;      /* the file was opened without the files beside it */
    int opens_again;   /* xs_trace_open_again can open the trace */
    int recovers;      /* when the trace was opened, this user could recover events or undo a transaction from the side
                          files; another process may have done this since then */
    int64_t recovered_events; /* number of events that xs_trace_open moved from the spool into the trace; -1: nothing
                                 was left to recover */
    char warning[512];        /* one line that tells why the trace is incomplete, without a file name; "": no warning */
};

#define XS_TRACE_MESSAGE_BYTES 5120

/* Opens `path`, which is a trace's file, or a trace in a merged file ("JOB.db:3", schema/read/merged.h). If the trace's
 * writer was killed, recovers the trace first (in a temporary copy if its directory is not writable). On error returns
 * a negative status, and writes one line with the file's name to `message` (XS_TRACE_MESSAGE_BYTES long). Never writes
 * to a file that is no trace, and never makes files beside such a file. */
int xs_trace_open(const char *path, struct xs_trace *trace, char *message);
void xs_trace_close(struct xs_trace *trace);

/* Opens the file of an open trace once more, so that another thread can read it. This is not possible if the process
 * still writes the trace, if the trace was completed when it was opened, if it is one of a merged file, or if another
 * file has its name now. Returns false in these cases, and then `again` need not be closed. */
bool xs_trace_open_again(const struct xs_trace *trace, struct xs_trace *again);

/* Returns the reason why a statement on the trace failed: SQLite's message, or a text which tells that the statement
 * took too many steps or that a value is too long. The text is valid until the next statement. */
const char *xs_trace_why(const struct xs_trace *trace);

/* Returns the length of the trace plus the length of its log. If the file system tells how much disk space a file
 * occupies, the file counts at most 16 times that space, because a file with holes can have any length. The factor 16
 * is for file systems that compress files. 0: both files are missing or empty. */
int64_t xs_trace_bytes(const char *file);

/* Estimates how many rows the tables of events have. The result is the sum of the largest row number of each table, so
 * only one row of each table is read. */
uint64_t xs_trace_event_rows(const struct xs_trace *trace);

/* xs_trace_meta_int and xs_trace_meta_text read a value of meta, and return `fallback` if the key is missing.
 * xs_trace_meta_text copies at most bytes - 1 bytes of the text and a NUL into the buffer. */
int64_t xs_trace_meta_int(const struct xs_trace *trace, const char *key, int64_t fallback);
/* Reads a count from meta, and returns 0 if it is missing or negative. */
uint64_t xs_trace_meta_count(const struct xs_trace *trace, const char *key);
const char *xs_trace_meta_text(const struct xs_trace *trace, const char *key, char *buffer, int bytes,
                               const char *fallback);

#endif
