/* xferspy opens every database file through this header. Anyone can make a trace and the files beside it, so SQLite is
 * told to run nothing that a schema contains, and to touch only the database and its own journal and log. */
#ifndef XFERSPY_SCHEMA_SAFE_OPEN_SQLITE_OPEN_H
#define XFERSPY_SCHEMA_SAFE_OPEN_SQLITE_OPEN_H

#include <sqlite3.h>

enum xs_access {
    XS_READ,       /* sees a live writer's additions; a journal or a log beside the file is used */
    XS_READ_ALONE, /* reads the file as it is: side files are neither used nor made */
    XS_WRITE,      /* opens an existing file for writing */
};

/* Opens `path`, always a file name, never a URI. A reader must pass the result of xs_resolve: a symbolic link made
 * since then is not followed. One thread at a time may use the connection. Loading extensions, triggers, tokenizers at
 * chosen addresses, writes to SQLite's own tables, functions called by a schema and strings in double quotes are
 * switched off; texts and blobs end at 16 MiB. Returns SQLite's code; the caller closes `*db` in any case.
 *
 * The connection's file system refuses a super-journal, which a planted journal can name: SQLite would delete that file
 * (https://www.sqlite.org/atomiccommit.html, section 5.5). xferspy never writes one. */
int xs_sqlite_open(const char *path, enum xs_access access, sqlite3 **db);

/* Opens a database in memory. */
int xs_sqlite_open_memory(sqlite3 **db);

#endif
