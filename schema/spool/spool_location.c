/* Makes, finds and deletes spools; see spool_location.h. */
#include "schema/spool/spool_location.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "schema/error.h"
#include "schema/safe_open/private_file.h"

#define TMPFS 0x01021994 /* statfs(2) */

/* All spools of a user together take at most 1/SHARE_OF_USER of a tmpfs, and at most MOST_OF_USER bytes. */
#define SHARE_OF_USER 4u
#define MOST_OF_USER (UINT64_C(4) << 30)
#define MOST_ENTRIES 10000u

static bool folder_name(char *folder, const char *base, uid_t uid) {
    int n = snprintf(folder, XS_SPOOL_FOLDER_BYTES, "%s/xferspy-%lu", base, (unsigned long)uid);
    return n > 0 && n < (int)XS_SPOOL_FOLDER_BYTES;
}

const char *xs_spool_runtime_dir(void) {
    const char *base = getenv("XDG_RUNTIME_DIR");
    return base && base[0] == '/' && strlen(base) < XS_SPOOL_FOLDER_BYTES ? base : "";
}

/* Opens a folder if it belongs to that user, and nobody else can access it; else returns -1. */
static int open_folder(const char *folder, uid_t uid) {
    struct stat st;
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && (fstat(fd, &st) != 0 || st.st_uid != uid || (st.st_mode & 077) != 0)) {
        close(fd);
        errno = EACCES;
        fd = -1;
    }
    return fd;
}

/* True if `base` is a tmpfs with room for `bytes` in which no other user can replace this user's folder. */
static bool base_is_fit(const char *base, size_t bytes) {
    struct statfs fs;
    struct stat st;
    return statfs(base, &fs) == 0 && fs.f_type == TMPFS && stat(base, &st) == 0 &&
           (st.st_uid == 0 || st.st_uid == geteuid()) && ((st.st_mode & S_ISVTX) || !(st.st_mode & 022)) &&
           (uint64_t)fs.f_bavail * (uint64_t)fs.f_bsize / XS_SPOOL_SHARE_OF_MEMORY >= bytes;
}

/* Returns the size of all spools in the folder, also of those whose processes were killed. */
static uint64_t bytes_in(const char *folder) {
    DIR *entries = opendir(folder);
    uint64_t bytes = 0;
    unsigned count = 0;
    /* cppcheck-suppress readdirCalled ; of a stream of this thread's own */
    for (struct dirent *entry; entries && ++count < MOST_ENTRIES && (entry = readdir(entries));) {
        struct stat st;
        if (fstatat(dirfd(entries), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode))
            bytes += (uint64_t)st.st_blocks * 512;
    }
    if (entries)
        closedir(entries);
    return bytes;
}

/* True if the limits for the folder leave room for `bytes`. Killed processes leave their spools in the folder until
 * somebody reads their traces. */
static bool folder_has_room(const char *folder, size_t bytes) {
    struct statfs fs;
    if (statfs(folder, &fs) != 0)
        return false;
    uint64_t bound = (uint64_t)fs.f_blocks * (uint64_t)fs.f_bsize / SHARE_OF_USER;
    return bytes_in(folder) + bytes <= (bound < MOST_OF_USER ? bound : MOST_OF_USER);
}

/* Finds the folder for spools in memory, and makes it if it is missing. */
static bool memory_folder(const char *runtime_dir, size_t bytes, char *folder) {
    const char *const bases[] = {"/dev/shm", runtime_dir};
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++) {
        if (!*bases[i] || !base_is_fit(bases[i], bytes) || !folder_name(folder, bases[i], geteuid()))
            continue;
        if (mkdir(folder, 0700) == 0)
            (void)chmod(folder, 0700); /* because mkdir applies the umask */
        int fd = open_folder(folder, geteuid());
        if (fd >= 0) {
            close(fd);
            if (folder_has_room(folder, bytes))
                return true;
        }
    }
    return false;
}

bool xs_spool_own_folder(const char *runtime_dir, char *folder) { return memory_folder(runtime_dir, 0, folder); }

size_t xs_spool_folders_of(uid_t uid, char folders[XS_SPOOL_FOLDERS][XS_SPOOL_FOLDER_BYTES]) {
    const char *const bases[XS_SPOOL_FOLDERS] = {"/dev/shm", xs_spool_runtime_dir()};
    size_t count = 0;
    for (size_t i = 0; i < XS_SPOOL_FOLDERS; i++) {
        int fd = *bases[i] && folder_name(folders[count], bases[i], uid) ? open_folder(folders[count], uid) : -1;
        if (fd >= 0) {
            close(fd);
            count++;
        }
    }
    return count;
}

void xs_spool_sweep_own(void) {
    char folders[XS_SPOOL_FOLDERS][XS_SPOOL_FOLDER_BYTES];
    size_t count = xs_spool_folders_of(geteuid(), folders);
    for (size_t i = 0; i < count; i++)
        xs_spool_sweep(folders[i]);
}

