/* Opens a trace for reading, without changing it. SQLite opens the file only after the file's first bytes have shown
 * that it is a trace. Otherwise SQLite could create files beside any other database, or roll back its journal. */
#include "schema/read/trace.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "schema/format/entry_traits.h"
#include "schema/read/merged.h"
#include "schema/read/recover.h"
#include "schema/read/trace_internal.h"
#include "schema/safe_open/sqlite_open.h"
#include "schema/safe_open/step_limit.h"
#include "schema/spool/spool_location.h"
#include "schema/write/schema_check.h"
#include "schema/write/store_internal.h"

int xs_trace_fail(char *message, int status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(message, XS_TRACE_MESSAGE_BYTES, format, args);
    va_end(args);
    /* SQLite's message may quote text of a damaged file, so control characters and line ends are replaced. */
    for (char *p = message; *p; p++)
        if (iscntrl((unsigned char)*p))
            *p = '?';
    return status;
}

static uint32_t big_endian(const unsigned char *p) {
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | (uint32_t)p[3];
}

static bool ends_in(const char *path, const char *suffix) {
    size_t n = strlen(path), m = strlen(suffix);
    return n > m && strcmp(path + n - m, suffix) == 0;
}

/* Reads the file's header. Opens no file that could block, and closes its descriptor before SQLite opens the file,
 * because closing any descriptor of a file drops the process's POSIX locks on it. */
static int read_identity(const char *path, const char *file, struct xs_trace_identity *identity, char *message) {
    struct stat st;
    if (stat(file, &st) != 0) {
        int status = errno == ENOENT || errno == ENOTDIR ? XS_ERROR_NOT_FOUND : XS_ERROR_SYSTEM;
        return xs_trace_fail(message, status, "%s: %s", path, strerror(errno));
    }
    if (S_ISDIR(st.st_mode))
        return xs_trace_fail(message, XS_ERROR_NOT_A_TRACE, "%s: is a directory, not a trace", path);
    if (!S_ISREG(st.st_mode))
        return xs_trace_fail(message, XS_ERROR_NOT_A_TRACE, "%s: not a regular file", path);
    if (st.st_size == 0)
        return xs_trace_fail(message, XS_ERROR_NOT_A_TRACE, "%s: empty, not an xferspy trace", path);
    unsigned char header[100] = {0};
    int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return xs_trace_fail(message, XS_ERROR_SYSTEM, "%s: cannot be read: %s", path, strerror(errno));
    ssize_t n = pread(fd, header, sizeof header, 0);
    int saved = errno;
    close(fd);
    if (n < 0)
        return xs_trace_fail(message, XS_ERROR_SYSTEM, "%s: cannot be read: %s", path, strerror(saved));
    memset(identity, 0, sizeof *identity);
    memcpy(identity->magic, header, sizeof identity->magic);
    identity->file_bytes = st.st_size;
    identity->page_bytes = header[16] << 8 | header[17];
    if (identity->page_bytes == 1)
        identity->page_bytes = 65536;
    /* The header's page count is valid only if the same program wrote both counters. */
    if (memcmp(header + 24, header + 92, 4) == 0)
        identity->pages = big_endian(header + 28);
    identity->version = big_endian(header + 60);
    identity->application = big_endian(header + 68);
    identity->wal = header[18] == 2;
    return XS_OK;
}

int xs_trace_fail_version(char *message, const char *path, int64_t version) {
    if (version < 0 || version > 1 << 20) {
        return xs_trace_fail(message, XS_ERROR_CORRUPT, "%s: damaged (no xferspy has a schema %lld)", path,
                             (long long)(int32_t)version);
    }
    return xs_trace_fail(message, XS_ERROR_VERSION,
                         "%s: %s (its schema is %lld, this one reads %d); read it with the version that wrote it, or"
                         " record it again",
                         path, xs_error_text(XS_ERROR_VERSION), (long long)version, xs_schema_version);
}

