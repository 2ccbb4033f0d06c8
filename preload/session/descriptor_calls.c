/* Replaces the C library's functions for file descriptors by direct system calls. The linker substitutes them
 * in all of the library, including SQLite; preload/CMakeLists.txt lists their names.
 *
 * A program's ThreadSanitizer keeps one table of descriptors by number for the whole process. It fills the table
 * because it replaces the C library's functions, also for this library. But the drain thread has its own descriptors,
 * and closes the inherited ones by a system call, so there the same number means another file. An open in that thread
 * would be reported as a race with the program's use of the same number. A close would make the detector forget how the
 * program's threads are synchronized by the pipe or socket with that number.
 *
 * The C library does not know the descriptors of the streams that this file opens, so its fclose tells the detector
 * nothing. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ENTRIES_BYTES 8192

int __wrap_open(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...);
int __wrap_openat(int folder, const char *path, int flags, ...);
int __wrap_close(int fd);
ssize_t __wrap_read(int fd, void *to, size_t bytes);
ssize_t __wrap_write(int fd, const void *from, size_t bytes);
ssize_t __wrap_pread(int fd, void *to, size_t bytes, off_t at);
ssize_t __wrap_pread64(int fd, void *to, size_t bytes, off_t at);
ssize_t __wrap_pwrite(int fd, const void *from, size_t bytes, off_t at);
ssize_t __wrap_pwrite64(int fd, const void *from, size_t bytes, off_t at);
int __wrap_fstat(int fd, struct stat *st);
int __wrap_fstat64(int fd, struct stat *st);
FILE *__wrap_fopen(const char *path, const char *mode);
FILE *__wrap_fdopen(int fd, const char *mode);
DIR *__wrap_opendir(const char *path);
struct dirent *__wrap_readdir(DIR *folder);
int __wrap_dirfd(DIR *folder);
int __wrap_closedir(DIR *folder);

_Static_assert(sizeof(off_t) == sizeof(long), "an offset is one argument of a system call");

/* The kernel ignores the mode if it is not needed. */
int __wrap_openat(int folder, const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    unsigned mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, unsigned) : 0;
    va_end(rest);
    return (int)syscall(SYS_openat, folder, path, flags, mode);
}

int __wrap_open(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    unsigned mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, unsigned) : 0;
    va_end(rest);
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}
int __wrap_open64(const char *path, int flags, ...) __attribute__((alias("__wrap_open")));

int __wrap_close(int fd) { return (int)syscall(SYS_close, fd); }

ssize_t __wrap_read(int fd, void *to, size_t bytes) { return syscall(SYS_read, fd, to, bytes); }
ssize_t __wrap_write(int fd, const void *from, size_t bytes) { return syscall(SYS_write, fd, from, bytes); }

ssize_t __wrap_pread(int fd, void *to, size_t bytes, off_t at) { return syscall(SYS_pread64, fd, to, bytes, at); }
ssize_t __wrap_pread64(int fd, void *to, size_t bytes, off_t at) __attribute__((alias("__wrap_pread")));

ssize_t __wrap_pwrite(int fd, const void *from, size_t bytes, off_t at) {
    return syscall(SYS_pwrite64, fd, from, bytes, at);
}
ssize_t __wrap_pwrite64(int fd, const void *from, size_t bytes, off_t at) __attribute__((alias("__wrap_pwrite")));

int __wrap_fstat(int fd, struct stat *st) { return (int)syscall(SYS_fstat, fd, st); }
int __wrap_fstat64(int fd, struct stat *st) __attribute__((alias("__wrap_fstat")));

/* ---- streams --------------------------------------------------------------------------------------------------------
 */

static int descriptor_of(void *cookie) { return (int)(intptr_t)cookie; }
static ssize_t read_stream(void *cookie, char *to, size_t bytes) {
    return __wrap_read(descriptor_of(cookie), to, bytes);
}

/* Writes all bytes, because the C library treats a short write as an error; see fopencookie(3). */
static ssize_t write_stream(void *cookie, const char *from, size_t bytes) {
    size_t done = 0;
    while (done < bytes) {
        ssize_t written = __wrap_write(descriptor_of(cookie), from + done, bytes - done);
        if (written == 0 || (written < 0 && errno != EINTR))
            break;
        done += written > 0 ? (size_t)written : 0;
    }
    return (ssize_t)done;
}
static int close_stream(void *cookie) { return __wrap_close(descriptor_of(cookie)); }

FILE *__wrap_fdopen(int fd, const char *mode) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): no pointer, it is the number
    return fopencookie((void *)(intptr_t)fd, mode,
                       (cookie_io_functions_t){.read = read_stream, .write = write_stream, .close = close_stream});
}

/* Opens a stream. The mode is "r" (reads the file) or "w" (writes the file from its start), and may also contain "e"
 * and "x". */
FILE *__wrap_fopen(const char *path, const char *mode) {
    int flags = (*mode == 'w' ? O_WRONLY | O_CREAT | O_TRUNC : O_RDONLY) | (strchr(mode, 'x') ? O_EXCL : 0) |
                (strchr(mode, 'e') ? O_CLOEXEC : 0);
    int fd = __wrap_open(path, flags, 0666);
    FILE *stream = fd >= 0 ? __wrap_fdopen(fd, *mode == 'w' ? "w" : "r") : NULL;
    if (fd >= 0 && !stream)
        __wrap_close(fd);
    return stream;
}

/* ---- folders --------------------------------------------------------------------------------------------------------
 */

/* A DIR is opaque: only these functions look inside. */
struct folder {
    int fd;
    long at, end;
    _Alignas(struct dirent) char entries[ENTRIES_BYTES]; /* in the kernel's form, which is also the C library's */
};

DIR *__wrap_opendir(const char *path) {
    int fd = __wrap_open(path, O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC);
    struct folder *folder = fd >= 0 ? malloc(sizeof *folder) : NULL;
    if (folder) {
        folder->fd = fd;
        folder->at = folder->end = 0;
    } else if (fd >= 0) {
        __wrap_close(fd);
    }
    return (DIR *)folder;
}

struct dirent *__wrap_readdir(DIR *of) {
    struct folder *folder = (struct folder *)of;
    if (folder->at >= folder->end) {
        folder->at = 0;
        folder->end = syscall(SYS_getdents64, folder->fd, folder->entries, sizeof folder->entries);
        if (folder->end <= 0)
            return NULL;
    }
    struct dirent *entry = (struct dirent *)(void *)(folder->entries + folder->at);
    folder->at += entry->d_reclen;
    return entry;
}

int __wrap_dirfd(DIR *folder) { return ((struct folder *)folder)->fd; }

int __wrap_closedir(DIR *folder) {
    int status = __wrap_close(__wrap_dirfd(folder));
    free(folder);
    return status;
}
