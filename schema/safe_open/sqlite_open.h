/* xferspy opens every database file by these functions. Anyone may have made a trace and the files beside it, so SQLite
 * is configured to run no trigger and no unsafe function of the file's schema, and to access only the database and its
 * journal and log. */
#ifndef XFERSPY_SCHEMA_SAFE_OPEN_SQLITE_OPEN_H
#define XFERSPY_SCHEMA_SAFE_OPEN_SQLITE_OPEN_H

#include <sqlite3.h>

enum xs_access {
    XS_READ,       /* opens the file for reading, with its journal or log; sees what a running writer adds */
    XS_READ_ALONE, /* opens the file alone for reading; side files are neither used nor made */
    XS_WRITE,      /* opens an existing file for writing */
};

/* Opens the file `path`, which is a file name and never a URI. For reading, the path must not contain a symbolic link,
 * so the caller must pass the result of xs_resolve. Only one thread at a time may use the connection. These features
 * are off: loading of extensions, triggers, tokenizers at given addresses, writes to SQLite's own tables, functions in
 * a schema that SQLite does not classify as innocuous, and strings in double quotes. Texts and blobs have at most 16
 * MiB. Returns SQLite's result code; the caller must close `*db` in any case.
 *
 * The connection's file system layer refuses super-journals. A journal that a stranger made can name any file as its
 * super-journal, and SQLite would delete that file (https://www.sqlite.org/atomiccommit.html, section 5.5). xferspy
 * never writes super-journals. */
int xs_sqlite_open(const char *path, enum xs_access access, sqlite3 **db);

/* Opens a database in memory. */
int xs_sqlite_open_memory(sqlite3 **db);

#endif
