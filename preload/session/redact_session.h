/* Hides parts of the command line and the environment from the trace, according to XFERSPY_REDACT. */
#ifndef XFERSPY_PRELOAD_SESSION_REDACT_SESSION_H
#define XFERSPY_PRELOAD_SESSION_REDACT_SESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "schema/redact.h"

/* Sets the pattern; "" means no pattern. This function is called once, before xs_drain_start, by the thread that starts
 * the session. The drain thread must not call this function, because looking up symbols takes the loader's lock, which
 * the thread that starts the session may hold while it waits for the drain thread. Returns NULL if the pattern can be
 * used. Otherwise returns the reason, as part of a sentence and without text of the pattern; from then on all values
 * and arguments are hidden. Tests may call the function again to replace the pattern. */
const char *xs_redact_start(const char *pattern);

/* True if a variable's value must be hidden, because the pattern matches the value or the variable's name, or because
 * all values are hidden. If `variable` is NULL, only the value is checked. An empty value is never hidden. */
bool xs_redact_hides(const char *variable, const char *value);

/* Writes a command line in shell syntax to `out`, cut off at `bytes`, and returns the length. `line` has the form of
 * /proc/self/cmdline, with `length` bytes and a NUL after them; the function changes the contents of `line`. `is_cut`
 * tells that the end of the line is missing. If the first word must be hidden, `program` is written instead of this
 * word. */
size_t xs_redact_command(char *out, size_t bytes, char *line, size_t length, bool is_cut, const char *program);

#endif
