/* Reads a merged file; see merged.h. */
#include "schema/read/merged.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "schema/read/copy.h"
#include "schema/read/trace_internal.h"
#include "schema/safe_open/side_files.h"
#include "schema/safe_open/sqlite_open.h"
#include "schema/write/schema_check.h"
#include "schema/write/store_internal.h"

bool xs_merged_is(const char *path) {
    unsigned char header[100] = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return false;
    ssize_t n = pread(fd, header, sizeof header, 0);
    close(fd);
    const unsigned char *p = header + 68; /* application id: https://www.sqlite.org/fileformat.html, section 1.3 */
    uint32_t id = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | (uint32_t)p[3];
    return n == sizeof header && memcmp(header, "SQLite format 3", 16) == 0 && id == XS_MERGED_APPLICATION_ID;
}

size_t xs_merged_split(const char *path) {
    char file[4096];
    struct stat st;
    size_t length = strlen(path);
    if (length >= sizeof file || lstat(path, &st) == 0)
        return 0;
    for (const char *colon = strchr(path, ':'); colon; colon = strchr(colon + 1, ':')) {
        size_t bytes = (size_t)(colon - path);
        memcpy(file, path, bytes);
        file[bytes] = 0;
        if (stat(file, &st) == 0 && S_ISREG(st.st_mode) && xs_merged_is(file))
            return bytes;
    }
    return 0;
}

/* Makes a view that hides a table, and shows the table of one trace as if it were the only one. */
static int hide_table(sqlite3 *db, sqlite3 *reference, const char *table, int64_t id) {
    sqlite3_stmt *columns = NULL;
    sqlite3_str *sql = sqlite3_str_new(db);
    int rc = sqlite3_prepare_v2(reference, "SELECT name FROM pragma_table_info(?)", -1, &columns, NULL);
    sqlite3_bind_text(columns, 1, table, -1, SQLITE_STATIC);
    sqlite3_str_appendf(sql, "CREATE TEMP VIEW \"%w\" AS SELECT", table);
    for (int i = 0; rc == SQLITE_OK && sqlite3_step(columns) == SQLITE_ROW; i++)
        sqlite3_str_appendf(sql, "%s\"%w\"", i ? ", " : " ", (const char *)sqlite3_column_text(columns, 0));
    sqlite3_finalize(columns);
    sqlite3_str_appendf(sql, " FROM main.\"%w\" WHERE trace = %lld", table, (long long)id);
    char *text = sqlite3_str_finish(sql);
    if (rc == SQLITE_OK)
        rc = text ? sqlite3_exec(db, text, NULL, NULL, NULL) : SQLITE_NOMEM;
    sqlite3_free(text);
    return rc;
}

/* Makes a view of schema.sql again, which reads from the views that hide the tables. */
static int hide_view(sqlite3 *db, const char *sql) {
    static const char create[] = "CREATE VIEW ";
    if (strncmp(sql, create, sizeof create - 1) != 0)
        return SQLITE_ERROR;
    char *text = sqlite3_mprintf("CREATE TEMP VIEW %s", sql + sizeof create - 1);
    int rc = text ? sqlite3_exec(db, text, NULL, NULL, NULL) : SQLITE_NOMEM;
    sqlite3_free(text);
    return rc;
}

static int find_trace(sqlite3 *db, const char *name, int64_t *id) {
    sqlite3_stmt *stmt = NULL;
    int rc = sqlite3_prepare_v2(db, "SELECT id FROM main.merged_trace WHERE name = ?", -1, &stmt, NULL);
    if (rc == SQLITE_OK) {
        sqlite3_bind_text(stmt, 1, name, -1, SQLITE_STATIC);
        rc = sqlite3_step(stmt);
        *id = rc == SQLITE_ROW ? sqlite3_column_int64(stmt, 0) : -1;
        rc = rc == SQLITE_ROW ? SQLITE_OK : rc == SQLITE_DONE ? SQLITE_NOTFOUND : rc;
    }
    sqlite3_finalize(stmt);
    return rc;
}

/* Makes the connection show one trace, `name`. SQLITE_NOTFOUND: the file has no such trace. */
static int select_trace(sqlite3 *db, const char *name, int64_t *id) {
    sqlite3 *reference = NULL;
    sqlite3_stmt *stmt = NULL;
    int rc = find_trace(db, name, id);
    if (rc != SQLITE_OK)
        return rc;
    rc = xs_schema_reference(&reference);
    if (rc == SQLITE_OK) {
        rc = sqlite3_prepare_v2(reference,
                                "SELECT type, name, sql FROM sqlite_master WHERE type IN ('table', 'view')"
                                " ORDER BY type, rowid",
                                -1, &stmt, NULL);
    }
    while (rc == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW) {
        const char *type = (const char *)sqlite3_column_text(stmt, 0);
        const char *object = (const char *)sqlite3_column_text(stmt, 1);
        rc = strcmp(type, "table") == 0 ? hide_table(db, reference, object, *id)
                                        : hide_view(db, (const char *)sqlite3_column_text(stmt, 2));
    }
    sqlite3_finalize(stmt);
    sqlite3_close(reference);
    return rc;
}

