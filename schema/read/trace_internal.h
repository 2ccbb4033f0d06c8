/* Declares the functions that trace.c, trace_complete.c and merged.c share to open files. Nothing outside schema/
 * includes this header. */
#ifndef XFERSPY_SCHEMA_READ_TRACE_INTERNAL_H
#define XFERSPY_SCHEMA_READ_TRACE_INTERNAL_H

#include <sqlite3.h>

#include "schema/read/trace.h"
#include "schema/safe_open/side_files.h"

/* The parts of a database header that identify the file (https://www.sqlite.org/fileformat.html, section 1.3). */
struct xs_trace_identity {
    char magic[16];
    int64_t file_bytes, page_bytes, pages; /* pages 0: not known */
    uint32_t version, application;
    bool wal;
};

/* Text of a message about a trace that has no event and will get none. The message begins with the trace's name. */
#define XS_KILLED_AT_ONCE "its process was killed before it recorded anything"

/* Writes a one-line message without characters that move a terminal's cursor, and returns `status`. */
int xs_trace_fail(char *message, int status, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Sets the fields of a trace that is about to be opened, and checks the length of its name. */
int xs_trace_begin(const char *path, struct xs_trace *trace, char *message);

/* Writes the message for a file whose schema version differs from this program's. Returns XS_ERROR_VERSION, or
 * XS_ERROR_CORRUPT if no version of xferspy can have that number. */
int xs_trace_fail_version(char *message, const char *path, int64_t version);

/* Writes the message for an SQLite failure and closes the trace. Returns a status. */
int xs_trace_fail_sqlite(struct xs_trace *trace, int rc, char *message);

/* Prepares a newly opened connection: limits the time that it waits for other connections, limits the number of
 * SQLite's steps, and adds the function xferspy_traits(NAME), which gives an entry point's traits (entry_traits.h).
 * Returns an SQLite result code. */
int xs_trace_prepare(struct xs_trace *trace, const char *file);

/* Writes the message for a journal that names a super-journal. Returns a status. */
int xs_trace_refuse_journal(const char *path, char *message);

/* Reads the first page of every table that readers need. Other damage is found only when the damaged part is read,
 * because finding it here would take as long as reading the whole trace. */
int xs_trace_check_tables(sqlite3 *db);

/* Reads the identity, and refuses a file that is no trace. `path` is the name for messages, `file` the name with links
 * resolved. */
int xs_trace_identify(const char *path, const char *file, struct xs_trace_identity *identity, char *message);

/* Opens `file`, which is the trace's file or a copy of it. If `alone` is true, the file's side files are not used. */
int xs_trace_open_database(const char *file, bool alone, struct xs_trace *trace, char *message);

/* True if the trace and its side files belong to this user, and the user may write the trace and its folder. */
bool xs_trace_is_for_us_alone(const char *file, const struct xs_side_files *side);

/* Decides which side files may be used. If some must not be used, writes one line that tells the reason into the
 * trace's warning. Returns the side files that may be copied (XS_COPY_*). */
unsigned xs_trace_choose(struct xs_trace *trace, struct xs_side_files *side);

/* Recovers what was left beside the trace: in place if all files belong to this user, else in a temporary copy. True: a
 * copy is open as the trace. */
bool xs_trace_complete(const char *file, const struct xs_side_files *side, unsigned what, struct xs_trace *trace,
                       char *message);

#endif
