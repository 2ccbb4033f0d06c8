/* Status values that functions of different files return to each other: 0 means success, a negative value is an error.
 * One list defines the values and their texts. */
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

/* Returns the text of a status, or "unknown error" for a value outside this enumeration. The text is in static storage.
 * Any thread may call this function. */
const char *xs_error_text(int status);

#endif
