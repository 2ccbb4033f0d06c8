/* Whether a database's schema is what xferspy writes, text for text. A view, a trigger, a generated column or a virtual
 * table in the place of a table would run whatever its author wants, as often as the table is read. */
#ifndef XFERSPY_SCHEMA_STORE_SCHEMA_CHECK_H
#define XFERSPY_SCHEMA_STORE_SCHEMA_CHECK_H

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

/* The text of schema.sql. */
const char *xs_schema_sql(void);

/* Opens a database in memory that has the schema of a trace, to be closed whatever the SQLite result code. */
int xs_schema_reference(sqlite3 **db);

/* Compares the schema of `db` with that of a trace. Nothing but SQLite's own table of objects is read. XS_OK;
 * XS_ERROR_CORRUPT, and in `why` one line that names the first object that is missing, additional or different;
 * XS_ERROR_SQLITE where it could not be read: sqlite3_errmsg tells. */
int xs_schema_check(sqlite3 *db, char *why, size_t why_bytes);

/* Compares with another schema: `make` opens a database in memory that has it, as xs_schema_reference does. */
typedef int (*xs_schema_make)(sqlite3 **db);
int xs_schema_check_made(sqlite3 *db, xs_schema_make make, char *why, size_t why_bytes);

#endif
