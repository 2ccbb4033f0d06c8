/* Reading a source file that a trace names. The name can come from anybody, so a file is read only where it is plain
 * text of the kind that a person has on a disk, and nothing waits. Whether it may be shown at all is for the caller to
 * know. */
#ifndef XFERSPY_SCHEMA_SOURCE_SOURCE_FILE_H
#define XFERSPY_SCHEMA_SOURCE_SOURCE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { XS_SOURCE_FILE_BYTES = 8 << 20, XS_SOURCE_LINE_BYTES = 4096 };

/* What a file was when it was read. */
struct xs_source_identity {
    int64_t bytes, mtime_ns;
};

struct xs_source_file {
    char *text; /* identity.bytes long, and a 0 */
    struct xs_source_identity identity;
};

enum xs_source_status {
    XS_SOURCE_READ,
    XS_SOURCE_GONE,     /* there is no such file, or it cannot be opened */
    XS_SOURCE_REFUSED,  /* it is no file that is read: see xs_source_file_read */
    XS_SOURCE_CHANGED,  /* it is newer than the moment that was given */
    XS_SOURCE_TOO_LARGE /* more than 8 MiB */
};

/* Reads a file by its absolute name, after following its links. Only a regular file that belongs to this user, or to
 * root and can be read by all; that lies neither below /proc, /sys or /dev nor on a file system of the kernel's own; of
 * at most 8 MiB; with no byte 0. Nothing is opened that is not a regular file. `not_after_ns`: of Unix time, INT64_MAX
 * for any. To be freed after XS_SOURCE_READ. */
enum xs_source_status xs_source_file_read(const char *path, int64_t not_after_ns, struct xs_source_file *file);

void xs_source_file_free(struct xs_source_file *file);

/* The line `number` from 1, without its end, cut at XS_SOURCE_LINE_BYTES. NULL: the file has no such line. `at` and
 * `at_line` are where a line is known to begin (0 and 1), and become where the found one does: lines in ascending order
 * cost one pass. */
const char *xs_source_file_line(const struct xs_source_file *file, uint32_t number, size_t *at, uint32_t *at_line,
                                size_t *bytes);

#endif
