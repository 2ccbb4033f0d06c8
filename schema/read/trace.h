/* The trace being read: opening checks that the file is a trace, recovers what a killed process left in the spool,
 * and hands out a read-only SQLite connection. */
#ifndef XFERSPY_SCHEMA_TRACE_TRACE_H
#define XFERSPY_SCHEMA_TRACE_TRACE_H

#include <stdint.h>

#include "schema/error.h"

struct sqlite3;
struct xs_steps;
struct xs_device_windows;

struct xs_trace {
    struct sqlite3 *db;                /* read-only; the trace's */
    struct xs_steps *steps;            /* what reading it may cost (schema/safe_open/steps.h); the connection's */
    struct xs_device_windows *windows; /* the analyzer's (analyzer/trace/windows/device_windows.h); the connection's */
    char path[4096];                   /* as it was opened */
    char file[4224];   /* the file itself: links are resolved, and what names a trace in a merged file is not there */
    int64_t merged_id; /* its number in a merged file (schema/read/merged.h); -1: the file is the trace */
    int is_live;       /* its process still runs: what is read is what was drained so far */
    int is_cut;        /* its process was killed, and its last events could not be had: `warning` says why */
    int recovers;      /* its side files were this user's to take over; others may have done it at the same time */
    int64_t recovered_events; /* taken over from the spool by this call; -1: nothing was left to recover */
    char warning[512];        /* one line, "" for none: opened, but not all of it could be had; names no file */
};

#define XS_TRACE_MESSAGE_BYTES 5120

/* Opens `path`, the name of a file or of a trace in a merged one ("JOB.db:3", schema/read/merged.h), after recovering
 * it where its writer was killed (in a temporary copy where its directory cannot be written). On error returns a
 * negative status and a one-line message naming the file in `message` (XS_TRACE_MESSAGE_BYTES long). A file that is not
 * a trace is never written to, nor are files made beside it. */
int xs_trace_open(const char *path, struct xs_trace *trace, char *message);
void xs_trace_close(struct xs_trace *trace);

/* Why a statement on the trace failed: SQLite's words, or that it had to end because it cost too much. Valid until the
 * next statement. */
const char *xs_trace_why(const struct xs_trace *trace);

/* What the trace takes on its disk, with its log; 0 where it is not there. Not what a file with holes claims to be. */
int64_t xs_trace_bytes(const char *file);

/* meta values; `fallback` where the key is missing. Text is copied into buffer, NUL-terminated, cut at bytes - 1. */
int64_t xs_trace_meta_int(const struct xs_trace *trace, const char *key, int64_t fallback);
/* A number that counts something: 0 where it is missing or negative. */
uint64_t xs_trace_meta_count(const struct xs_trace *trace, const char *key);
const char *xs_trace_meta_text(const struct xs_trace *trace, const char *key, char *buffer, int bytes,
                               const char *fallback);

/* Moves the events that are left in the spool beside `path` into the trace, ends the WAL and deletes the spool.
 * xs_trace_open calls it. It may be called again, also by several processes at the same time. Returns the number of
 * events taken over, 0 where there was no spool, XS_ERROR_BUSY while the writer lives, or an error. */
int64_t xs_trace_recover(const char *path);

/* The same where it cannot be told whether the writer lives, because it ran on another machine: the caller knows that
 * it does not. */
int64_t xs_trace_recover_abandoned(const char *path);

#endif
