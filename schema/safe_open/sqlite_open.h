/* The one way in which xferspy opens a database file. A trace can be made by anyone, and so can the files beside it:
 * SQLite is told to run nothing that a schema contains, and to touch no file but the database and its own journal and
 * log. */
#ifndef XFERSPY_SCHEMA_FILE_SQLITE_OPEN_H
#define XFERSPY_SCHEMA_FILE_SQLITE_OPEN_H

#include <sqlite3.h>

enum xs_access {
    XS_READ,       /* sees what a live writer adds; a journal or a log beside the file is used */
    XS_READ_ALONE, /* the file as it is: nothing beside it is looked at, and none is made */
    XS_WRITE,      /* an existing file */
};

/* Opens `path`, which is always a file's name, never a URI. For reading it has to be what xs_resolve gave: a symbolic
 * link that came since is not followed. The connection is for one thread at a time. Loading
 * extensions, triggers, tokenizers at chosen addresses, writes to SQLite's own tables, functions called by a schema and
 * strings in double quotes are switched off; texts and blobs end at 16 MiB. Returns SQLite's code; `*db` is to be
 * closed whatever it is.
 *
 * The connection's file system refuses a super-journal, which a planted journal can name: SQLite would delete that file
 * (https://www.sqlite.org/atomiccommit.html, section 5.5). xferspy never writes one. */
int xs_sqlite_open(const char *path, enum xs_access access, sqlite3 **db);

/* A database in memory. */
int xs_sqlite_open_memory(sqlite3 **db);

#endif
