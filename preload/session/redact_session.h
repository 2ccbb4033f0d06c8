/* Hides parts of the command line and the environment from the trace, as XFERSPY_REDACT asks. */
#ifndef XFERSPY_PRELOAD_SESSION_REDACT_SESSION_H
#define XFERSPY_PRELOAD_SESSION_REDACT_SESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "schema/redact.h"

/* Takes the pattern, "" for none. Called once, by the thread that starts the session, before xs_drain_start: it looks
 * symbols up, which the drain thread may not do while that thread waits for it. Returns NULL. If the pattern is not
 * accepted, everything is hidden from here on, and the reason is returned, worded for use within a sentence and without
 * text of the pattern. A test may call it again, which replaces the pattern. */
const char *xs_redact_start(const char *pattern);

/* xs_redact_is_on says whether a pattern is set; xs_redact_hides, whether to hide a variable's value: the pattern
 * matches the value or the variable's name. With a NULL name the value alone counts. An empty value is not hidden. */
bool xs_redact_is_on(void);
bool xs_redact_hides(const char *variable, const char *value);

/* Writes a command line in shell syntax, cut off at `bytes`, and returns the length. `line` has the form of
 * /proc/self/cmdline, `length` bytes and a NUL, and is changed; `is_cut` says that its end is missing. `program`
 * replaces the first word if that would be hidden. */
size_t xs_redact_command(char *out, size_t bytes, char *line, size_t length, bool is_cut, const char *program);

#endif
