/* Reads and checks an export's tables; see nsys_export.h. */
#include "analyzer/commands/import/nsys_export.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/out.h"
#include "analyzer/base/text.h"
#include "schema/rows_read.h"
#include "schema/safe_open/side_files.h"
#include "schema/safe_open/sqlite_open.h"
#include "schema/safe_open/step_limit.h"
#include "schema/write/store.h"

enum { VALUE_BYTES = 64 << 20, ORDER_COLUMNS = 4, NAME_BYTES = 64 };
static const int64_t largest_time_ns = INT64_C(1) << 62;

/* Checks the file's first bytes. Negative: it is no SQLite database, or the database of another program, and a message
 * was printed. */
static int look(const char *path) {
    unsigned char header[100] = {0};
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &st) != 0 || (!S_ISREG(st.st_mode) && (errno = EINVAL))) {
        xs_complain("%s: %s", path, fd >= 0 && errno == EINVAL ? XS_NO_REGULAR_FILE : strerror(errno));
        if (fd >= 0)
            close(fd);
        return XS_ERROR_SYSTEM;
    }
    ssize_t bytes = read(fd, header, sizeof header);
    close(fd);
    if (bytes < (ssize_t)sizeof header || memcmp(header, "SQLite format 3", 16) != 0) {
        xs_complain("%s: not an SQLite database; make one with `nsys export --type sqlite REPORT.nsys-rep'", path);
        return XS_ERROR_NOT_A_TRACE;
    }
    unsigned application =
        (unsigned)header[68] << 24 | (unsigned)header[69] << 16 | (unsigned)header[70] << 8 | header[71];
    if (application == XS_APPLICATION_ID) {
        xs_complain("%s: is an xferspy trace already; `xferspy report' reads it", path);
        return XS_ERROR_NOT_A_TRACE;
    }
    return XS_OK;
}

static int read_strings(struct xs_nsys *nsys) {
    XS_SCOPED_STATEMENT *rows = xs_nsys_select(nsys, "StringIds", "id, value", NULL);
    while (xs_nsys_row(nsys, rows)) {
        int64_t id;
        const char *text = xs_nsys_text(nsys, rows, 1);
        if (xs_nsys_int(rows, 0, &id) && text)
            *xs_hash_put(&nsys->strings, (uint64_t)id, 0) = (uint64_t)(uintptr_t)text;
    }
    return nsys->status;
}

static bool exists(const struct xs_nsys *nsys, const char *sql, const char *table, const char *column) {
    sqlite3_stmt *statement = NULL;
    bool found = false;
    if (sqlite3_prepare_v2(nsys->db, sql, -1, &statement, NULL) == SQLITE_OK) {
        sqlite3_bind_text(statement, 1, table, -1, SQLITE_STATIC);
        if (column)
            sqlite3_bind_text(statement, 2, column, -1, SQLITE_STATIC);
        found = sqlite3_step(statement) == SQLITE_ROW;
    }
    sqlite3_finalize(statement);
    return found;
}

/* Views, virtual tables and generated columns are ignored, because computing them could take any time. */
bool xs_nsys_has_table(const struct xs_nsys *nsys, const char *table) {
    return exists(nsys,
                  "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?1 AND rootpage > 0"
                  " AND sql NOT LIKE 'CREATE VIRTUAL%'"
                  " AND NOT EXISTS (SELECT 1 FROM pragma_table_xinfo(?1) WHERE hidden)",
                  table, NULL);
}

static bool has_column(const struct xs_nsys *nsys, const char *table, const char *column) {
    return exists(nsys, "SELECT 1 FROM pragma_table_info(?) WHERE name = ?", table, column);
}

