/* An origin shows that this user made the trace on this machine. Capture writes a random number and its keyed hash,
 * together with the trace's file identity (device, inode, time of birth), into meta `origin`. The key is 16 random
 * bytes in $XDG_STATE_HOME/xferspy/key, else ~/.local/state/xferspy/key, readable only by the user. A trace written by
 * somebody else fails the check, and so does a copy. A trace moved within its file system passes. */
#ifndef XFERSPY_SCHEMA_TRACE_ORIGIN_H
#define XFERSPY_SCHEMA_TRACE_ORIGIN_H

#include <stdbool.h>

#include "schema/safe_open/side_files.h"

enum { XS_ORIGIN_BYTES = 65 }; /* 64 hexadecimal digits */

/* The environment says where this user's key lies. */
struct xs_origin_place {
    char above[XS_PATH_BYTES]; /* $XDG_STATE_HOME or $HOME; "": neither is set */
    bool is_home; /* `above` is $HOME, which is never made; $XDG_STATE_HOME is made inside an existing folder */
};
void xs_origin_find_place(struct xs_origin_place *place);

/* Computes the origin for the trace at `path`, making the key if there is none. False if that fails: the trace then has
 * no origin, and only the text of source lines is missing later. */
bool xs_origin_sign_at(const char *path, const struct xs_origin_place *place, char value[XS_ORIGIN_BYTES]);
bool xs_origin_sign(const char *path, char value[XS_ORIGIN_BYTES]);

struct xs_trace;

/* True when an open trace has such an origin. In a merged file this checks the trace's own origin, which merge signs
 * anew. */
bool xs_origin_is_own(const struct xs_trace *trace);

/* True when this user made `value` for the trace at `path`. Makes no key. */
bool xs_origin_verify(const char *path, const char *value);

#endif
