/* Whether a trace was made by this user on this machine. Capture writes a random number and its keyed hash, together
 * with what the trace is as a file (device, inode, time of birth), into meta `origin`. The key is the user's: 16 random
 * bytes in $XDG_STATE_HOME/xferspy/key, else ~/.local/state/xferspy/key, readable by nobody else. So a trace that
 * somebody else wrote, or a copy of one, does not pass. One that is moved within its file system does. */
#ifndef XFERSPY_SCHEMA_TRACE_ORIGIN_H
#define XFERSPY_SCHEMA_TRACE_ORIGIN_H

#include <stdbool.h>

#include "schema/safe_open/side_files.h"

enum { XS_ORIGIN_BYTES = 65 }; /* 64 hexadecimal digits */

/* Where the key of this user is, as the environment says. */
struct xs_origin_place {
    char above[XS_PATH_BYTES]; /* $XDG_STATE_HOME or $HOME; "": there is none */
    bool is_home;              /* which is never made; $XDG_STATE_HOME is, in a folder that is there */
};
void xs_origin_find_place(struct xs_origin_place *place);

/* The value for the trace at `path`. Makes the key where there is none. False where that cannot be done: then the trace
 * has no origin, which costs nothing but the text of lines later. */
bool xs_origin_sign_at(const char *path, const struct xs_origin_place *place, char value[XS_ORIGIN_BYTES]);
bool xs_origin_sign(const char *path, char value[XS_ORIGIN_BYTES]);

struct xs_trace;

/* Whether a trace that is open has such an origin; in a merged file that of the trace itself, which merge signs
 * anew. */
bool xs_origin_is_own(const struct xs_trace *trace);

/* Whether `value` was made for the trace at `path` by this user. Makes nothing. */
bool xs_origin_verify(const char *path, const char *value);

#endif
