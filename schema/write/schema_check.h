/* The check compares a database's schema with what xferspy writes, text for text. A view, a trigger, a generated column
 * or a virtual table in a table's place would run its author's code whenever the table is read. */
#ifndef XFERSPY_SCHEMA_WRITE_SCHEMA_CHECK_H
#define XFERSPY_SCHEMA_WRITE_SCHEMA_CHECK_H

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the text of schema.sql. */
const char *xs_schema_sql(void);

/* Opens a database in memory with the schema of a trace. The caller closes it whatever the SQLite result code. */
int xs_schema_reference(sqlite3 **db);

/* Compares the schema of `db` with a trace's, reading only SQLite's own table of objects. XS_OK; XS_ERROR_CORRUPT, and
 * in `why` one line that names the first missing, additional or different object; XS_ERROR_SQLITE where it could not be
 * read: sqlite3_errmsg tells. */
int xs_schema_check(sqlite3 *db, char *why, size_t why_bytes);

/* Compares with another schema: `make` opens a database in memory that has it, as xs_schema_reference does. */
typedef int (*xs_schema_make)(sqlite3 **db);
int xs_schema_check_made(sqlite3 *db, xs_schema_make make, char *why, size_t why_bytes);

#endif
