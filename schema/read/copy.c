/* Makes a temporary copy of a trace, with all files beside it. */
#include "schema/read/copy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "schema/error.h"
#include "schema/safe_open/private_file.h"
#include "schema/safe_open/sqlite_open.h"
#include "schema/safe_open/step_limit.h"
#include "schema/spool/spool_location.h"

static const char *const suffixes[] = {"", "-wal", "-journal", ".spool", "-shm"};
static const unsigned kinds[] = {0, XS_COPY_LOG, XS_COPY_JOURNAL, XS_COPY_SPOOL};
enum { SUFFIX_COUNT = sizeof suffixes / sizeof *suffixes, COPIED_COUNT = 4 }; /* SQLite makes its own -shm */

/* Copies only the parts of a file that are no holes, because a file with 2 MiB of data can be terabytes long. Stops at
 * the length that the file had at the beginning, because its owner may write to it for ever. */
static int copy_parts(int in, int out) {
    struct stat st;
    if (fstat(in, &st) != 0)
        return -1;
    if (st.st_blocks * 512 < st.st_size)
        fdatasync(in); /* some file systems report a reserved block as a hole until its data is written to disk */
    off_t at = 0;
    while ((at = lseek(in, at, SEEK_DATA)) >= 0 && at < st.st_size) {
        off_t end = lseek(in, at, SEEK_HOLE);
        end = end > st.st_size ? st.st_size : end;
        if (end < 0 || lseek(out, at, SEEK_SET) != at || lseek(in, at, SEEK_SET) != at)
            return -1;
        while (at < end) {
            ssize_t n = sendfile(out, in, NULL, (size_t)(end - at < 1 << 24 ? end - at : 1 << 24));
            if (n <= 0)
                return n == 0 ? ftruncate(out, at) : -1; /* n is 0 if the file became shorter meanwhile */
            at += n;
        }
    }
    return at >= 0 || errno == ENXIO ? ftruncate(out, st.st_size) : -1;
}

static int copy_open_file(int in, const char *to) {
    int out = xs_create_private(to);
    int result = out < 0 ? -1 : copy_parts(in, out);
    int saved = errno;
    if (out >= 0 && close(out) != 0 && result == 0) {
        result = -1;
        saved = errno;
    }
    if (result == 0)
        return XS_OK;
    return saved == ENOSPC || saved == EDQUOT ? XS_ERROR_FULL : XS_ERROR_SYSTEM;
}

/* Copies a file. `link`: a symbolic link is followed. The trace may be a link, but files beside it may not. */
static int copy_file(const char *from, const char *to, bool link) {
    int in = open(from, O_RDONLY | O_CLOEXEC | O_NONBLOCK | (link ? 0 : O_NOFOLLOW));
    if (in < 0)
        return errno == ENOENT ? XS_OK : XS_ERROR_SYSTEM;
    int status = copy_open_file(in, to);
    close(in);
    return status;
}

/* True if a file belongs to the trace's owner. Other files are not copied (side_files.h). */
static bool is_owners(const char *path, const struct stat *trace) {
    struct stat st;
    return lstat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == trace->st_uid;
}

/* Copies a spool in memory to a spool beside the copy. XS_ERROR_NOT_FOUND: the spool is not in memory, or was not
 * found. */
static int copy_spool_from_memory(const char *path, const char *to) {
    struct xs_spool_found found;
    bool in_memory = xs_spool_find(path, &found) == XS_OK && found.pointer && found.spool.header;
    int status = in_memory ? copy_open_file(found.spool.source, to) : XS_ERROR_NOT_FOUND;
    xs_spool_found_free(&found);
    return status;
}

/* Reads the log's header, which changes whenever SQLite begins the log anew. All zeros: there is no log. */
enum { LOG_HEADER_BYTES = 32 };
static void read_log_header(const char *path, unsigned char header[LOG_HEADER_BYTES]) {
    char wal[XS_PATH_BYTES];
    memset(header, 0, LOG_HEADER_BYTES);
    int fd = xs_beside(wal, path, "-wal") ? open(wal, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW) : -1;
    if (fd >= 0) {
        if (pread(fd, header, LOG_HEADER_BYTES, 0) < 0)
            memset(header, 0, LOG_HEADER_BYTES);
        close(fd);
    }
}

