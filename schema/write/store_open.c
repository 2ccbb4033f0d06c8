/* Creates and closes a trace: makes the file, its schema and lookup rows, and begins and ends the WAL. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "schema/safe_open/private_file.h"
#include "schema/safe_open/side_files.h"
#include "schema/safe_open/sqlite_open.h"
#include "schema/write/ledger.h"
#include "schema/write/schema_check.h"
#include "schema/write/store_thin.h"

/* A row of a lookup table, made from the list in kinds.h. */
struct lookup {
    int value;
    const char *name;
};
#define LOOKUP_ROW(n, id, name) {n, name},
#define LOOKUP_TABLES(T)                                                                                               \
    T(category, XS_CATEGORIES)                                                                                         \
    T(direction, XS_DIRECTIONS)                                                                                        \
    T(memory_kind, XS_MEMORY_KINDS)                                                                                    \
    T(origin, XS_ORIGINS)                                                                                              \
    T(launch_kind, XS_LAUNCH_KINDS)                                                                                    \
    T(sync_scope, XS_SYNC_SCOPES)                                                                                      \
    T(copy_kind, XS_COPY_KINDS)                                                                                        \
    T(device_memory_kind, XS_DEVICE_MEMORY_KINDS)                                                                      \
    T(migration_kind, XS_MIGRATION_KINDS)                                                                              \
    T(fingerprint_skip, XS_FINGERPRINT_SKIPS)                                                                          \
    T(host_read_doubt, XS_HOST_READ_DOUBTS)
#define LOOKUP_ARRAY(table, list) static const struct lookup table##_rows[] = {list(LOOKUP_ROW)};
LOOKUP_TABLES(LOOKUP_ARRAY)

static int fill_lookup(struct xs_store *store, const char *table, const struct lookup *rows, size_t count) {
    for (size_t i = 0; i < count; i++) {
        char sql[160];
        sqlite3_snprintf(sizeof sql, sql, "INSERT INTO %s VALUES (%d, '%q')", table, rows[i].value, rows[i].name);
        int status = xs_store_exec(store, sql);
        if (status)
            return status;
    }
    return XS_OK;
}

