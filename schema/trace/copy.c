/* A temporary copy of a trace with all that lies beside it. */
#include "schema/trace/copy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "schema/error.h"
#include "schema/file/private_file.h"
#include "schema/spool/spool_place.h"

static const char *const suffixes[] = {"", "-wal", "-journal", ".spool", "-shm"};
enum { SUFFIX_COUNT = sizeof suffixes / sizeof *suffixes, COPIED_COUNT = 4 }; /* SQLite makes its own -shm */

/* Part by part, so that what is a hole stays one: a file of 2 MiB can be terabytes long. */
static int copy_parts(int in, int out) {
    struct stat st;
    if (fstat(in, &st) != 0) {
        return -1;
    }
    if (st.st_blocks * 512 < st.st_size) {
        fdatasync(in); /* some file systems take a reserved block for a hole until what was stored there is written */
    }
    for (off_t at = 0; (at = lseek(in, at, SEEK_DATA)) >= 0;) {
        off_t end = lseek(in, at, SEEK_HOLE);
        if (end < 0 || lseek(out, at, SEEK_SET) != at || lseek(in, at, SEEK_SET) != at) {
            return -1;
        }
        while (at < end) {
            ssize_t n = sendfile(out, in, NULL, (size_t)(end - at < 1 << 24 ? end - at : 1 << 24));
            if (n <= 0) {
                return n == 0 ? ftruncate(out, at) : -1; /* 0: it was cut off meanwhile */
            }
            at += n;
        }
    }
    return errno == ENXIO ? ftruncate(out, st.st_size) : -1;
}

static int copy_open_file(int in, const char *to) {
    int out = xs_create_private(to);
    int result = out < 0 ? -1 : copy_parts(in, out);
    int saved = errno;
    if (out >= 0 && close(out) != 0 && result == 0) {
        result = -1;
        saved = errno;
    }
    if (result == 0) {
        return XS_OK;
    }
    return saved == ENOSPC || saved == EDQUOT ? XS_ERROR_FULL : XS_ERROR_SYSTEM;
}

/* `link` says whether a symbolic link is followed: the trace's own name may be one, what lies beside it may not. */
static int copy_file(const char *from, const char *to, bool link) {
    int in = open(from, O_RDONLY | O_CLOEXEC | O_NONBLOCK | (link ? 0 : O_NOFOLLOW));
    if (in < 0) {
        return errno == ENOENT ? XS_OK : XS_ERROR_SYSTEM;
    }
    int status = copy_open_file(in, to);
    close(in);
    return status;
}

/* Only what is the trace's owner's: see side_files.h. */
static bool is_owners(const char *path, const struct stat *trace) {
    struct stat st;
    return lstat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == trace->st_uid;
}

/* One in memory becomes one beside the copy. XS_ERROR_NOT_FOUND: it lies beside the trace, or is not here. */
static int copy_spool_from_memory(const char *path, const char *to) {
    struct xs_spool_found found;
    bool in_memory = xs_spool_find(path, &found) == XS_OK && found.pointer && found.spool.header;
    int status = in_memory ? copy_open_file(found.spool.source, to) : XS_ERROR_NOT_FOUND;
    xs_spool_found_free(&found);
    return status;
}

int xs_copy_trace(const char *path, struct xs_copy *copy) {
    const char *base = getenv("TMPDIR");
    if (!base || base[0] != '/' || strlen(base) > XS_PATH_BYTES - 64) {
        base = "/tmp";
    }
    snprintf(copy->directory, sizeof copy->directory, "%s/xferspy-XXXXXX", base);
    if (!mkdtemp(copy->directory)) {
        return XS_ERROR_SYSTEM;
    }
    char resolved[XS_PATH_BYTES];
    xs_resolve(copy->directory, resolved);
    memcpy(copy->directory, resolved, sizeof copy->directory);
    struct stat trace;
    int status = xs_beside(copy->path, copy->directory, "/trace.db") ? XS_OK : XS_ERROR_INVALID;
    if (!status && stat(path, &trace) != 0) {
        status = XS_ERROR_SYSTEM;
    }
    for (int i = 0; i < COPIED_COUNT && !status; i++) {
        char from[XS_PATH_BYTES], to[XS_PATH_BYTES];
        if (xs_beside(from, path, suffixes[i]) && xs_beside(to, copy->path, suffixes[i]) &&
            (i == 0 || is_owners(from, &trace))) {
            status = strcmp(suffixes[i], ".spool") == 0 ? copy_spool_from_memory(path, to) : XS_ERROR_NOT_FOUND;
            status = status == XS_ERROR_NOT_FOUND ? copy_file(from, to, i == 0) : status;
        }
    }
    if (status) {
        xs_copy_delete(copy);
    }
    return status;
}

void xs_copy_delete(struct xs_copy *copy) {
    for (int i = 0; i < SUFFIX_COUNT; i++) {
        char name[XS_PATH_BYTES];
        if (xs_beside(name, copy->path, suffixes[i])) {
            unlink(name);
        }
    }
    rmdir(copy->directory);
}
