/* Reads source files that a trace names. Anybody may have chosen these names, so a file is read only if it is an
 * ordinary text file on disk. Therefore opening a file cannot block. The caller decides whether the text may be
 * shown. */
#ifndef XFERSPY_SCHEMA_SOURCE_SOURCE_FILE_H
#define XFERSPY_SCHEMA_SOURCE_SOURCE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { XS_SOURCE_FILE_BYTES = 8 << 20, XS_SOURCE_LINE_BYTES = 4096 };

/* Identifies the version of a file that was read. */
struct xs_source_identity {
    int64_t bytes, mtime_ns;
};

struct xs_source_file {
    char *text; /* identity.bytes long, followed by a NUL */
    struct xs_source_identity identity;
};

enum xs_source_status {
    XS_SOURCE_READ,
    XS_SOURCE_GONE,     /* the file does not exist or cannot be opened */
    XS_SOURCE_REFUSED,  /* files of this kind are never read (see xs_source_file_read) */
    XS_SOURCE_CHANGED,  /* the file is newer than the given time, or changed while it was read */
    XS_SOURCE_TOO_LARGE /* more than 8 MiB, or no memory */
};

/* Reads the file with the absolute name `path`, and follows symbolic links. The file must be a regular file; it must
 * belong to this user, or belong to root and be readable by all; it must not be in /proc, /sys or /dev or on another
 * file system of the kernel; it must have at most 8 MiB; and it must not contain a NUL byte. Files that are not regular
 * are not even opened. `not_after_ns`: latest permitted time of the file's last change, as Unix time; INT64_MAX: any
 * time. After XS_SOURCE_READ the caller must free the file. */
enum xs_source_status xs_source_file_read(const char *path, int64_t not_after_ns, struct xs_source_file *file);

void xs_source_file_free(struct xs_source_file *file);

/* Returns line `number`, counted from 1, without its line end; *bytes gets its length, at most XS_SOURCE_LINE_BYTES.
 * NULL: the file has no such line. *at must be the position at which line *at_line begins; the caller sets them to 0
 * and 1 before the first call. Each call changes them to the position and number of the found line. Therefore reading
 * lines in ascending order takes one pass over the text. */
const char *xs_source_file_line(const struct xs_source_file *file, uint32_t number, size_t *at, uint32_t *at_line,
                                size_t *bytes);

#endif
