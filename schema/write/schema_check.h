/* Whether a database's schema is what xferspy writes, text for text. A view, a trigger, a generated column or a virtual
 * table in the place of a table would run whatever its author wants, as often as the table is read. */
#ifndef XFERSPY_SCHEMA_STORE_SCHEMA_CHECK_H
#define XFERSPY_SCHEMA_STORE_SCHEMA_CHECK_H

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

/* The text of schema.sql as it was in that version, from 1 to XS_SCHEMA_VERSION; else NULL. */
const char *xs_schema_sql_of(uint32_t version);

/* Compares the schema of `db` with that of a trace of `version`. Nothing but SQLite's own table of objects is read.
 * XS_OK; XS_ERROR_CORRUPT, and in `why` one line that names the first object that is missing, additional or different;
 * XS_ERROR_SQLITE where it could not be read: sqlite3_errmsg tells. */
int xs_schema_check(sqlite3 *db, uint32_t version, char *why, size_t why_bytes);

/* The same with another schema: `make` opens a database in memory that has what is made of that version's text, to be
 * closed whatever the SQLite result code. */
typedef int (*xs_schema_make)(const char *sql, sqlite3 **db);
int xs_schema_check_made(sqlite3 *db, uint32_t version, xs_schema_make make, char *why, size_t why_bytes);

#endif
