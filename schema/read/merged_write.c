/* Writes a merged file; see merged_write.h. Its tables are made from those of schema.sql, so that there is only one
 * definition. The tables are WITHOUT ROWID, which stores the rows of a trace next to each other, so reading one of many
 * traces is as fast as reading a file with only this trace. */
#include "schema/read/merged_write.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "merged_sql.h"
#include "schema/read/merged.h"
#include "schema/read/trace_internal.h"
#include "schema/rows_read.h"
#include "schema/safe_open/sqlite_open.h"
#include "schema/write/schema_check.h"
#include "schema/write/store_internal.h"

struct xs_merged_writer {
    sqlite3 *db, *reference;
    char path[4096], name[4096];
    int64_t next_id;
};

/* A table of schema.sql; `columns` has the names of the columns, separated by commas. */
struct table {
    char *name, *columns, *create;
    int column_count;
};

static int run(sqlite3 *db, const char *sql) { return sqlite3_exec(db, sql, NULL, NULL, NULL); }

static int fail(const struct xs_merged_writer *writer, int rc, char *message) {
    int code = rc & 0xff;
    if (code == SQLITE_NOMEM)
        return xs_trace_fail(message, XS_ERROR_MEMORY, "%s: out of memory", writer->name);
    if (code == SQLITE_FULL)
        return xs_trace_fail(message, XS_ERROR_FULL, "%s: no space left", writer->name);
    return xs_trace_fail(message, XS_ERROR_SQLITE, "%s: %s", writer->name, sqlite3_errmsg(writer->db));
}

/* Reads a table of schema.sql. The rows of the merged table are ordered by the table's integer key, which is mostly
 * `id`; a table without such a key gets a column `row`. */
static int read_table(sqlite3 *reference, const char *name, struct table *table) {
    sqlite3_stmt *stmt = NULL;
    sqlite3_str *columns = sqlite3_str_new(reference), *create = sqlite3_str_new(reference);
    char *key = NULL;
    int rc = sqlite3_prepare_v2(reference, "SELECT name, type, pk FROM pragma_table_info(?)", -1, &stmt, NULL);
    sqlite3_bind_text(stmt, 1, name, -1, SQLITE_STATIC);
    *table = (struct table){.name = sqlite3_mprintf("%s", name)};
    while (rc == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW) {
        const char *column = (const char *)sqlite3_column_text(stmt, 0);
        const char *type = (const char *)sqlite3_column_text(stmt, 1);
        sqlite3_str_appendf(columns, "%s\"%w\"", table->column_count++ ? ", " : "", column);
        sqlite3_str_appendf(create, ", \"%w\" %s", column, type);
        if (sqlite3_column_int(stmt, 2) && sqlite3_stricmp(type, "INTEGER") == 0)
            key = sqlite3_mprintf("\"%w\"", column);
    }
    sqlite3_finalize(stmt);
    table->columns = sqlite3_str_finish(columns);
    char *definitions = sqlite3_str_finish(create);
    table->create = sqlite3_mprintf("CREATE TABLE \"%w\" (trace INTEGER NOT NULL REFERENCES merged_trace%s%s,"
                                    " PRIMARY KEY (trace, %s)) WITHOUT ROWID",
                                    name, key ? "" : ", row INTEGER NOT NULL", definitions, key ? key : "row");
    sqlite3_free(definitions);
    bool whole = table->name && table->columns && table->create;
    sqlite3_free(key);
    return rc == SQLITE_OK && !whole ? SQLITE_NOMEM : rc;
}

static void free_table(struct table *table) {
    sqlite3_free(table->name);
    sqlite3_free(table->columns);
    sqlite3_free(table->create);
}

static const char names_of_tables[] = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY rowid";

