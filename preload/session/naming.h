/* The trace's name, made of the template in XFERSPY_OUTPUT. Reads the environment; no state. */
#ifndef XFERSPY_PRELOAD_SESSION_NAMING_H
#define XFERSPY_PRELOAD_SESSION_NAMING_H

#include <stddef.h>
#include <stdint.h>

#include "schema/error.h"
#include "schema/rank.h"

struct xs_trace_name {
    char path[4200];      /* absolute */
    size_t number_at;     /* %n: the place in `path` for a number, which is to be the first that is free; else
                             XS_NO_NUMBER */
    size_t literal_bytes; /* of `path` before the first %: the user wrote this part himself, so a folder that is
                             missing there may be a mistake */
};
#define XS_NO_NUMBER SIZE_MAX

/* Makes the name for a template; the empty template is the default one. Returns 0, or XS_ERROR_INVALID where the
 * template has an unknown %, has %n twice or in a folder's name, or where the name does not fit. */
int xs_trace_name(const char *template, struct xs_trace_name *name);

#endif
