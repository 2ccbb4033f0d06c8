/* The trace's name, made of the template in XFERSPY_OUTPUT, and the process's rank in its job. Read from the
 * environment; no state. */
#ifndef XFERSPY_PRELOAD_SESSION_NAMING_H
#define XFERSPY_PRELOAD_SESSION_NAMING_H

#include <stddef.h>

#include "schema/error.h"

/* Writes the absolute name for a template into `path`; the empty template is the default one. Returns 0, or
 * XS_ERROR_INVALID where the template has an unknown % or the name does not fit. */
int xs_trace_name(const char *template, char *path, size_t bytes);

/* The rank, as launchers tell it: the value of the first variable that is set, and the variable's name through
 * `variable` unless that is NULL. -1: there is none. */
long xs_rank(const char **variable);
long xs_world_size(const char **variable);
long xs_local_rank(const char **variable);

#endif