/* Makes the tables and views of a merged file. */
static int make_schema(sqlite3 *db, sqlite3 *reference) {
    sqlite3_stmt *stmt = NULL;
    int rc = sqlite3_prepare_v2(reference, names_of_tables, -1, &stmt, NULL);
    while (rc == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW) {
        struct table table;
        rc = read_table(reference, (const char *)sqlite3_column_text(stmt, 0), &table);
        rc = rc == SQLITE_OK ? run(db, table.create) : rc;
        free_table(&table);
    }
    sqlite3_finalize(stmt);
    return rc == SQLITE_OK ? run(db, merged_sql) : rc;
}

int xs_merged_schema(sqlite3 **db) {
    sqlite3 *reference = NULL;
    int rc = xs_sqlite_open_memory(db);
    rc = rc == SQLITE_OK ? xs_schema_reference(&reference) : rc;
    rc = rc == SQLITE_OK ? make_schema(*db, reference) : rc;
    sqlite3_close(reference);
    return rc;
}

#define STRING_OF(x) #x
#define STRING(x) STRING_OF(x)

/* Nothing is synchronised to disk, because the file needs not survive a crash before it is complete. The journal is
 * needed to undo a trace that cannot be read to its end. */
static const char pragmas[] = "PRAGMA page_size=" STRING(
    XS_PAGE_BYTES) ";"
                   "PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF; PRAGMA foreign_keys=OFF;"
                   "PRAGMA cache_size=-16000; PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE;"
                   "PRAGMA user_version=" STRING(XS_SCHEMA_VERSION) ";";

static int create(struct xs_merged_writer *writer, char *message) {
    char identity[64];
    snprintf(identity, sizeof identity, "PRAGMA application_id=%d", XS_MERGED_APPLICATION_ID);
    int rc = xs_sqlite_open(writer->path, XS_WRITE, &writer->db);
    rc = rc == SQLITE_OK ? xs_schema_reference(&writer->reference) : rc;
    rc = rc == SQLITE_OK ? run(writer->db, pragmas) : rc;
    rc = rc == SQLITE_OK ? run(writer->db, identity) : rc;
    rc = rc == SQLITE_OK ? make_schema(writer->db, writer->reference) : rc;
    return rc == SQLITE_OK ? XS_OK : fail(writer, rc, message);
}

static void free_writer(struct xs_merged_writer *writer) {
    sqlite3_close(writer->db);
    sqlite3_close(writer->reference);
    free(writer);
}

int xs_merged_create(const char *path, const char *name, struct xs_merged_writer **out, char *message) {
    struct xs_merged_writer *writer = calloc(1, sizeof *writer);
    *out = NULL;
    if (!writer)
        return xs_trace_fail(message, XS_ERROR_MEMORY, "%s: out of memory", name);
    snprintf(writer->name, sizeof writer->name, "%s", name);
    int length = snprintf(writer->path, sizeof writer->path, "%s%s", path[0] == '/' ? "" : "./", path);
    int status = length < 0 || (size_t)length >= sizeof writer->path
                     ? xs_trace_fail(message, XS_ERROR_INVALID, "%.80s...: name too long", name)
                     : create(writer, message);
    if (status) {
        free_writer(writer);
        return status;
    }
    *out = writer;
    return XS_OK;
}

struct copying {
    struct xs_merged_writer *writer;
    const struct xs_trace *trace;
    int64_t id;
    char *message;
};

/* Prepares the copying of a table. Parameter 1 is the trace's number, parameter 2 the next `row` for a table that
 * has it. */
