/* Whose code it is: the user's, or a library's by the table of libraries.def. */
#ifndef XFERSPY_SCHEMA_SOURCE_LIBRARY_H
#define XFERSPY_SCHEMA_SOURCE_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/* A binary, by its path; `glue`: it is the interpreter, or between it and C. */
bool xs_library_binary(const char *path, bool *glue);

/* A function of a binary that is the user's; NULL: not known. */
bool xs_library_function(const char *function, const char *file);

/* Python code, by its file. */
bool xs_library_python(const char *file);

/* An NVTX range, by its domain and its name; the domain is NULL where it is in none. */
bool xs_library_range(const char *domain, const char *name);

/* A framework of Python that programs copy with. */
enum xs_framework {
    XS_FRAMEWORK_NONE, /* or one that is not known */
    XS_FRAMEWORK_PYTORCH,
    XS_FRAMEWORK_CUPY,
    XS_FRAMEWORK_JAX,
    XS_FRAMEWORK_NUMBA,
    XS_FRAMEWORKS
};

/* Which one the file of a frame belongs to: a binary or Python code, by its path. */
enum xs_framework xs_library_framework(const char *path);

/* The rows of libraries.def, for who makes up names that are known again. */
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

/* The loop in which the interpreter runs Python functions. */
bool xs_library_runs_python(const char *function);

#endif
