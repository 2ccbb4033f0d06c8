/* Compares the text of a database's schema with the schema that xferspy writes. A file from another person may have a
 * view, a trigger, a generated column or a virtual table in the place of a table, and SQLite would then execute code of
 * the file when the table is read. */
#ifndef XFERSPY_SCHEMA_WRITE_SCHEMA_CHECK_H
#define XFERSPY_SCHEMA_WRITE_SCHEMA_CHECK_H

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the text of schema.sql with the views and triggers that the build adds to it. */
const char *xs_schema_sql(void);

/* Opens a database in memory with the schema of a trace. Returns an SQLite result code. The caller must close the
 * database also after an error. */
int xs_schema_reference(sqlite3 **db);

/* Compares the schema of `db` with a trace's schema. Reads only SQLite's table of objects. Returns XS_OK; or
 * XS_ERROR_CORRUPT, with one line in `why` that names the first missing, additional or different object; or
 * XS_ERROR_SQLITE if the table could not be read (see sqlite3_errmsg). */
int xs_schema_check(sqlite3 *db, char *why, size_t why_bytes);

/* Compares the schema of `db` with another schema than a trace's. `make` must open a database in memory that has this
 * other schema, as xs_schema_reference does. */
typedef int (*xs_schema_make)(sqlite3 **db);
int xs_schema_check_made(sqlite3 *db, xs_schema_make make, char *why, size_t why_bytes);

#endif
