/* Tells whether code belongs to the user or to a library, by the table in libraries.def. */
#ifndef XFERSPY_SCHEMA_SOURCE_LIBRARY_H
#define XFERSPY_SCHEMA_SOURCE_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/* True if the binary at this path belongs to a library. Sets *glue to true if the binary is the Python interpreter, or
 * code between the interpreter and C code. */
bool xs_library_binary(const char *path, bool *glue);

/* True if a function in a binary of the user belongs to a library, such as an inlined function of the C++ library.
 * `file` is the source file of the function. Each argument may be NULL if it is not known. */
bool xs_library_function(const char *function, const char *file);

/* True if the Python code in this file belongs to a library. */
bool xs_library_python(const char *file);

/* True if the NVTX range with this domain and name belongs to a library. `domain` is NULL if the range has no
 * domain. */
bool xs_library_range(const char *domain, const char *name);

/* The Python frameworks by which programs copy data. */
enum xs_framework {
    XS_FRAMEWORK_NONE, /* no framework, or an unknown one */
    XS_FRAMEWORK_PYTORCH,
    XS_FRAMEWORK_CUPY,
    XS_FRAMEWORK_JAX,
    XS_FRAMEWORK_NUMBA,
    XS_FRAMEWORKS
};

/* Returns the framework to which the file at this path belongs. The file is the binary or the Python file of a stack
 * frame. */
enum xs_framework xs_library_framework(const char *path);

/* The kinds of rows in libraries.def. The rows are public because `xferspy anonymize` invents names that must match the
 * same rows as the real names. */
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