/* Checks for CUDA events, and names the likely reason if there are none. */
static int check_kind(struct xs_nsys *nsys) {
    bool calls = xs_nsys_has_table(nsys, "CUPTI_ACTIVITY_KIND_RUNTIME");
    bool copies = xs_nsys_has_table(nsys, "CUPTI_ACTIVITY_KIND_MEMCPY");
    bool strings = xs_nsys_has_table(nsys, "StringIds");
    if (nsys->status < 0)
        return nsys->status;
    if (strings && (calls || copies))
        return XS_OK;
    if (xs_nsys_has_table(nsys, "StringTable") && has_column(nsys, "CUPTI_ACTIVITY_KIND_MEMCPY", "_id_"))
        xs_complain("%s: an export of nvprof; only those of Nsight Systems can be imported", nsys->path);
    else if (strings)
        xs_complain("%s: has no events of CUDA; profile with `nsys profile --trace=cuda'", nsys->path);
    else
        xs_complain("%s: an SQLite database, but not an Nsight Systems export", nsys->path);
    return XS_ERROR_NOT_A_TRACE;
}

static int64_t size_of(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 ? st.st_size : 0;
}

int xs_nsys_open(struct xs_nsys *nsys, const char *path) {
    *nsys = (struct xs_nsys){.path = path};
    int status = look(path);
    if (status < 0)
        return status;
    struct xs_side_files side;
    char file[XS_PATH_BYTES];
    xs_resolve(path, file);
    xs_side_files_look(file, &side);
    if (side.super_journal) {
        xs_complain(XS_JOURNAL_REFUSED, path);
        return nsys->status = XS_ERROR_CORRUPT;
    }
    int rc = xs_sqlite_open(file, side.foreign || side.linked || !side.owned ? XS_READ_ALONE : XS_READ, &nsys->db);
    if (rc == SQLITE_OK) {
        sqlite3_busy_timeout(nsys->db, 2000);
        sqlite3_limit(nsys->db, SQLITE_LIMIT_LENGTH, VALUE_BYTES);
        rc = xs_step_limit_begin(nsys->db, size_of(path), &nsys->steps);
    }
    if (rc == SQLITE_OK)
        rc =
            sqlite3_exec(nsys->db, "PRAGMA query_only=ON; PRAGMA cache_size=-65536; SELECT count(*) FROM sqlite_master",
                         NULL, NULL, NULL);
    if (rc != SQLITE_OK) {
        xs_complain("%s: cannot be read: %s", path, nsys->db ? sqlite3_errmsg(nsys->db) : sqlite3_errstr(rc));
        return nsys->status = XS_ERROR_CORRUPT;
    }
    status = check_kind(nsys);
    return status < 0 ? status : read_strings(nsys);
}

void xs_nsys_close(struct xs_nsys *nsys) {
    xs_hash_free(&nsys->strings);
    xs_texts_free(&nsys->texts);
    sqlite3_close_v2(nsys->db);
    nsys->db = NULL;
}

static void fail(struct xs_nsys *nsys) {
    if (nsys->status >= 0)
        xs_complain("%s: cannot be read: %s", nsys->path,
                    xs_step_limit_is_reached(nsys->steps) ? "it takes more steps than a file of its size can justify"
                                                          : sqlite3_errmsg(nsys->db));
    nsys->status = XS_ERROR_CORRUPT;
}

/* Adds the names of a list "a, b" in quotes. Missing columns become `missing`; if `missing` is NULL, they are left out.
 */
static void add_columns(const struct xs_nsys *nsys, struct xs_string *sql, const char *table, const char *columns,
                        const char *missing) {
    const char *separator = "";
    char name[NAME_BYTES];
    for (const char *p = columns; *p; p += strspn(p, ", ")) {
        size_t length = strcspn(p, ", ");
        snprintf(name, sizeof name, "%.*s", (int)length, p);
        p += length;
        if (has_column(nsys, table, name))
            xs_string_format(sql, "%s\"%s\"", separator, name);
        else if (missing)
            xs_string_format(sql, "%s%s", separator, missing);
        else
            continue;
        separator = ", ";
    }
}

sqlite3_stmt *xs_nsys_select(struct xs_nsys *nsys, const char *table, const char *columns, const char *order) {
    sqlite3_stmt *statement = NULL;
    XS_SCOPED_STRING sql = {0}, by = {0};
    if (nsys->status < 0 || !xs_nsys_has_table(nsys, table))
        return NULL;
    xs_string_format(&sql, "SELECT ");
    add_columns(nsys, &sql, table, columns, "NULL");
    xs_string_format(&sql, " FROM \"%s\"", table);
    if (order)
        add_columns(nsys, &by, table, order, NULL);
    if (by.length)
        xs_string_format(&sql, " ORDER BY %s", by.data);
    if (sqlite3_prepare_v2(nsys->db, sql.data, -1, &statement, NULL) != SQLITE_OK)
        fail(nsys);
    return statement;
}

