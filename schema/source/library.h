/* Code is either the user's or a library's, by the table of libraries.def. */
#ifndef XFERSPY_SCHEMA_SOURCE_LIBRARY_H
#define XFERSPY_SCHEMA_SOURCE_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/* True when a binary is a library's, by its path. `glue`: the binary is the interpreter, or lies between it and C. */
bool xs_library_binary(const char *path, bool *glue);

/* True when a function in a user's binary is a library's; either argument is NULL if not known. */
bool xs_library_function(const char *function, const char *file);

/* True when Python code is a library's, by its file. */
bool xs_library_python(const char *file);

/* True when an NVTX range is a library's, by its domain and name; a NULL domain means none. */
bool xs_library_range(const char *domain, const char *name);

/* Python frameworks that programs copy with. */
enum xs_framework {
    XS_FRAMEWORK_NONE, /* also an unknown framework */
    XS_FRAMEWORK_PYTORCH,
    XS_FRAMEWORK_CUPY,
    XS_FRAMEWORK_JAX,
    XS_FRAMEWORK_NUMBA,
    XS_FRAMEWORKS
};

/* Returns the framework that owns a frame's file: a binary or Python code, by its path. */
enum xs_framework xs_library_framework(const char *path);

/* Kinds of rows of libraries.def, for code that invents names to be recognised again. */
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

/* True for the loop in which the interpreter runs Python functions. */
bool xs_library_runs_python(const char *function);

#endif