static int check_identity(const char *path, const struct xs_trace_identity *identity, char *message) {
    if (memcmp(identity->magic, "SQLite format 3", sizeof identity->magic) != 0) {
        static const char *const companions[] = {".spool", "-wal", "-shm", "-journal"};
        for (size_t i = 0; i < sizeof companions / sizeof *companions; i++) {
            if (ends_in(path, companions[i])) {
                return xs_trace_fail(message, XS_ERROR_NOT_A_TRACE, "%s: belongs to a trace; open %.*s", path,
                                     (int)(strlen(path) - strlen(companions[i])), path);
            }
        }
        return xs_trace_fail(message, XS_ERROR_NOT_A_TRACE, "%s: %s", path, xs_error_text(XS_ERROR_NOT_A_TRACE));
    }
    if (identity->application != XS_APPLICATION_ID || identity->version == 0) {
        return xs_trace_fail(message, XS_ERROR_NOT_A_TRACE, "%s: an SQLite database, but %s", path,
                             xs_error_text(XS_ERROR_NOT_A_TRACE));
    }
    if (identity->version != (uint32_t)xs_schema_version)
        return xs_trace_fail_version(message, path, identity->version);
    return XS_OK;
}

/* Checks the file's length, but not if there is a WAL, because the end of the database may not be in the file yet then.
 */
static int check_size(const char *path, const struct xs_trace_identity *identity, const struct xs_side_files *side,
                      char *message) {
    int64_t expected = identity->pages * identity->page_bytes;
    if (expected <= identity->file_bytes || side->left_over)
        return XS_OK;
    return xs_trace_fail(message, XS_ERROR_CORRUPT, "%s: damaged (cut off: %lld of %lld bytes)", path,
                         (long long)identity->file_bytes, (long long)expected);
}

int xs_trace_identify(const char *path, const char *file, struct xs_trace_identity *identity, char *message) {
    int status = read_identity(path, file, identity, message);
    if (!status)
        status = check_identity(path, identity, message);
    return status;
}

static int run(sqlite3 *db, const char *sql) { return sqlite3_exec(db, sql, NULL, NULL, NULL); }

/* Reads a row of each table, with a column, because SQLite would not decode the row without one. Without NOT INDEXED,
 * SQLite would read pages of the index instead. */
int xs_trace_check_tables(sqlite3 *db) {
    return run(db,
               "SELECT (SELECT value FROM meta NOT INDEXED), (SELECT text FROM note), (SELECT name FROM entry_point),"
               " (SELECT tid FROM thread), (SELECT name FROM device), (SELECT handle FROM context),"
               " (SELECT handle FROM stream), (SELECT enter_ns FROM transfer_row), (SELECT bytes FROM transfer_shape),"
               " (SELECT enter_ns FROM memset), (SELECT enter_ns FROM allocation), (SELECT enter_ns FROM launch_row),"
               " (SELECT kind FROM launch_shape), (SELECT enter_ns FROM sync), (SELECT enter_ns FROM api_call),"
               " (SELECT start_ns FROM device_copy_row), (SELECT bytes FROM device_copy_shape),"
               " (SELECT start_ns FROM device_memset), (SELECT start_ns FROM device_kernel_row),"
               " (SELECT name FROM device_kernel_shape), (SELECT start_ns FROM device_sync),"
               " (SELECT start_ns FROM device_migration), (SELECT name FROM kernel_name),"
               " (SELECT content_low FROM fingerprint), (SELECT 1 FROM argument_set),"
               " (SELECT allocation FROM argument), (SELECT native_frames FROM stack), (SELECT stack FROM stack_frame),"
               " (SELECT at_ns FROM host_sample), (SELECT doubt FROM host_read), (SELECT path FROM module), (SELECT "
               "file FROM python_code), (SELECT "
               "name FROM nvtx_range),"
               " (SELECT module FROM symbol), (SELECT path FROM source_file), (SELECT file FROM source_line),"
               " (SELECT source FROM thinned NOT INDEXED), (SELECT 1 FROM spool_progress)");
}

