/* Makes the trace's name from the template in XFERSPY_OUTPUT. The function reads the environment, and keeps no
 * state. */
#ifndef XFERSPY_PRELOAD_SESSION_NAMING_H
#define XFERSPY_PRELOAD_SESSION_NAMING_H

#include <stddef.h>
#include <stdint.h>

#include "schema/error.h"
#include "schema/rank.h"

struct xs_trace_name {
    char path[4200];      /* absolute */
    size_t number_at;     /* position in `path` for the first free number (%n); XS_NO_NUMBER: there is no %n */
    size_t literal_bytes; /* length of `path` before the first %; the user wrote this part, so a missing folder in it
                             may be a mistake */
};
#define XS_NO_NUMBER SIZE_MAX

/* Makes the name from a template. An empty template means the default template, and a template that ends with a slash
 * means the default template in that folder. Returns 0, or XS_ERROR_INVALID if the template has an unknown %, has %n
 * twice, has %n in a folder's name, or if the name does not fit into `path`. */
int xs_trace_name(const char *template, struct xs_trace_name *name);

#endif
