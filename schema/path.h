/* Path functions that both the library and the commands use. */
#ifndef XFERSPY_SCHEMA_PATH_H
#define XFERSPY_SCHEMA_PATH_H

#include <string.h>

/* Returns the last part of a path, a pointer into `path`; the whole path if it ends in a slash. */
static inline const char *xs_base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

#endif