const char *xs_trace_why(const struct xs_trace *trace) {
    if (xs_step_limit_is_reached(trace->steps))
        return "reading it takes more steps than a file of its size can justify";
    return sqlite3_errcode(trace->db) == SQLITE_TOOBIG ? "a value in it is longer than 16 MiB"
                                                       : sqlite3_errmsg(trace->db);
}

/* Returns the size of a file. The length is not enough, because a file with holes can have any length. The number of
 * blocks is better, but some file systems compress files, and others do not count blocks. */
static int64_t bytes_of(const char *path) {
    enum { MOST_COMPRESSED = 16 };
    struct stat st;
    if (stat(path, &st) != 0)
        return 0;
    int64_t held = st.st_blocks > 0 ? (int64_t)st.st_blocks * 512 * MOST_COMPRESSED : st.st_size;
    return held < st.st_size ? held : st.st_size;
}

int64_t xs_trace_bytes(const char *file) {
    char wal[XS_PATH_BYTES];
    return bytes_of(file) + (xs_beside(wal, file, "-wal") ? bytes_of(wal) : 0);
}

/* xferspy_traits(NAME): an entry point's traits, for statements of the analyzer. */
static void traits(sqlite3_context *context, int count, sqlite3_value **values) {
    const char *name = (const char *)sqlite3_value_text(values[0]);
    (void)count;
    sqlite3_result_int64(context, name ? xs_entry_traits(name) : 0);
}

int xs_trace_prepare(struct xs_trace *trace, const char *file) {
    int rc = sqlite3_busy_timeout(trace->db, 5000);
    if (rc == SQLITE_OK)
        rc = sqlite3_create_function_v2(trace->db, "xferspy_traits", 1,
                                        SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, NULL, traits, NULL,
                                        NULL, NULL);
    return rc == SQLITE_OK ? xs_step_limit_begin(trace->db, xs_trace_bytes(file), &trace->steps) : rc;
}

int xs_trace_fail_sqlite(struct xs_trace *trace, int rc, char *message) {
    const char *why = trace->db ? xs_trace_why(trace) : sqlite3_errstr(rc);
    int code = rc & 0xff;
    if (code == SQLITE_READONLY) {
        int failed = xs_trace_fail(message, XS_ERROR_SQLITE,
                                   "%s: cannot be opened: %s-journal is in the way, of a change that did not end; try"
                                   " again when no process writes to the trace, or read a copy of it without that file",
                                   trace->path, trace->file);
        xs_trace_close(trace);
        return failed;
    }
    bool damaged = code == SQLITE_CORRUPT || code == SQLITE_INTERRUPT || code == SQLITE_NOTADB ||
                   code == SQLITE_ERROR || code == SQLITE_IOERR;
    int status = xs_trace_fail(message, damaged ? XS_ERROR_CORRUPT : XS_ERROR_SQLITE, "%s: %s (%s)", trace->path,
                               damaged ? "damaged" : "cannot be opened", why);
    xs_trace_close(trace);
    return status;
}

int xs_trace_refuse_journal(const char *path, char *message) {
    return xs_trace_fail(message, XS_ERROR_CORRUPT, XS_JOURNAL_REFUSED, path);
}

int xs_trace_open_database(const char *file, bool alone, struct xs_trace *trace, char *message) {
    char why[256] = "";
    int rc = xs_sqlite_open(file, alone ? XS_READ_ALONE : XS_READ, &trace->db);
    if (rc == SQLITE_OK)
        rc = xs_trace_prepare(trace, file);
    if (rc == SQLITE_OK) {
        int status = xs_schema_check(trace->db, why, sizeof why);
        rc = status == XS_ERROR_SQLITE ? sqlite3_errcode(trace->db) : SQLITE_OK;
        if (status == XS_ERROR_CORRUPT) {
            xs_trace_close(trace);
            return xs_trace_fail(message, status, "%s: not read: %s", trace->path, why);
        }
    }
    if (rc == SQLITE_OK)
        rc = run(trace->db, "PRAGMA query_only=ON");
    if (rc == SQLITE_OK)
        rc = xs_trace_check_tables(trace->db);
    if (rc == SQLITE_OK)
        return XS_OK;
    return xs_trace_fail_sqlite(trace, rc, message);
}

