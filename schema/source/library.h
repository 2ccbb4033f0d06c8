/* Tells whether code belongs to the user or to a library, by the table in libraries.def. */
#ifndef XFERSPY_SCHEMA_SOURCE_LIBRARY_H
#define XFERSPY_SCHEMA_SOURCE_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/* True if a binary belongs to a library, by its path. *glue: the binary is the Python interpreter, or code between the
 * interpreter and C code. */
bool xs_library_binary(const char *path, bool *glue);

/* True if a function in a binary of the user belongs to a library. An argument may be NULL if it is not known. */
bool xs_library_function(const char *function, const char *file);

/* True if Python code belongs to a library, by its file. */
bool xs_library_python(const char *file);

/* True if an NVTX range belongs to a library, by its domain and name; `domain` NULL: no domain. */
bool xs_library_range(const char *domain, const char *name);

/* Python frameworks by which programs copy data. */
enum xs_framework {
    XS_FRAMEWORK_NONE, /* also an unknown framework */
    XS_FRAMEWORK_PYTORCH,
    XS_FRAMEWORK_CUPY,
    XS_FRAMEWORK_JAX,
    XS_FRAMEWORK_NUMBA,
    XS_FRAMEWORKS
};

/* Returns the framework to which a stack frame's file, a binary or Python code, belongs, by its path. */
enum xs_framework xs_library_framework(const char *path);

/* The kinds of rows in libraries.def. The rows are public because other code makes up names that must be recognised by
 * the same rows. */
enum xs_library_what {
    XS_LIBRARY_FILE,
    XS_LIBRARY_GLUE,
    XS_LIBRARY_FOLDER,
    XS_LIBRARY_PACKAGE,
    XS_LIBRARY_FUNCTION,
    XS_LIBRARY_RUNTIME,
    XS_LIBRARY_PYTHON,
    XS_LIBRARY_DOMAIN,
    XS_LIBRARY_RANGE
};
struct xs_library_row {
    enum xs_library_what what;
    const char *pattern;
    enum xs_framework framework;
};
extern const struct xs_library_row xs_library_rows[];
extern const size_t xs_library_row_count;

/* True if the function is the loop in which the interpreter runs Python functions. */
bool xs_library_runs_python(const char *function);

#endif