static int prepare_copy(const struct copying *copying, const struct table *table, sqlite3_stmt **from,
                        sqlite3_stmt **to) {
    bool has_row = strstr(table->create, ", row INTEGER NOT NULL") != NULL;
    char *select = sqlite3_mprintf("SELECT %s FROM \"%w\"", table->columns, table->name);
    sqlite3_str *insert = sqlite3_str_new(copying->writer->db);
    sqlite3_str_appendf(insert, "INSERT INTO \"%w\" (trace%s, %s) VALUES (?1%s", table->name, has_row ? ", row" : "",
                        table->columns, has_row ? ", ?2" : "");
    for (int i = 0; i < table->column_count; i++)
        sqlite3_str_appendf(insert, ", ?%d", i + 3);
    sqlite3_str_appendall(insert, ")");
    char *text = sqlite3_str_finish(insert);
    int status = XS_OK;
    if (!select || !text) {
        status = fail(copying->writer, SQLITE_NOMEM, copying->message);
    } else if (sqlite3_prepare_v2(copying->trace->db, select, -1, from, NULL) != SQLITE_OK) {
        status = xs_trace_fail(copying->message, XS_ERROR_CORRUPT, "%s: damaged (%s)", copying->trace->path,
                               xs_trace_why(copying->trace));
    } else if (sqlite3_prepare_v2(copying->writer->db, text, -1, to, NULL) != SQLITE_OK) {
        status = fail(copying->writer, SQLITE_ERROR, copying->message);
    }
    sqlite3_free(select);
    sqlite3_free(text);
    return status;
}

/* Explains a failed insertion. A number that occurs twice is damage, because ids are unique. */
static int insert_failed(const struct copying *copying, const struct table *table) {
    int rc = sqlite3_errcode(copying->writer->db);
    if ((rc & 0xff) == SQLITE_CONSTRAINT) {
        return xs_trace_fail(copying->message, XS_ERROR_CORRUPT, "%s: damaged: rows of %s with the same number",
                             copying->trace->path, table->name);
    }
    if ((rc & 0xff) == SQLITE_TOOBIG) {
        return xs_trace_fail(copying->message, XS_ERROR_CORRUPT, "%s: a row of %s is longer than 16 MiB",
                             copying->trace->path, table->name);
    }
    return fail(copying->writer, rc, copying->message);
}

static int copy_table(const struct copying *copying, const struct table *table) {
    sqlite3_stmt *from = NULL, *to = NULL;
    int status = prepare_copy(copying, table, &from, &to), rc = SQLITE_DONE;
    if (status == XS_OK && sqlite3_bind_parameter_count(to) >= 2)
        sqlite3_bind_int64(to, 1, copying->id);
    for (int64_t row = 1; status == XS_OK && (rc = sqlite3_step(from)) == SQLITE_ROW; row++) {
        xs_row_read();
        sqlite3_bind_int64(to, 2, row);
        for (int i = 0; i < table->column_count; i++)
            sqlite3_bind_value(to, i + 3, sqlite3_column_value(from, i));
        if (sqlite3_step(to) != SQLITE_DONE)
            status = insert_failed(copying, table);
        sqlite3_reset(to);
    }
    if (status == XS_OK && rc != SQLITE_DONE) {
        status = xs_trace_fail(copying->message, XS_ERROR_CORRUPT, "%s: damaged (%s)", copying->trace->path,
                               xs_trace_why(copying->trace));
    }
    sqlite3_finalize(from);
    sqlite3_finalize(to);
    return status;
}

static int copy_tables(const struct copying *copying) {
    sqlite3 *reference = copying->writer->reference;
    sqlite3_stmt *stmt = NULL;
    int status = XS_OK, rc = sqlite3_prepare_v2(reference, names_of_tables, -1, &stmt, NULL);
    while (rc == SQLITE_OK && status == XS_OK && sqlite3_step(stmt) == SQLITE_ROW) {
        struct table table;
        rc = read_table(reference, (const char *)sqlite3_column_text(stmt, 0), &table);
        if (rc == SQLITE_OK)
            status = copy_table(copying, &table);
        free_table(&table);
    }
    sqlite3_finalize(stmt);
    return rc == SQLITE_OK ? status : fail(copying->writer, SQLITE_NOMEM, copying->message);
}