/* Checks the file and the files beside it before SQLite opens them. A process that recovers the trace writes the new
 * size into the file's header, then writes the pages, and then removes the log. If this happens during the check, the
 * file seems to be too short. So a file counts as too short only if it has not changed since no log was found; if it
 * has changed, it is checked again. */
static int look(const char *path, const char *file, struct xs_trace_identity *identity, struct xs_side_files *side,
                char *message) {
    struct xs_trace_identity before = {0};
    int status = xs_trace_identify(path, file, identity, message);
    for (int i = 0; !status; i++) {
        enum { MOST_LOOKS = 100 }; /* one recovery changes the size only a few times */
        xs_side_files_look(file, side);
        if (side->super_journal)
            return xs_trace_refuse_journal(path, message);
        status = check_size(path, identity, side, message);
        if (!status)
            message[0] = 0; /* it may have the message of an earlier check */
        bool changed = i == 0 || before.file_bytes != identity->file_bytes || before.pages != identity->pages;
        if (status != XS_ERROR_CORRUPT || !changed || i == MOST_LOOKS)
            break;
        before = *identity;
        status = xs_trace_identify(path, file, identity, message);
    }
    return status;
}

static int open_file(const char *path, struct xs_trace *trace, char *message) {
    const char *file = trace->file;
    struct xs_trace_identity identity = {0};
    struct xs_side_files side = {0};
    int status = look(path, file, &identity, &side, message);
    if (status)
        return status;
    unsigned what = xs_trace_choose(trace, &side);
    if (side.left_over) {
        struct xs_side_files left;
        if (xs_trace_complete(file, &side, what, trace, message))
            return XS_OK;
        status = look(path, file, &identity, &left, message);
        if (status)
            return status;
    }
    /* If a file in WAL mode has no WAL, because only the main file was copied, SQLite would create one. For a trace of
     * another user, SQLite would map the log's index, which that user can truncate. */
    bool alone = !side.owned || side.foreign || side.linked || (identity.wal && !side.left_over && !trace->is_live);
    status = xs_trace_open_database(file, alone, trace, message);
    trace->is_alone = alone;
    trace->opens_again = !status && !side.left_over && !trace->is_live;
    trace->recovers = !status && side.left_over && xs_trace_is_for_us_alone(file, &side);
    return status;
}

int xs_trace_begin(const char *path, struct xs_trace *trace, char *message) {
    *trace = (struct xs_trace){.recovered_events = -1, .merged_id = -1};
    message[0] = 0;
    if (strlen(path) >= sizeof trace->path)
        return xs_trace_fail(message, XS_ERROR_INVALID, "%.80s...: name too long", path);
    memcpy(trace->path, path, strlen(path) + 1);
    return XS_OK;
}

int xs_trace_open(const char *path, struct xs_trace *trace, char *message) {
    int status = xs_trace_begin(path, trace, message);
    if (status)
        return status;
    if (xs_merged_is(path) || xs_merged_split(path))
        return xs_merged_open(path, trace, message);
    xs_resolve(path, trace->file);
    status = open_file(path, trace, message);
    if (status && xs_spool_is_unstarted(trace->file)) /* the file is empty, or ends in the middle of the schema */
        return xs_trace_fail(message, status, "%s: %s", path, XS_KILLED_AT_ONCE);
    return status;
}

