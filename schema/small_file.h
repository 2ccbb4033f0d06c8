/* Reads small files, such as those of /proc and /sys. */
#ifndef XFERSPY_SCHEMA_SMALL_FILE_H
#define XFERSPY_SCHEMA_SMALL_FILE_H

#include <fcntl.h>
#include <stddef.h>
#include <unistd.h>

/* Reads the beginning of a file into `text`, which has `bytes` bytes, and adds a NUL. Returns the length of the text
 * without the NUL; 0: the file is empty or cannot be read. */
static inline size_t xs_read_small_file(const char *path, char *text, size_t bytes) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, bytes - 1) : -1;
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    return n > 0 ? (size_t)n : 0;
}

#endif
