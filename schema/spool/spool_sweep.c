/* Deletes what killed processes left: spools in memory without a trace, and files of processes that were killed during
 * their start. Only commands do this, not the library, because the path of another process's trace may be on a disk
 * that does not answer. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "schema/error.h"
#include "schema/spool/spool_location.h"

enum {
    AGE_OF_LOOK_S = 3600,          /* a spool is examined again after this time */
    AGE_OF_MARK_S = 3 * 24 * 3600, /* time in which a user must read a moved trace under its new path */
    AGE_OF_EMPTY_S = 60,           /* a process that is starting may have made a file, but not written it yet */
    MARK = S_IRUSR,
    NO_MARK = S_IRUSR | S_IWUSR,
    MOST_ENTRIES = 10000
};

static bool is_older(const struct stat *st, time_t seconds) { return time(NULL) - st->st_mtime > seconds; }

/* True if a file with this inode is in the folder, under any name. Also true if the folder cannot be read, or is too
 * large to search. */
static bool folder_has(const char *folder, uint64_t inode) {
    DIR *entries = opendir(folder);
    bool found = !entries && errno != ENOENT && errno != ENOTDIR;
    unsigned count = 0;
    /* cppcheck-suppress readdirCalled ; of a stream of this thread's own */
    for (struct dirent *entry; entries && !found && (entry = readdir(entries));)
        found = (uint64_t)entry->d_ino == inode || ++count > MOST_ENTRIES;
    if (entries)
        closedir(entries);
    return found;
}

/* True if the trace is no longer in its folder: its name does not exist or belongs to another file, no file in its
 * folder has its inode, and the nearest folder on its path that exists is on the trace's file system. (Otherwise that
 * file system may only be not mounted now.) The trace may still be in another folder, with the pointer to the spool
 * beside it. */
static bool trace_is_gone(const struct xs_spool_header *header) {
    char path[XS_SPOOL_TRACE_BYTES];
    struct stat st;
    snprintf(path, sizeof path, "%s", header->trace);
    if (path[0] != '/')
        return false;
    if (lstat(path, &st) == 0 ? st.st_ino == header->trace_inode : errno != ENOENT && errno != ENOTDIR)
        return false;
    bool nearest = true;
    for (char *slash; (slash = strrchr(path, '/')); nearest = false) {
        slash[slash == path] = 0;
        if (stat(path, &st) == 0)
            return (uint64_t)st.st_dev == header->trace_device && !(nearest && folder_has(path, header->trace_inode));
        if (slash == path || (errno != ENOENT && errno != ENOTDIR))
            return false;
    }
    return false;
}

static bool has_no_event(const struct xs_spool_header *header) {
    return !atomic_load(&header->started) && atomic_load(&header->next_sequence) == 0;
}

/* What to do with a spool: nothing; note that its trace exists; note that its trace is missing; delete it. */
enum fate { KEEP, LOOKED, GONE, DELETE };

/* Decides about a spool of this version. The cheapest checks come first; the last ones examine another process and
 * access the trace's disk. */
static enum fate fate_of(const struct xs_spool_header *header, const char *path, const struct stat *st) {
    bool serves_nobody = atomic_load(&header->closed) || has_no_event(header);
    bool is_marked = (st->st_mode & 07777) == MARK;
    if (!serves_nobody && !is_older(st, is_marked ? AGE_OF_MARK_S : AGE_OF_LOOK_S))
        return KEEP;
    if (!xs_spool_same_boot(header) || !xs_spool_same_mounts(header) || xs_spool_writer(header, path) != XS_WRITER_GONE)
        return KEEP;
    return serves_nobody ? DELETE : !trace_is_gone(header) ? LOOKED : is_marked ? DELETE : GONE;
}

/* Notes the examination in the file: its time is set to now, and its mode tells whether its trace was missing. The time
 * must be set first, because a spool with the mark and an old time would be deleted at the next examination. */
static void note_look(int fd, bool is_gone) {
    if (futimens(fd, NULL) == 0)
        (void)fchmod(fd, is_gone ? MARK : NO_MARK);
}

/* Examines one spool. A spool of another version of xferspy is kept: its layout is different, so it cannot be found out
 * whether its process runs. */
