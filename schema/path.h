/* What both halves ask of a path. */
#ifndef XFERSPY_SCHEMA_PATH_H
#define XFERSPY_SCHEMA_PATH_H

#include <string.h>

/* The last part of a path, which is a part of the same memory; of a path that ends in a slash all of it. */
static inline const char *xs_base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

#endif
