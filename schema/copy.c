/* A temporary copy of a trace with all that lies beside it. */
#include "schema/copy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "schema/error.h"

static const char *const suffixes[] = {"", "-wal", "-journal", ".spool", "-shm"};
enum { SUFFIX_COUNT = sizeof suffixes / sizeof *suffixes, COPIED_COUNT = 4 }; /* SQLite makes its own -shm */

static int copy_file(const char *from, const char *to) {
    int in = open(from, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (in < 0) {
        return errno == ENOENT ? XS_OK : XS_ERROR_SYSTEM;
    }
    int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    ssize_t n = out < 0 ? -1 : 1;
    while (n > 0) {
        n = sendfile(out, in, NULL, 1 << 24);
    }
    int saved = errno;
    close(in);
    if (out >= 0 && close(out) != 0 && n == 0) {
        n = -1;
        saved = errno;
    }
    if (n == 0) {
        return XS_OK;
    }
    return saved == ENOSPC || saved == EDQUOT ? XS_ERROR_FULL : XS_ERROR_SYSTEM;
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
    int status = xs_beside(copy->path, copy->directory, "/trace.db") ? XS_OK : XS_ERROR_INVALID;
    for (int i = 0; i < COPIED_COUNT && !status; i++) {
        char from[XS_PATH_BYTES], to[XS_PATH_BYTES];
        if (xs_beside(from, path, suffixes[i]) && xs_beside(to, copy->path, suffixes[i])) {
            status = copy_file(from, to);
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
