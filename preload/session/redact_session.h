/* Hides parts of the command line and the environment from the trace, according to XFERSPY_REDACT. */
#ifndef XFERSPY_PRELOAD_SESSION_REDACT_SESSION_H
#define XFERSPY_PRELOAD_SESSION_REDACT_SESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "schema/redact.h"

/* Sets the pattern; "" means no pattern. Called once, before xs_drain_start, by the thread that starts the session. The
 * drain thread must not call this function, because it looks up symbols, and the thread that starts the session would
 * be waiting for the drain thread meanwhile. Returns NULL if the pattern can be used. Otherwise returns the reason, as
 * part of a sentence and without text of the pattern; from then on everything is hidden. Tests may call the function
 * again to replace the pattern. */
const char *xs_redact_start(const char *pattern);

/* True if a variable's value must be hidden, because the pattern matches the value or the variable's name. If
 * `variable` is NULL, only the value is checked. An empty value is never hidden. */
bool xs_redact_hides(const char *variable, const char *value);

/* Writes a command line in shell syntax to `out`, cut off at `bytes`, and returns the length. `line` has the form of
 * /proc/self/cmdline, with `length` bytes and a NUL after them; it is changed. `is_cut` says that the end of the line
 * is missing. If the first word would be hidden, `program` is written instead. */
size_t xs_redact_command(char *out, size_t bytes, char *line, size_t length, bool is_cut, const char *program);

#endif