static int copy_files(const char *path, unsigned what, const struct xs_copy *copy) {
    struct stat trace;
    int status = stat(path, &trace) == 0 ? XS_OK : XS_ERROR_SYSTEM;
    for (int i = 0; i < COPIED_COUNT && !status; i++) {
        char from[XS_PATH_BYTES], to[XS_PATH_BYTES];
        if (xs_beside(from, path, suffixes[i]) && xs_beside(to, copy->path, suffixes[i]) &&
            (i == 0 || ((what & kinds[i]) && is_owners(from, &trace)))) {
            status = kinds[i] == XS_COPY_SPOOL ? copy_spool_from_memory(path, to) : XS_ERROR_NOT_FOUND;
            status = status == XS_ERROR_NOT_FOUND ? copy_file(from, to, i == 0) : status;
        }
    }
    return status;
}

static void delete_files(const struct xs_copy *copy) {
    for (int i = 0; i < SUFFIX_COUNT; i++) {
        char name[XS_PATH_BYTES];
        if (xs_beside(name, copy->path, suffixes[i]))
            unlink(name);
    }
}

/* Copies a trace. The writer may move pages from its log into the trace at any time. Until it begins the log anew, the
 * log also still has these pages. So a trace that changed while it was copied is complete together with a log that was
 * copied after it. */
int xs_copy_trace(const char *path, unsigned what, struct xs_copy *copy) {
    enum { TRIES = 5 };
    unsigned char before[LOG_HEADER_BYTES], after[LOG_HEADER_BYTES];
    const char *base = getenv("TMPDIR");
    if (!base || base[0] != '/' || strlen(base) > XS_PATH_BYTES - 64)
        base = "/tmp";
    snprintf(copy->directory, sizeof copy->directory, "%s/xferspy-XXXXXX", base);
    if (!mkdtemp(copy->directory))
        return XS_ERROR_SYSTEM;
    char resolved[XS_PATH_BYTES];
    xs_resolve(copy->directory, resolved);
    memcpy(copy->directory, resolved, sizeof copy->directory);
    int status = xs_beside(copy->path, copy->directory, "/trace.db") ? XS_ERROR_BUSY : XS_ERROR_INVALID;
    for (int i = 0; i < TRIES && status == XS_ERROR_BUSY; i++) {
        delete_files(copy);
        read_log_header(path, before);
        status = copy_files(path, what, copy);
        read_log_header(path, after);
        if (!status && memcmp(before, after, sizeof before) != 0)
            status = XS_ERROR_BUSY;
    }
    if (status)
        xs_copy_delete(copy);
    return status;
}

static bool is_whole(sqlite3 *db) {
    sqlite3_stmt *stmt = NULL;
    bool whole = sqlite3_prepare_v2(db, "PRAGMA quick_check(1)", -1, &stmt, NULL) == SQLITE_OK &&
                 sqlite3_step(stmt) == SQLITE_ROW && sqlite3_column_type(stmt, 0) == SQLITE_TEXT &&
                 strcmp((const char *)sqlite3_column_text(stmt, 0), "ok") == 0;
    sqlite3_finalize(stmt);
    return whole;
}

int xs_copy_settled(const char *path, unsigned what, struct xs_copy *copy) {
    int status = xs_copy_trace(path, what, copy);
    if (status)
        return status;
    sqlite3 *db;
    struct stat st = {0};
    struct xs_step_limit *steps;
    (void)stat(copy->path, &st);
    if (xs_sqlite_open(copy->path, XS_WRITE, &db) != SQLITE_OK ||
        xs_step_limit_begin(db, st.st_size, &steps) != SQLITE_OK || !is_whole(db))
        status = XS_ERROR_CORRUPT;
    sqlite3_close_v2(db);
    if (status)
        xs_copy_delete(copy);
    return status;
}

/* True if a process is writing the trace. A writer has SQLite's reserved lock (https://www.sqlite.org/lockingv3.html,
 * section 3). */
static bool is_being_written(const char *path) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0x40000001, .l_len = 1};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    bool held = fd >= 0 && fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
    if (fd >= 0)
        close(fd);
    return held;
}

bool xs_journal_is_sound(const char *path) {
    struct xs_copy copy;
    if (is_being_written(path))
        return true;
    if (xs_copy_settled(path, XS_COPY_LOG | XS_COPY_JOURNAL, &copy) != XS_OK)
        return false;
    xs_copy_delete(&copy);
    return true;
}

void xs_copy_delete(struct xs_copy *copy) {
    delete_files(copy);
    rmdir(copy->directory);
}
