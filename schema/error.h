/* Status values of everything that crosses a file: 0 is success, negative an error. One list, with texts. */
#ifndef XFERSPY_SCHEMA_ERROR_H
#define XFERSPY_SCHEMA_ERROR_H

#define XS_ERRORS(X)                                                                                                   \
    X(-1, SYSTEM, "system call failed")                                                                                \
    X(-2, MEMORY, "out of memory")                                                                                     \
    X(-3, SQLITE, "SQLite error")                                                                                      \
    X(-4, NOT_A_TRACE, "not an xferspy trace")                                                                         \
    X(-5, CORRUPT, "damaged")                                                                                          \
    X(-6, VERSION, "written by another version of xferspy")                                                            \
    X(-7, NOT_FOUND, "not found")                                                                                      \
    X(-8, INVALID, "invalid argument")                                                                                 \
    X(-9, FULL, "no space left")                                                                                       \
    X(-10, BUSY, "in use by another process")

enum xs_error {
    XS_OK = 0,
#define X(n, id, text) XS_ERROR_##id = n,
    XS_ERRORS(X)
#undef X
};

/* Text of a status of this enumeration; "unknown error" for any other. Static storage, any thread. */
const char *xs_error_text(int status);

#endif
