/* Compares a database's schema with the schema of a trace; see schema_check.h. The expected schema is made in memory
 * from the same text as new traces, so there is only one definition. */
#include "schema/write/schema_check.h"

#include <stdio.h>
#include <string.h>

#include "schema/error.h"
#include "schema/safe_open/sqlite_open.h"
#include "schema/write/store_internal.h"
#include "schema_sql.h"

const int xs_schema_version = XS_SCHEMA_VERSION;

const char *xs_schema_sql(void) { return schema_sql; }

int xs_schema_reference(sqlite3 **db) {
    int rc = xs_sqlite_open_memory(db);
    return rc == SQLITE_OK ? sqlite3_exec(*db, schema_sql, NULL, NULL, NULL) : rc;
}

/* Lists the objects of both databases in the same order. Tables come first, because messages about them are the most
 * useful. The indexes that SQLite makes automatically have no text. */
static const char objects[] =
    "SELECT CASE type WHEN 'table' THEN 'a' WHEN 'view' THEN 'b' ELSE 'c' END || name, type, name, tbl_name, sql"
    " FROM sqlite_master ORDER BY 1, 2";

static int order_of(sqlite3_stmt *a, sqlite3_stmt *b, int column) {
    const char *x = (const char *)sqlite3_column_text(a, column), *y = (const char *)sqlite3_column_text(b, column);
    return strcmp(x ? x : "", y ? y : "");
}

static int say(sqlite3_stmt *row, const char *what, char *why, size_t why_bytes) {
    const char *type = (const char *)sqlite3_column_text(row, 1), *name = (const char *)sqlite3_column_text(row, 2);
    snprintf(why, why_bytes, "its schema is not xferspy's: %.20s %.80s %s", type ? type : "an object",
             name ? name : "without a name", what);
    return XS_ERROR_CORRUPT;
}

static int compare_rows(sqlite3_stmt *found, sqlite3_stmt *expected, char *why, size_t why_bytes) {
    for (;;) {
        int f = sqlite3_step(found), e = sqlite3_step(expected);
        if ((f != SQLITE_ROW && f != SQLITE_DONE) || (e != SQLITE_ROW && e != SQLITE_DONE))
            return XS_ERROR_SQLITE;
        if (f == SQLITE_DONE && e == SQLITE_DONE)
            return XS_OK;
        int order = f == SQLITE_DONE ? 1 : e == SQLITE_DONE ? -1 : order_of(found, expected, 0);
        order = order ? order : order_of(found, expected, 1);
        if (order < 0)
            return say(found, "is none of a trace's", why, why_bytes);
        if (order > 0)
            return say(expected, "is missing", why, why_bytes);
        if (order_of(found, expected, 3) || order_of(found, expected, 4))
            return say(found, "is another than a trace's", why, why_bytes);
    }
}

static int compare(sqlite3 *db, sqlite3 *reference, char *why, size_t why_bytes) {
    sqlite3_stmt *found = NULL, *expected = NULL;
    int status = XS_ERROR_SQLITE;
    if (sqlite3_prepare_v2(db, objects, -1, &found, NULL) == SQLITE_OK &&
        sqlite3_prepare_v2(reference, objects, -1, &expected, NULL) == SQLITE_OK)
        status = compare_rows(found, expected, why, why_bytes);
    sqlite3_finalize(expected);
    sqlite3_finalize(found);
    return status;
}

int xs_schema_check_made(sqlite3 *db, xs_schema_make make, char *why, size_t why_bytes) {
    sqlite3 *reference = NULL;
    why[0] = 0;
    int status = make(&reference) == SQLITE_OK ? compare(db, reference, why, why_bytes) : XS_ERROR_MEMORY;
    sqlite3_close(reference);
    return status;
}

int xs_schema_check(sqlite3 *db, char *why, size_t why_bytes) {
    return xs_schema_check_made(db, xs_schema_reference, why, why_bytes);
}