/* True if both connections read the same run. Another file may have got the trace's name since the trace was opened. */
static bool is_same_run(const struct xs_trace *a, const struct xs_trace *b) {
    static const char *const keys[] = {"start_unix_ns", "pid", "duration_ns"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (xs_trace_meta_int(a, keys[i], -1) != xs_trace_meta_int(b, keys[i], -1))
            return false;
    return xs_trace_event_rows(a) == xs_trace_event_rows(b);
}

/* The file's header is not read again: to close its descriptor would drop the locks of the first connection. */
bool xs_trace_open_again(const struct xs_trace *trace, struct xs_trace *again) {
    char message[XS_TRACE_MESSAGE_BYTES];
    if (!trace->opens_again || xs_trace_begin(trace->path, again, message) < 0)
        return false;
    memcpy(again->file, trace->file, sizeof again->file);
    if (xs_trace_open_database(again->file, trace->is_alone, again, message) < 0)
        return false;
    if (is_same_run(trace, again))
        return true;
    xs_trace_close(again);
    return false;
}

void xs_trace_close(struct xs_trace *trace) {
    bool ends_wal = trace->db && trace->recovers; /* also if the process has ended meanwhile */
    sqlite3_close_v2(trace->db);
    trace->db = NULL;
    trace->steps = NULL;
    trace->windows = NULL;
    if (ends_wal)
        xs_recover_close(trace->file);
}

static sqlite3_stmt *find_meta(const struct xs_trace *trace, const char *key) {
    sqlite3_stmt *stmt = NULL;
    if (sqlite3_prepare_v2(trace->db, "SELECT value FROM meta WHERE key = ?", -1, &stmt, NULL) != SQLITE_OK)
        return NULL;
    sqlite3_bind_text(stmt, 1, key, -1, SQLITE_STATIC);
    if (sqlite3_step(stmt) == SQLITE_ROW && sqlite3_column_type(stmt, 0) != SQLITE_NULL)
        return stmt;
    sqlite3_finalize(stmt);
    return NULL;
}

int64_t xs_trace_meta_int(const struct xs_trace *trace, const char *key, int64_t fallback) {
    sqlite3_stmt *stmt = find_meta(trace, key);
    if (!stmt)
        return fallback;
    int64_t value = sqlite3_column_int64(stmt, 0);
    sqlite3_finalize(stmt);
    return value;
}

const char *xs_trace_meta_text(const struct xs_trace *trace, const char *key, char *buffer, int bytes,
                               const char *fallback) {
    sqlite3_stmt *stmt = find_meta(trace, key);
    if (!stmt)
        return fallback;
    const char *text = (const char *)sqlite3_column_text(stmt, 0);
    if (text)
        snprintf(buffer, (size_t)bytes, "%s", text);
    sqlite3_finalize(stmt);
    return text ? buffer : fallback;
}

uint64_t xs_trace_meta_count(const struct xs_trace *trace, const char *key) {
    int64_t value = xs_trace_meta_int(trace, key, 0);
    return value < 0 ? 0 : (uint64_t)value;
}

uint64_t xs_trace_event_rows(const struct xs_trace *trace) {
    static const char *const tables[] = {
        "transfer_row",    "fingerprint", "memset",        "allocation",      "launch_row",        "sync",
        "api_call",        "host_sample", "device_memset", "device_copy_row", "device_kernel_row", "device_sync",
        "device_migration"};
    uint64_t rows = 0;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        bool merged = trace->merged_id >= 0;
        sqlite3_stmt *stmt = NULL;
        char *sql = merged ? sqlite3_mprintf("SELECT max(row) FROM main.%s WHERE trace = %lld", tables[i],
                                             (long long)trace->merged_id)
                           : sqlite3_mprintf("SELECT max(id) FROM %s", tables[i]);
        if (sql && sqlite3_prepare_v2(trace->db, sql, -1, &stmt, NULL) == SQLITE_OK &&
            sqlite3_step(stmt) == SQLITE_ROW) {
            int64_t last = sqlite3_column_int64(stmt, 0);
            rows += last > 0 && last <= UINT32_MAX ? (uint64_t)last : 0; /* a forged number says nothing */
        }
        sqlite3_finalize(stmt);
        sqlite3_free(sql);
    }
    return rows;
}
