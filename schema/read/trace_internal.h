/* What opening a trace, opening one that was not closed and opening a merged file share. Nothing outside schema/
 * includes this. */
#ifndef XFERSPY_SCHEMA_TRACE_TRACE_INTERNAL_H
#define XFERSPY_SCHEMA_TRACE_TRACE_INTERNAL_H

#include <sqlite3.h>

#include "schema/read/trace.h"
#include "schema/safe_open/side_files.h"

/* The parts of a database header that tell what it is; https://www.sqlite.org/fileformat.html, section 1.3. */
struct xs_trace_identity {
    char magic[16];
    int64_t file_bytes, page_bytes, pages; /* pages 0: the header does not say */
    uint32_t version, application;
    bool wal;
};

/* What is said of a trace that has no event, and will get none. */
#define XS_KILLED_AT_ONCE "its process was killed before it recorded anything"

/* Writes a message of one line, in which nothing moves a terminal's cursor, and returns `status`. */
int xs_trace_fail(char *message, int status, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Writes that the file has a schema of another version than this program's. Returns XS_ERROR_VERSION, or
 * XS_ERROR_CORRUPT where no version can have that number. */
int xs_trace_fail_version(char *message, const char *path, int64_t version);

/* The words for a failure of SQLite's, after which the trace is closed. Returns a status. */
int xs_trace_fail_sqlite(struct xs_trace *trace, int rc, char *message);

/* How long a connection that was just opened waits for others, and how much it may cost. An SQLite result code. */
int xs_trace_limit(struct xs_trace *trace, const char *file);

/* The words for a journal with a super-journal's name. Returns a status. */
int xs_trace_refuse_journal(const char *path, char *message);

/* Touches the root of every table that readers rely on. Damage deeper inside shows when it is read; looking for it
 * now would mean reading everything twice. */
int xs_trace_check_tables(sqlite3 *db);

/* Reads the identity, and refuses what is no trace. `path` is the name that messages have, `file` what it means. */
int xs_trace_identify(const char *path, const char *file, struct xs_trace_identity *identity, char *message);

/* Opens `file`, which is the trace's or a copy of it; `alone`: without what lies beside it. */
int xs_trace_open_database(const char *file, bool alone, struct xs_trace *trace, char *message);

/* The trace and what lies beside it are this user's, who may write there. */
bool xs_trace_is_for_us_alone(const char *file, const struct xs_side_files *side);

/* What is not used of what lies beside the trace, in one line of the trace's. Returns what may be copied of it. */
unsigned xs_trace_choose(struct xs_trace *trace, struct xs_side_files *side);

/* Takes over what was left beside the trace. In place where that is this user's own file and nobody else's lies beside
 * it, else in a copy: then the trace is open, and true is returned. */
bool xs_trace_complete(const char *file, const struct xs_side_files *side, unsigned what, struct xs_trace *trace,
                       char *message);

#endif
