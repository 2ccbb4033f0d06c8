/* Reads source files; see source_file.h. */
#include "schema/source/source_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { FLAGS = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW };

static bool is_below(const char *path, const char *folder) {
    size_t length = strlen(folder);
    return !strncmp(path, folder, length) && (path[length] == '/' || !path[length]);
}

static bool is_of_the_system(const char *path) {
    return is_below(path, "/proc") || is_below(path, "/sys") || is_below(path, "/dev");
}

/* True if the file is on one of the kernel's file systems, wherever it is mounted. They contain no files that a person
 * has written. */
static bool is_of_the_kernel(int fd) {
    static const unsigned long kinds[] = {PROC_SUPER_MAGIC,   SYSFS_MAGIC,         DEBUGFS_MAGIC,  TRACEFS_MAGIC,
                                          SECURITYFS_MAGIC,   DEVPTS_SUPER_MAGIC,  SELINUX_MAGIC,  BPF_FS_MAGIC,
                                          CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC, EFIVARFS_MAGIC, PSTOREFS_MAGIC,
                                          NSFS_MAGIC,         BINFMTFS_MAGIC,      HUGETLBFS_MAGIC};
    struct statfs fs;
    if (fstatfs(fd, &fs) != 0)
        return true;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if ((unsigned long)fs.f_type == kinds[i])
            return true;
    return false;
}

/* True if the opened file is in a folder of the system. This checks the name of the opened file, because a link may
 * have been put into its path meanwhile. */
static bool has_a_name_of_the_system(int fd) {
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/thread-self/fd/%d", fd);
    ssize_t n = readlink(link, path, sizeof path - 1);
    path[n > 0 ? n : 0] = 0;
    return is_of_the_system(path);
}

static int64_t mtime_of(const struct stat *st) {
    return (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
}

static enum xs_source_status judge(int fd, const struct stat *st, int64_t not_after_ns) {
    bool ours = st->st_uid == geteuid(), public = st->st_uid == 0 && (st->st_mode & S_IROTH);
    if (!S_ISREG(st->st_mode) || (!ours && !public) || is_of_the_kernel(fd) || has_a_name_of_the_system(fd))
        return XS_SOURCE_REFUSED;
    if (st->st_size > XS_SOURCE_FILE_BYTES)
        return XS_SOURCE_TOO_LARGE;
    return mtime_of(st) > not_after_ns ? XS_SOURCE_CHANGED : XS_SOURCE_READ;
}

static bool read_all(int fd, char *text, size_t bytes) {
    size_t at = 0;
    while (at < bytes) {
        ssize_t n = read(fd, text + at, bytes - at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        at += (size_t)n;
    }
    return true;
}

static enum xs_source_status read_open(int fd, int64_t not_after_ns, struct xs_source_file *file) {
    struct stat st, after;
    enum xs_source_status status = fstat(fd, &st) == 0 ? judge(fd, &st, not_after_ns) : XS_SOURCE_GONE;
    if (status != XS_SOURCE_READ)
        return status;
    size_t bytes = (size_t)st.st_size;
    char *text = malloc(bytes + 1);
    if (!text)
        return XS_SOURCE_TOO_LARGE;
    if (!read_all(fd, text, bytes) || fstat(fd, &after) != 0 || mtime_of(&after) != mtime_of(&st) ||
        after.st_size != st.st_size)
        status = XS_SOURCE_CHANGED;
    else if (memchr(text, 0, bytes))
        status = XS_SOURCE_REFUSED;
    if (status != XS_SOURCE_READ) {
        free(text);
        return status;
    }
    text[bytes] = 0;
    *file = (struct xs_source_file){text, {st.st_size, mtime_of(&st)}};
    return XS_SOURCE_READ;
}

/* Examines the file before opening it, because opening has an effect on some devices. */
static enum xs_source_status read_resolved(const char *path, int64_t not_after_ns, struct xs_source_file *file) {
    struct stat st;
    if (is_of_the_system(path))
        return XS_SOURCE_REFUSED;
    if (lstat(path, &st) != 0)
        return XS_SOURCE_GONE;
    if (!S_ISREG(st.st_mode))
        return XS_SOURCE_REFUSED;
    int fd = open(path, FLAGS);
    if (fd < 0)
        return XS_SOURCE_GONE;
    enum xs_source_status status = read_open(fd, not_after_ns, file);
    close(fd);
    return status;
}

enum xs_source_status xs_source_file_read(const char *path, int64_t not_after_ns, struct xs_source_file *file) {
    *file = (struct xs_source_file){0};
    if (*path != '/' || is_of_the_system(path)) /* links in /proc may lead anywhere, so they are not followed */
        return *path == '/' ? XS_SOURCE_REFUSED : XS_SOURCE_GONE;
    char *resolved = realpath(path, NULL);
    enum xs_source_status status = resolved ? read_resolved(resolved, not_after_ns, file) : XS_SOURCE_GONE;
    free(resolved);
    return status;
}

void xs_source_file_free(struct xs_source_file *file) {
    free(file->text);
    *file = (struct xs_source_file){0};
}

const char *xs_source_file_line(const struct xs_source_file *file, uint32_t number, size_t *at, uint32_t *at_line,
                                size_t *bytes) {
    size_t all = (size_t)file->identity.bytes;
    if (number < *at_line) {
        *at = 0;
        *at_line = 1;
    }
    while (*at_line < number) {
        const char *end = *at < all ? memchr(file->text + *at, '\n', all - *at) : NULL;
        if (!end)
            return NULL;
        *at = (size_t)(end - file->text) + 1;
        (*at_line)++;
    }
    if (*at >= all)
        return NULL;
    const char *end = memchr(file->text + *at, '\n', all - *at);
    size_t length = end ? (size_t)(end - file->text) - *at : all - *at;
    *bytes = length < XS_SOURCE_LINE_BYTES ? length : XS_SOURCE_LINE_BYTES;
    return file->text + *at;
}