static int fill_lookups(struct xs_store *store) {
    int status = XS_OK;
#define LOOKUP_FILL(table, list)                                                                                       \
    if (!status)                                                                                                       \
        status = fill_lookup(store, #table, table##_rows, sizeof table##_rows / sizeof *table##_rows);
    LOOKUP_TABLES(LOOKUP_FILL)
#undef LOOKUP_FILL
    return status;
}

#define STRING_OF(x) #x
#define STRING(x) STRING_OF(x)

/* Writes the schema into the main file before there is a WAL, because readers recognise a trace by the first page of
 * this file. */
static int write_schema(struct xs_store *store) {
    static const char identity[] = "PRAGMA page_size=" STRING(
        XS_PAGE_BYTES) ";"
                       "PRAGMA journal_mode=MEMORY;"
                       "BEGIN EXCLUSIVE;"
                       "PRAGMA application_id=" STRING(XS_APPLICATION_ID) ";"
                                                                          "PRAGMA user_version=" STRING(
                                                                              XS_SCHEMA_VERSION) ";";
    int status = xs_store_exec(store, identity);
    if (!status)
        status = xs_store_exec(store, xs_schema_sql());
    if (!status)
        status = fill_lookups(store);
    if (!status)
        status = xs_store_meta_int(store, "schema_version", XS_SCHEMA_VERSION);
    if (!status)
        status = xs_store_meta_text(store, "status", XS_STATUS_RUNNING);
    if (!status)
        status = xs_store_exec(store, "COMMIT");
    return status;
}

/* There is no fsync, which would delay the profiled program. Data in the page cache are not lost if the process is
 * killed, but only if the machine crashes, which is acceptable for a trace. The WAL is used if the file system permits
 * it (a network file system may not), so that readers of a running trace do not make the writer wait. */
static const char pragmas[] = "PRAGMA synchronous=OFF; PRAGMA temp_store=MEMORY; PRAGMA mmap_size=0;"
                              "PRAGMA cache_size=-2000; PRAGMA foreign_keys=OFF; PRAGMA trusted_schema=OFF;";
static const char wal_pragmas[] =
    "PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=" STRING(XS_WAL_PAGES) ";"
                                                                               "PRAGMA journal_size_limit=4194304;";

static int open_store(const char *path, struct xs_store **out) {
    struct xs_store *store = calloc(1, sizeof *store);
    if (!store)
        return XS_ERROR_MEMORY;
    int rc = xs_sqlite_open(path, XS_WRITE, &store->db);
    *out = store;
    if (rc != SQLITE_OK)
        return xs_store_status(store, rc);
    sqlite3_extended_result_codes(store->db, 1);
    sqlite3_busy_timeout(store->db, 1000);
    return xs_store_exec(store, pragmas);
}

static void free_store(struct xs_store *store) {
    xs_thin_free(store);
    xs_ledger_free(store);
    xs_statements_free(store);
    sqlite3_close_v2(store->db);
    xs_intern_free(store);
    free(store);
}

int xs_store_create(const char *path, struct xs_store **out) {
    *out = NULL;
    if (xs_side_files_taken(path)) {
        errno = EEXIST;
        return XS_ERROR_SYSTEM;
    }
    int fd = xs_create_private(path);
    if (fd < 0)
        return errno == ENOSPC || errno == EDQUOT ? XS_ERROR_FULL : XS_ERROR_SYSTEM;
    close(fd);
    struct xs_store *store = NULL;
    int status = open_store(path, &store);
    if (!status)
        status = write_schema(store);
    if (!status)
        status = xs_store_exec(store, wal_pragmas);
    if (!status)
        status = xs_store_exec(store, "PRAGMA user_version"); /* any read makes SQLite open the log and its index */
    int why = EIO;                                            /* not errno, which may be an EEXIST of another call */
    if (!xs_side_files_are_own(path)) {
        status = XS_ERROR_SYSTEM;
        why = EEXIST;
    }
    if (status) {
        if (store)
            free_store(store);
        unlink(path);
        errno = why;
        return status;
    }
    *out = store;
    return XS_OK;
}

/* Checks the schema. If it differs, nothing must be written into the file, because an object that replaces a table
 * could execute any SQL. */
static int check_schema(struct xs_store *store) {
    sqlite3_stmt *stmt = NULL;
    char why[256];
    int rc = sqlite3_prepare_v2(store->db, "PRAGMA user_version", -1, &stmt, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(stmt);
    int64_t version = rc == SQLITE_ROW ? sqlite3_column_int64(stmt, 0) : 0;
    sqlite3_finalize(stmt);
    if (rc != SQLITE_ROW)
        return xs_store_status(store, rc);
    int status = version == XS_SCHEMA_VERSION ? xs_schema_check(store->db, why, sizeof why) : XS_ERROR_VERSION;
    if (status)
        sqlite3_db_config(store->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)NULL); /* closing it then changes
                                                                                         * nothing */
    return status;
}

int xs_store_open(const char *path, struct xs_store **out) {
    *out = NULL;
    struct xs_store *store = NULL;
    int status = open_store(path, &store);
    if (!status)
        status = check_schema(store);
    if (!status)
        status = xs_store_exec(store, wal_pragmas);
    if (!status)
        status = xs_intern_load(store);
    if (status) {
        if (store)
            free_store(store);
        return status;
    }
    *out = store;
    return XS_OK;
}

int xs_store_close(struct xs_store *store) {
    if (!store)
        return XS_OK;
    if (store->in_batch)
        xs_store_rollback(store);
    int rolled = xs_ledger_close(store);
    xs_thin_free(store);
    xs_statements_free(store);
    /* While a reader has the trace open, the WAL cannot be ended; the recovery of the next reader ends it. */
    sqlite3_busy_timeout(store->db, 100);
    xs_store_give_back(store);
    int status = xs_store_exec(store, "PRAGMA journal_mode=DELETE");
    /* SQLite makes no journal for a file that was renamed, and without a journal it cannot leave the WAL mode. But a
     * checkpoint still moves the rows into the file. */
    if (status && sqlite3_extended_errcode(store->db) == SQLITE_READONLY_DBMOVED &&
        sqlite3_wal_checkpoint_v2(store->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL) == SQLITE_OK)
        status = XS_OK;
    free_store(store);
    status = status == XS_ERROR_BUSY ? XS_OK : status;
    return rolled ? rolled : status;
}
