/* Whose code it is: the user's, or a library's by the table of libraries.def. */
#ifndef XFERSPY_SCHEMA_SOURCE_LIBRARY_H
#define XFERSPY_SCHEMA_SOURCE_LIBRARY_H

#include <stdbool.h>

/* A binary, by its path; `glue`: it is the interpreter, or between it and C. */
bool xs_library_binary(const char *path, bool *glue);

/* A function of a binary that is the user's; NULL: not known. */
bool xs_library_function(const char *function, const char *file);

/* Python code, by its file. */
bool xs_library_python(const char *file);

/* The loop in which the interpreter runs Python functions. */
bool xs_library_runs_python(const char *function);

#endif