static void sweep_one(const char *folder, const char *name) {
    char path[XS_SPOOL_FOLDER_BYTES + 300];
    union {
        struct xs_spool_header header;
        char bytes[XS_SPOOL_HEADER_BYTES];
    } read;
    struct stat st;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    if (fd < 0)
        return;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid()) {
        ssize_t n = pread(fd, &read, sizeof read, 0);
        enum fate fate = KEEP;
        if (n >= 0 && ((size_t)n < sizeof(uint64_t) || atomic_load(&read.header.magic) == 0)) {
            /* The process was killed, or is stopped, before it wrote the header. */
            bool is_marked = (st.st_mode & 07777) == MARK;
            bool is_time = is_older(&st, is_marked ? AGE_OF_MARK_S : AGE_OF_LOOK_S);
            fate = !is_time ? KEEP : is_marked ? DELETE : GONE;
        } else if (n == (ssize_t)sizeof read && xs_spool_header_is_sound(&read.header, XS_SPOOL_MAGIC, st.st_size)) {
            fate = fate_of(&read.header, path, &st);
        }
        if (fate == DELETE)
            unlink(path);
        else if (fate != KEEP)
            note_look(fd, fate == GONE);
    }
    close(fd);
}

void xs_spool_sweep(const char *folder) {
    DIR *entries = opendir(folder);
    unsigned count = 0;
    /* cppcheck-suppress readdirCalled ; of a stream of this thread's own */
    for (struct dirent *entry; entries && ++count < MOST_ENTRIES && (entry = readdir(entries));) {
        size_t n = strlen(entry->d_name);
        if (n == XS_SPOOL_ID_BYTES - 1 + strlen(".spool") && strcmp(entry->d_name + n - 6, ".spool") == 0)
            sweep_one(folder, entry->d_name);
    }
    if (entries)
        closedir(entries);
}

/* True if there is no trace, or a trace of this user that the library had only begun to write. */
static bool trace_is_unstarted(const char *trace, const struct xs_spool_header *header, bool *is_there) {
    unsigned char first[100] = {0};
    struct stat st;
    *is_there = lstat(trace, &st) == 0;
    if (!*is_there)
        return errno == ENOENT;
    if (!S_ISREG(st.st_mode) || st.st_uid != geteuid())
        return false;
    if (st.st_size == 0)
        return true;
    int fd = open(trace, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    ssize_t n = fd >= 0 ? pread(fd, first, sizeof first, 0) : -1;
    if (fd >= 0)
        close(fd);
    return header && n == (ssize_t)sizeof first && memcmp(first, "SQLite format 3", 16) == 0 &&
           memcmp(first + 68, "xfsp", 4) == 0; /* XS_APPLICATION_ID */
}

/* Returns what xs_spool_is_unstarted returns. `status` is the result of xs_spool_find. *is_there: the trace exists. */
static bool is_unstarted(const char *trace, int status, const struct xs_spool_found *found, bool *is_there) {
    const struct xs_spool_header *header = xs_spool_found_header(found);
    struct stat st;
    if (lstat(found->files.beside, &st) != 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid())
        return false;
    if (status == XS_OK && header) {
        bool started = !found->spool.header || !has_no_event(header);
        return xs_spool_same_boot(header) && xs_spool_writer(header, found->files.beside) == XS_WRITER_GONE &&
               trace_is_unstarted(trace, started ? NULL : header, is_there) && (!started || !found->spool.header);
    }
    return status == XS_ERROR_CORRUPT && st.st_size == 0 && is_older(&st, AGE_OF_EMPTY_S) &&
           trace_is_unstarted(trace, NULL, is_there);
}

bool xs_spool_is_unstarted(const char *trace) {
    struct xs_spool_found found;
    bool is_there = false;
    int status = xs_spool_find(trace, &found);
    bool unstarted = is_unstarted(trace, status, &found, &is_there);
    xs_spool_found_free(&found);
    return unstarted;
}

bool xs_spool_clear_unstarted(const char *trace) {
    static const char *const suffixes[] = {"-journal", "-wal", "-shm", ""};
    struct xs_spool_found found;
    bool is_there = false;
    int status = xs_spool_find(trace, &found);
    bool clear = is_unstarted(trace, status, &found, &is_there);
    for (size_t i = 0; clear && is_there && i < sizeof suffixes / sizeof *suffixes; i++) {
        char name[XS_PATH_BYTES];
        if (xs_beside(name, trace, suffixes[i]))
            unlink(name);
    }
    if (clear) {
        if (!found.spool.header)
            found.files.memory[0] = 0; /* anybody may have written this name, and its file was not checked */
        xs_spool_delete(&found.files);
    }
    xs_spool_found_free(&found);
    return clear;
}