static bool make_id(char id[XS_SPOOL_ID_BYTES]) {
    unsigned char bytes[(XS_SPOOL_ID_BYTES - 1) / 2];
    if (getrandom(bytes, sizeof bytes, GRND_NONBLOCK) != (ssize_t)sizeof bytes)
        return false;
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(id + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

static bool is_id(const char *id) {
    size_t n = 0;
    while (isxdigit((unsigned char)id[n]))
        n++;
    return n == XS_SPOOL_ID_BYTES - 1 && id[n] == 0;
}

static void memory_name(struct xs_spool_files *files, const char *folder, const char *id) {
    snprintf(files->memory, sizeof files->memory, "%s/%s.spool", folder, id);
}

static int create_in_memory(const char *trace, size_t bound_bytes, size_t limit_bytes, unsigned first_chunks,
                            const char *runtime_dir, struct xs_spool *spool, struct xs_spool_files *files) {
    char folder[XS_SPOOL_FOLDER_BYTES] = "", id[XS_SPOOL_ID_BYTES] = "";
    if (strlen(trace) >= XS_SPOOL_TRACE_BYTES || !memory_folder(runtime_dir, bound_bytes, folder) || !make_id(id))
        return XS_ERROR_NOT_FOUND;
    memory_name(files, folder, id);
    int status = xs_spool_create_in_memory(files->memory, limit_bytes, first_chunks, spool);
    if (status) {
        files->memory[0] = 0;
        return status;
    }
    memcpy(spool->header->id, id, sizeof id);
    memcpy(spool->header->folder, folder, strlen(folder) + 1); /* copies only the text, no bytes after it */
    memcpy(spool->header->trace, trace, strlen(trace) + 1);
    return XS_OK;
}

/* Writes a pointer, which is the spool's present header with another magic number. */
static int write_pointer(int fd, const struct xs_spool *spool) {
    static const uint64_t magic = XS_SPOOL_POINTER_MAGIC;
    const char *rest = (const char *)spool->header + sizeof magic;
    size_t bytes = XS_SPOOL_HEADER_BYTES - sizeof magic;
    errno = 0;
    if (pwrite(fd, rest, bytes, sizeof magic) == (ssize_t)bytes &&
        pwrite(fd, &magic, sizeof magic, 0) == (ssize_t)sizeof magic)
        return XS_OK;
    return errno == 0 || errno == ENOSPC || errno == EDQUOT || errno == EFBIG ? XS_ERROR_FULL : XS_ERROR_SYSTEM;
}

static void know_file(struct xs_spool_files *files, int fd) {
    struct stat st;
    if (fstat(fd, &st) == 0) {
        files->device = st.st_dev;
        files->inode = st.st_ino;
    }
}

int xs_spool_create_for_trace(const char *trace, size_t bound_bytes, size_t limit_bytes, unsigned first_chunks,
                              const char *runtime_dir, struct xs_spool *spool, struct xs_spool_files *files) {
    *spool = (struct xs_spool){.fd = -1, .source = -1};
    *files = (struct xs_spool_files){0};
    if (!xs_beside(files->beside, trace, ".spool")) {
        errno = ENAMETOOLONG;
        return XS_ERROR_SYSTEM;
    }
    int status = XS_ERROR_NOT_FOUND;
    if (runtime_dir) {
        int fd = xs_create_private(files->beside);
        if (fd < 0)
            return errno == ENOSPC || errno == EDQUOT ? XS_ERROR_FULL : XS_ERROR_SYSTEM;
        know_file(files, fd);
        status = create_in_memory(trace, bound_bytes, limit_bytes, first_chunks, runtime_dir, spool, files);
        int written = status ? status : write_pointer(fd, spool);
        int saved = errno;
        close(fd);
        if (written) {
            xs_spool_unmap(spool);
            xs_spool_delete(files);
            errno = saved;
        }
        if (!status && written)
            return written;
    }
    if (status) {
        files->memory[0] = 0;
        files->inode = 0;
        status = xs_spool_create(files->beside, limit_bytes, first_chunks, spool);
        if (!status)
            know_file(files, spool->fd);
    }
    if (!status && bound_bytes > XS_SPOOL_CHUNK_BYTES) {
        uint64_t bound = bound_bytes / XS_SPOOL_CHUNK_BYTES;
        spool->header->chunk_bound = bound < spool->header->chunk_limit ? (uint32_t)bound : spool->header->chunk_limit;
    }
    return status;
}

void xs_spool_start(struct xs_spool *spool, const char *trace) {
    struct stat st;
    if (stat(trace, &st) == 0) {
        spool->header->trace_device = (uint64_t)st.st_dev;
        spool->header->trace_inode = (uint64_t)st.st_ino;
    }
    atomic_store_explicit(&spool->header->started, 1, memory_order_release);
}

/* True if the file beside the trace is still the file of this spool. If somebody renamed the trace and all files beside
 * it, another trace may have been made with the old name. */
static bool is_still_beside(const struct xs_spool_files *files) {
    struct stat st;
    return files->inode == 0 ||
           (lstat(files->beside, &st) == 0 && st.st_dev == files->device && st.st_ino == files->inode);
}

void xs_spool_finish(struct xs_spool *spool, const struct xs_spool_files *files) {
    atomic_store(&spool->header->closed, 1);
    if (files->memory[0] && unlink(files->memory) != 0 && errno != ENOENT)
        xs_spool_give_back(spool);
    xs_spool_delete(files);
}

void xs_spool_delete(const struct xs_spool_files *files) {
    if (files->memory[0])
        unlink(files->memory);
    if (is_still_beside(files))
        unlink(files->beside);
}

/* True if the folder in a pointer is one of those for the spools of the pointer's owner. Otherwise a stranger could
 * make a pointer to any other folder. */
static bool folder_is_known(const char *folder, uid_t owner) {
    char known[XS_SPOOL_FOLDER_BYTES], run[64];
    snprintf(run, sizeof run, "/run/user/%lu", (unsigned long)owner);
    const char *const bases[] = {"/dev/shm", run, xs_spool_runtime_dir()};
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++)
        if (*bases[i] && folder_name(known, bases[i], owner) && strcmp(folder, known) == 0)
            return true;
    return false;
}

static enum xs_spool_absence absence_of_errno(void) { return errno == ENOENT ? XS_SPOOL_GONE : XS_SPOOL_NO_ACCESS; }

/* Follows a pointer that `owner` wrote; the spool's header must agree with it. Nothing is opened if it is missing,
 * does not belong to `owner`, or the pointer must not be followed. */
static int follow(struct xs_spool_found *found, uid_t owner, bool may_follow) {
    const struct xs_spool_header *pointer = found->pointer;
    struct stat st;
    if (!is_id(pointer->id))
        return XS_ERROR_CORRUPT;
    memory_name(&found->files, pointer->folder, pointer->id);
    found->owner = owner;
    if (!may_follow)
        return XS_OK;
    if (!folder_is_known(pointer->folder, owner)) {
        found->absence = XS_SPOOL_UNKNOWN_FOLDER;
        return XS_OK;
    }
    int folder = open_folder(pointer->folder, owner);
    if (folder < 0) {
        found->absence = absence_of_errno();
        return XS_OK;
    }
    int fd = openat(folder, strrchr(found->files.memory, '/') + 1, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    found->absence = fd < 0 ? absence_of_errno() : XS_SPOOL_NOT_FOLLOWED;
    close(folder);
    if (fd < 0)
        return XS_OK;
    if (fstat(fd, &st) != 0 || st.st_uid != owner || st.st_nlink != 1) {
        close(fd);
        return XS_OK;
    }
    int status = xs_spool_open_fd(fd, &found->spool);
    if (!status && strcmp(found->spool.header->id, pointer->id) != 0) {
        xs_spool_unmap(&found->spool);
        status = XS_ERROR_CORRUPT;
    }
    return status;
}

static int find(const char *trace, bool may_follow, struct xs_spool_found *found) {
    *found = (struct xs_spool_found){.spool = {.fd = -1, .source = -1}};
    uint64_t magic = 0;
    struct stat st;
    if (!xs_beside(found->files.beside, trace, ".spool"))
        return XS_ERROR_INVALID;
    int fd = open(found->files.beside, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    if (fd < 0)
        return errno == ENOENT ? XS_ERROR_NOT_FOUND : XS_ERROR_SYSTEM;
    know_file(&found->files, fd);
    if (pread(fd, &magic, sizeof magic, 0) != (ssize_t)sizeof magic || magic != XS_SPOOL_POINTER_MAGIC)
        return xs_spool_open_fd(fd, &found->spool);
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        close(fd);
        return XS_ERROR_SYSTEM;
    }
    int status = XS_OK;
    found->pointer = malloc(XS_SPOOL_HEADER_BYTES);
    if (!found->pointer)
        status = XS_ERROR_MEMORY;
    else if (pread(fd, found->pointer, XS_SPOOL_HEADER_BYTES, 0) != (ssize_t)XS_SPOOL_HEADER_BYTES ||
             !xs_spool_header_is_sound(found->pointer, XS_SPOOL_POINTER_MAGIC, st.st_size))
        status = XS_ERROR_CORRUPT;
    close(fd);
    return status ? status : follow(found, st.st_uid, may_follow);
}

int xs_spool_find(const char *trace, struct xs_spool_found *found) { return find(trace, true, found); }

int xs_spool_find_beside(const char *trace, struct xs_spool_found *found) { return find(trace, false, found); }

void xs_spool_found_free(struct xs_spool_found *found) {
    xs_spool_unmap(&found->spool);
    free(found->pointer);
    found->pointer = NULL;
}
