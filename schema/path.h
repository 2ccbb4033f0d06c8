/* Contains a path function that both the library and the commands use. */
#ifndef XFERSPY_SCHEMA_PATH_H
#define XFERSPY_SCHEMA_PATH_H

#include <string.h>

/* Returns a pointer to the last part of the path, after the last slash. If the path ends in a slash, returns the whole
 * path. */
static inline const char *xs_base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

#endif