/* Writes the row of merged_trace from the copied data. */
static int describe(const struct copying *copying, const char *name, const char *file) {
    static const char *const keys[] = {"rank",    "world_size",    "host",        "pid",    "executable",
                                       "command", "start_unix_ns", "duration_ns", "status", "schema_version"};
    sqlite3_str *names = sqlite3_str_new(NULL), *values = sqlite3_str_new(NULL);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        sqlite3_str_appendf(names, ", %s", keys[i]);
        sqlite3_str_appendf(values, ", (SELECT value FROM meta WHERE trace = ?1 AND key = %Q)", keys[i]);
    }
    char *columns = sqlite3_str_finish(names), *subqueries = sqlite3_str_finish(values);
    char *sql =
        sqlite3_mprintf("INSERT INTO merged_trace (id, name, file%s) VALUES (?1, ?2, ?3%s)", columns, subqueries);
    sqlite3_stmt *stmt = NULL;
    int rc = sql ? sqlite3_prepare_v2(copying->writer->db, sql, -1, &stmt, NULL) : SQLITE_NOMEM;
    if (rc == SQLITE_OK) {
        sqlite3_bind_int64(stmt, 1, copying->id);
        sqlite3_bind_text(stmt, 2, name, -1, SQLITE_STATIC);
        sqlite3_bind_text(stmt, 3, file, -1, SQLITE_STATIC);
        rc = sqlite3_step(stmt);
    }
    sqlite3_finalize(stmt);
    sqlite3_free(columns);
    sqlite3_free(subqueries);
    sqlite3_free(sql);
    return rc == SQLITE_DONE ? XS_OK : fail(copying->writer, rc, copying->message);
}

/* Marks the trace as a snapshot, to distinguish a trace whose process still ran from one whose process was killed. */
static int mark_snapshot(const struct copying *copying) {
    char *sql = sqlite3_mprintf(
        "INSERT INTO meta (trace, row, key, value) SELECT %lld, max(row) + 1, %Q, '1' FROM meta"
        " WHERE trace = %lld AND NOT EXISTS (SELECT 1 FROM meta WHERE trace = %lld AND key = %Q)"
        " HAVING count(*) > 0",
        (long long)copying->id, XS_META_SNAPSHOT, (long long)copying->id, (long long)copying->id, XS_META_SNAPSHOT);
    int rc = sql ? run(copying->writer->db, sql) : SQLITE_NOMEM;
    sqlite3_free(sql);
    return rc == SQLITE_OK ? XS_OK : fail(copying->writer, rc, copying->message);
}

/* Adds a trace. If the trace is still being written, adds one snapshot of it; if it is damaged, adds nothing. */
int xs_merged_add(struct xs_merged_writer *writer, const struct xs_trace *trace, const char *name, const char *file,
                  char *message) {
    struct copying copying = {.writer = writer, .trace = trace, .id = writer->next_id, .message = message};
    int rc = run(writer->db, "SAVEPOINT one_trace");
    if (rc != SQLITE_OK)
        return fail(writer, rc, message);
    run(trace->db, "BEGIN");
    int status = copy_tables(&copying);
    if (status == XS_OK && trace->is_live)
        status = mark_snapshot(&copying);
    if (status == XS_OK)
        status = describe(&copying, name, file);
    run(trace->db, "COMMIT");
    rc = run(writer->db, status == XS_OK ? "RELEASE one_trace" : "ROLLBACK TO one_trace; RELEASE one_trace");
    if (status == XS_OK && rc != SQLITE_OK)
        status = fail(writer, rc, message);
    if (status == XS_OK)
        writer->next_id++;
    return status;
}

static int flush(const struct xs_merged_writer *writer, char *message) {
    int fd = open(writer->path, O_RDONLY | O_CLOEXEC);
    bool failed = fd < 0 || fsync(fd) != 0;
    int status = failed ? xs_trace_fail(message, XS_ERROR_SYSTEM, "%s: %s", writer->name, strerror(errno)) : XS_OK;
    if (fd >= 0)
        close(fd);
    return status;
}

int xs_merged_close(struct xs_merged_writer *writer, int keep, char *message) {
    int status = XS_OK;
    if (keep) {
        int rc = run(writer->db, "COMMIT");
        status = rc == SQLITE_OK ? XS_OK : fail(writer, rc, message);
    }
    sqlite3_close(writer->db);
    writer->db = NULL;
    if (keep && status == XS_OK)
        status = flush(writer, message);
    free_writer(writer);
    return status;
}