bool xs_nsys_row(struct xs_nsys *nsys, sqlite3_stmt *statement) {
    if (!statement || nsys->status < 0)
        return false;
    int rc = sqlite3_step(statement);
    if (rc != SQLITE_ROW && rc != SQLITE_DONE)
        fail(nsys);
    if (rc == SQLITE_ROW)
        xs_row_read();
    return rc == SQLITE_ROW;
}

uint64_t xs_nsys_rows(const struct xs_nsys *nsys) {
    static const char *const tables[] = {"CUPTI_ACTIVITY_KIND_RUNTIME",
                                         "CUPTI_ACTIVITY_KIND_MEMCPY",
                                         "CUPTI_ACTIVITY_KIND_MEMSET",
                                         "CUPTI_ACTIVITY_KIND_KERNEL",
                                         "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
                                         "CUDA_GPU_MEMORY_USAGE_EVENTS",
                                         "NVTX_EVENTS"};
    uint64_t rows = 0;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        XS_SCOPED_STRING sql = {0};
        XS_SCOPED_STATEMENT *statement = NULL;
        xs_string_format(&sql, "SELECT max(rowid) FROM \"%s\"", tables[i]);
        if (xs_nsys_has_table(nsys, tables[i]) &&
            sqlite3_prepare_v2(nsys->db, sql.data, -1, &statement, NULL) == SQLITE_OK &&
            sqlite3_step(statement) == SQLITE_ROW) {
            int64_t last = sqlite3_column_int64(statement, 0);
            rows += last > 0 && last <= UINT32_MAX ? (uint64_t)last : 0; /* a forged number says nothing */
        }
    }
    return rows;
}

bool xs_nsys_span(sqlite3_stmt *statement, int column, int64_t *start, int64_t *end) {
    return xs_nsys_int(statement, column, start) && xs_nsys_int(statement, column + 1, end) && *start >= 0 &&
           *end >= *start && *end <= largest_time_ns;
}

const char *xs_nsys_text(struct xs_nsys *nsys, sqlite3_stmt *statement, int column) {
    if (sqlite3_column_type(statement, column) != SQLITE_TEXT)
        return NULL;
    const char *text = (const char *)sqlite3_column_text(statement, column);
    return text ? xs_texts_keep(&nsys->texts, text) : NULL;
}

const char *xs_nsys_string(const struct xs_nsys *nsys, sqlite3_stmt *statement, int column) {
    int64_t id;
    if (!xs_nsys_int(statement, column, &id))
        return NULL;
    const uint64_t *found = xs_hash_find(&nsys->strings, (uint64_t)id, 0);
    return found ? (const char *)(uintptr_t)*found : NULL;
}

/* Names and values are texts, or, in the oldest exports, ids in StringIds. */
const char *xs_nsys_property(struct xs_nsys *nsys, const char *table, const char *name) {
    XS_SCOPED_STATEMENT *rows = xs_nsys_select(nsys, table, "name, value, nameId, valueId", NULL);
    const char *found = NULL;
    while (!found && xs_nsys_row(nsys, rows)) {
        const char *key = sqlite3_column_type(rows, 0) == SQLITE_TEXT ? (const char *)sqlite3_column_text(rows, 0)
                                                                      : xs_nsys_string(nsys, rows, 2);
        if (!key || strcmp(key, name) != 0)
            continue;
        found = xs_nsys_text(nsys, rows, 1);
        if (!found && sqlite3_column_type(rows, 1) == SQLITE_INTEGER)
            found = xs_texts_keep(&nsys->texts, (const char *)sqlite3_column_text(rows, 1));
        found = found ? found : xs_nsys_string(nsys, rows, 3);
    }
    return found;
}
