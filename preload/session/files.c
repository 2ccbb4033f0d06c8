/* Makes the files of a session, and closes them. */
#define _GNU_SOURCE
#include "preload/session/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "schema/error.h"

#define FIRST_CHUNKS 16u /* 1 MiB */
#define BALLAST_BYTES (256 * 1024)
#define ROOM_FOR_THREADS                                                                                               \
    ((size_t)32768 * XS_SPOOL_CHUNK_BYTES) /* address space for as many chunks as thread slots (core/quiescence.c) */
#define NAMES 10000u

/* Turns "x.db" into "x.2.db", because a trace is never overwritten. */
static void numbered_path(char *out, size_t bytes, const struct xs_trace_name *wish, unsigned n) {
    const char *path = wish->path;
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    if (wish->number_at != XS_NO_NUMBER)
        snprintf(out, bytes, "%.*s%u%s", (int)wish->number_at, path, n, path + wish->number_at);
    else if (n < 2)
        snprintf(out, bytes, "%s", path);
    else if (dot && (!slash || dot > slash + 1))
        snprintf(out, bytes, "%.*s.%u%s", (int)(dot - path), path, n, dot);
    else
        snprintf(out, bytes, "%s.%u", path, n);
}

/* Makes the folders of the path. Failures are not reported here, because creating the trace then fails for the same
 * reason and reports it. */
static void make_folders(const struct xs_trace_name *wish) {
    char folder[sizeof wish->path];
    snprintf(folder, sizeof folder, "%s", wish->path);
    for (char *slash = strchr(folder + wish->literal_bytes, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(folder, 0700);
        *slash = '/';
    }
}

struct folder {
    char path[sizeof((struct xs_files *)0)->path];
};

static struct folder folder_of(const struct xs_files *files) {
    struct folder folder;
    snprintf(folder.path, sizeof folder.path, "%s", files->path);
    char *slash = strrchr(folder.path, '/');
    if (slash && slash != folder.path)
        *slash = '\0';
    else
        snprintf(folder.path, sizeof folder.path, "/");
    return folder;
}

/* Reserves disk space for the final records, in case the disk becomes full: an unnamed file, which is deleted before
 * these records are written. */
static void keep_ballast(struct xs_files *files) {
    const struct folder folder = folder_of(files);
    files->ballast = open(folder.path, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (files->ballast >= 0)
        (void)posix_fallocate(files->ballast, 0, BALLAST_BYTES);
}

/* True if the path is a device, a FIFO, a socket or a folder, or a link to one. Then the user does not expect a file
 * with a similar name instead. */
static bool is_no_file(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

/* Creates both files under one name. XS_ERROR_SYSTEM with EEXIST: the name is taken. */
static int create_named(struct xs_files *files, const char *path, const struct xs_options *options,
                        const struct xs_clock *clock, struct xs_spool *spool, struct xs_store **store) {
    struct stat st;
    if (lstat(path, &st) == 0) { /* includes a dangling link, which is never followed */
        errno = EEXIST;
        return XS_ERROR_SYSTEM;
    }
    size_t bound = (size_t)options->spool_mib << 20;
    const char *runtime_dir = strcmp(options->spool, "disk") != 0 ? files->runtime_dir : NULL;
    int status = xs_spool_create_for_trace(path, bound, bound + ROOM_FOR_THREADS, FIRST_CHUNKS, runtime_dir, spool,
                                           &files->spool);
    if (status)
        return status;
    spool->header->clock = *clock;
    xs_clock_measure(&spool->header->clock);
    status = xs_store_create(path, store);
    if (status) {
        int saved = errno;
        xs_spool_unmap(spool);
        xs_spool_delete(&files->spool);
        errno = saved;
    }
    return status;
}

int xs_files_create(struct xs_files *files, const struct xs_trace_name *wish, const struct xs_options *options,
                    const struct xs_clock *clock, struct xs_spool *spool, struct xs_store **store, char *why,
                    size_t bytes) {
    char path[sizeof files->path + 16];
    files->trace = files->ballast = -1;
    *spool = (struct xs_spool){.fd = -1, .source = -1};
    if (wish->number_at == XS_NO_NUMBER && is_no_file(wish->path)) {
        snprintf(why, bytes, "%.150s is no regular file; set XFERSPY_OUTPUT to another name", wish->path);
        return XS_ERROR_INVALID;
    }
    make_folders(wish);
    for (unsigned n = 1; n <= NAMES; n++) {
        numbered_path(path, sizeof path, wish, n);
        int status = create_named(files, path, options, clock, spool, store);
        if (status == XS_ERROR_SYSTEM && errno == EEXIST)
            continue;
        if (status) {
            snprintf(why, bytes, "cannot write %.150s: %s; set XFERSPY_OUTPUT", path,
                     status == XS_ERROR_SYSTEM ? strerror(errno) : xs_error_text(status));
            return status;
        }
        snprintf(files->path, sizeof files->path, "%.*s", (int)sizeof files->path - 1, path);
        files->trace = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
        keep_ballast(files);
        return XS_OK;
    }
    snprintf(why, bytes, "every name from %.100s on is taken", wish->path);
    return XS_ERROR_SYSTEM;
}

void xs_files_write(const struct xs_files *files, struct xs_store *store, const struct xs_spool *spool) {
    if (files->spool.memory[0]) {
        xs_store_meta_text(store, "spool.id", spool->header->id);
        xs_store_meta_text(store, "spool.path", files->spool.memory);
    }
}

void xs_files_give_ballast_back(struct xs_files *files) {
    if (files->ballast >= 0) {
        close(files->ballast);
        files->ballast = -1;
    }
}

bool xs_files_are_deleted(const struct xs_files *files) {
    struct stat st;
    return files->trace >= 0 && fstat(files->trace, &st) == 0 && st.st_nlink == 0;
}

bool xs_files_folder_is_gone(const struct xs_files *files) {
    const struct folder folder = folder_of(files);
    return access(folder.path, F_OK) != 0 && errno == ENOENT;
}

bool xs_files_have_limit(void) {
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

/* Reads the present name of the open file from /proc. An unchanged name is not written again, because the thread that
 * answers commands may read it. */
static void learn_name(struct xs_files *files) {
    char link[48], name[sizeof files->path];
    struct stat known, named;
    snprintf(link, sizeof link, "/proc/thread-self/fd/%d", files->trace);
    ssize_t n = readlink(link, name, sizeof name - 1);
    name[n > 0 ? n : 0] = '\0';
    if (n > 0 && fstat(files->trace, &known) == 0 && lstat(name, &named) == 0 && named.st_ino == known.st_ino &&
        named.st_dev == known.st_dev && strcmp(name, files->path) != 0)
        snprintf(files->path, sizeof files->path, "%s", name);
}

int xs_files_close(struct xs_files *files, struct xs_store *store) {
    int status = xs_store_close(store);
    if (xs_files_are_deleted(files))
        status = XS_ERROR_NOT_FOUND;
    else if (files->trace >= 0)
        learn_name(files);
    if (files->trace >= 0) {
        close(files->trace);
        files->trace = -1;
    }
    return status;
}

void xs_files_discard(struct xs_files *files) {
    xs_files_give_ballast_back(files);
    if (files->trace >= 0) {
        close(files->trace);
        files->trace = -1;
    }
    unlink(files->path);
    xs_spool_delete(&files->spool);
}