static int read_list(sqlite3 *db, struct xs_merged_trace **traces, size_t *count) {
    sqlite3_stmt *stmt = NULL;
    int rc = sqlite3_prepare_v2(db, "SELECT id, name FROM main.merged_trace ORDER BY id", -1, &stmt, NULL);
    while (rc == SQLITE_OK && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
        struct xs_merged_trace *grown = realloc(*traces, (*count + 1) * sizeof **traces);
        const char *name = (const char *)sqlite3_column_text(stmt, 1);
        if (!grown || !name || strlen(name) >= sizeof grown->name) {
            *traces = grown ? grown : *traces;
            rc = grown ? SQLITE_CORRUPT : SQLITE_NOMEM;
            break;
        }
        *traces = grown;
        grown[*count].id = sqlite3_column_int64(stmt, 0);
        memcpy(grown[*count].name, name, strlen(name) + 1);
        (*count)++;
        rc = SQLITE_OK;
    }
    sqlite3_finalize(stmt);
    return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* Opens the file. Until now, only its header was checked. */
static int open_file(const char *file, struct xs_trace *trace, char *message) {
    int64_t version = 0;
    sqlite3_stmt *stmt = NULL;
    char why[256];
    struct xs_side_files side;
    xs_resolve(file, trace->file);
    xs_side_files_look(trace->file, &side);
    if (side.super_journal)
        return xs_trace_refuse_journal(file, message);
    /* There are side files only if a `symbolize` was killed. */
    struct xs_copy copy = {0};
    bool copied = side.left_over && xs_copy_settled(trace->file, XS_COPY_LOG | XS_COPY_JOURNAL, &copy) == XS_OK;
    bool alone = side.left_over || side.foreign || side.linked || !side.owned;
    int rc = xs_sqlite_open(copied ? copy.path : trace->file, alone && !copied ? XS_READ_ALONE : XS_READ, &trace->db);
    if (rc == SQLITE_OK)
        rc = xs_trace_prepare(trace, trace->file);
    if (rc == SQLITE_OK)
        rc = sqlite3_prepare_v2(trace->db, "PRAGMA user_version", -1, &stmt, NULL);
    if (rc == SQLITE_OK) {
        rc = sqlite3_step(stmt) == SQLITE_ROW ? SQLITE_OK : sqlite3_errcode(trace->db);
        version = sqlite3_column_int64(stmt, 0);
    }
    sqlite3_finalize(stmt);
    if (copied)
        xs_copy_delete(&copy);
    if (rc != SQLITE_OK)
        return xs_trace_fail_sqlite(trace, rc, message);
    if (version != xs_schema_version) {
        xs_trace_close(trace);
        return xs_trace_fail_version(message, file, version);
    }
    int status = xs_schema_check_made(trace->db, xs_merged_schema, why, sizeof why);
    if (status == XS_ERROR_SQLITE)
        return xs_trace_fail_sqlite(trace, sqlite3_errcode(trace->db), message);
    if (status) {
        xs_trace_close(trace);
        return xs_trace_fail(message, status, "%s: not read: %s", file, why);
    }
    return XS_OK;
}

int xs_merged_open_all(const char *path, struct xs_trace *trace, char *message) {
    int status = xs_trace_begin(path, trace, message);
    return status ? status : open_file(path, trace, message);
}

/* Writes a message which asks for a trace's name, and lists the names. */
static int fail_unnamed(const char *file, const char *asked, char *message) {
    enum { LISTED = 8 };
    struct xs_merged_trace *traces;
    size_t count;
    char names[2560] = "";
    int status = xs_merged_list(file, &traces, &count, message);
    if (status)
        return status;
    size_t used = 0;
    for (size_t i = 0; i < count && i < LISTED; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", traces[i].name);
    if (count > LISTED)
        snprintf(names + used, sizeof names - used, ", ... (xferspy query FILE \"SELECT * FROM merged_trace\")");
    if (asked) {
        status = xs_trace_fail(message, XS_ERROR_NOT_FOUND, "%s: has no trace %.255s; it has %s", file, asked, names);
    } else if (count) {
        status = xs_trace_fail(message, XS_ERROR_INVALID, "%s: holds %zu trace%s; name one as %s:%s; it has %s", file,
                               count, count == 1 ? "" : "s", file, traces[0].name, names);
    } else {
        status = xs_trace_fail(message, XS_ERROR_NOT_FOUND, "%s: holds no traces", file);
    }
    free(traces);
    return status;
}

int xs_merged_open(const char *path, struct xs_trace *trace, char *message) {
    char file[sizeof trace->path];
    size_t split = xs_merged_split(path);
    if (!split)
        return fail_unnamed(path, NULL, message);
    snprintf(file, sizeof file, "%.*s", (int)split, path);
    int status = open_file(file, trace, message);
    if (status)
        return status;
    int rc = sqlite3_exec(trace->db, "PRAGMA temp_store=MEMORY", NULL, NULL, NULL);
    if (rc == SQLITE_OK)
        rc = select_trace(trace->db, path + split + 1, &trace->merged_id);
    if (rc == SQLITE_NOTFOUND) {
        xs_trace_close(trace);
        return fail_unnamed(file, path + split + 1, message);
    }
    if (rc == SQLITE_OK)
        rc = sqlite3_exec(trace->db, "PRAGMA query_only=ON", NULL, NULL, NULL);
    if (rc == SQLITE_OK)
        rc = xs_trace_check_tables(trace->db);
    return rc == SQLITE_OK ? XS_OK : xs_trace_fail_sqlite(trace, rc, message);
}

int xs_merged_list(const char *path, struct xs_merged_trace **traces, size_t *count, char *message) {
    struct xs_trace trace;
    *traces = NULL;
    *count = 0;
    int status = xs_merged_open_all(path, &trace, message);
    if (status)
        return status;
    int rc = read_list(trace.db, traces, count);
    if (rc != SQLITE_OK) {
        snprintf(message, XS_TRACE_MESSAGE_BYTES, "%s: damaged (%s)", path, xs_trace_why(&trace));
        free(*traces);
        *traces = NULL;
        *count = 0;
        status = XS_ERROR_CORRUPT;
    }
    xs_trace_close(&trace);
    return status;
}
