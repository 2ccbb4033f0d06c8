/* Makes the trace's name from the template in XFERSPY_OUTPUT. Reads the environment; no state. */
#ifndef XFERSPY_PRELOAD_SESSION_NAMING_H
#define XFERSPY_PRELOAD_SESSION_NAMING_H

#include <stddef.h>
#include <stdint.h>

#include "schema/error.h"
#include "schema/rank.h"

struct xs_trace_name {
    char path[4200];      /* absolute */
    size_t number_at;     /* %n: place in `path` for the first free number; without %n: XS_NO_NUMBER */
    size_t literal_bytes; /* bytes of `path` before the first %: the user wrote this part, so a missing folder there may
                             be a mistake */
};
#define XS_NO_NUMBER SIZE_MAX

/* Makes the name for a template; the empty template is the default one. Returns 0, or XS_ERROR_INVALID if the template
 * has an unknown %, %n twice or %n in a folder's name, or if the name does not fit. */
int xs_trace_name(const char *template, struct xs_trace_name *name);

#endif
