/* A trace names source files to be read. Anybody may have chosen the name, so a file is read only if it is plain text
 * as a person keeps it on disk, and nothing blocks. The caller decides whether the text may be shown. */
#ifndef XFERSPY_SCHEMA_SOURCE_SOURCE_FILE_H
#define XFERSPY_SCHEMA_SOURCE_SOURCE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { XS_SOURCE_FILE_BYTES = 8 << 20, XS_SOURCE_LINE_BYTES = 4096 };

/* A file's identity at the time it was read. */
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
    XS_SOURCE_REFUSED,  /* such a file is never read: see xs_source_file_read */
    XS_SOURCE_CHANGED,  /* the file is newer than the given moment, or changed while it was read */
    XS_SOURCE_TOO_LARGE /* more than 8 MiB, or no memory */
};

/* Reads a file by its absolute name, after following its links. The file must be regular; belong to this user, or to
 * root and be readable by all; lie neither below /proc, /sys or /dev nor on a kernel file system; have at most 8 MiB;
 * and contain no NUL byte. Opens only regular files. `not_after_ns`: Unix time, INT64_MAX for any. The caller frees the
 * file after XS_SOURCE_READ. */
enum xs_source_status xs_source_file_read(const char *path, int64_t not_after_ns, struct xs_source_file *file);

void xs_source_file_free(struct xs_source_file *file);

/* Returns line `number`, counted from 1, without its end, cut at XS_SOURCE_LINE_BYTES. NULL: the file has no such line.
 * `at` and `at_line` say where a known line begins (0 and 1 at first) and then where the found line begins: reading
 * lines in ascending order takes one pass. */
const char *xs_source_file_line(const struct xs_source_file *file, uint32_t number, size_t *at, uint32_t *at_line,
                                size_t *bytes);

#endif
