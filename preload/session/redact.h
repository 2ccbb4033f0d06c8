/* Hides what a trace would say of the command line and of the environment, as XFERSPY_REDACT asks. */
#ifndef XFERSPY_PRELOAD_SESSION_REDACT_H
#define XFERSPY_PRELOAD_SESSION_REDACT_H

#include <stdbool.h>
#include <stddef.h>

#include "schema/redact.h"

/* Takes the pattern, "" for none. Once, by the thread that starts the session, before xs_drain_start: symbols are
 * looked up, which the drain thread may not do while that thread waits for it. Where the pattern is not accepted,
 * everything is hidden from here on, and why is returned, within a sentence and without text of the pattern; else NULL.
 * A test may call it again: the pattern before is forgotten. */
const char *xs_redact_start(const char *pattern);

/* Whether a pattern is set, and whether a variable's value is to be hidden: the pattern matches it or the variable's
 * name. NULL for a name: the value alone counts. An empty value is not hidden. */
bool xs_redact_is_on(void);
bool xs_redact_hides(const char *variable, const char *value);

/* Writes a command line as a shell would take it, cut off at `bytes`, and returns the length. `line` is as in
 * /proc/self/cmdline, `length` bytes with a NUL behind them, and is changed; `is_cut`: its end is missing. `program`
 * stands for the first word where that would be hidden. */
size_t xs_redact_command(char *out, size_t bytes, char *line, size_t length, bool is_cut, const char *program);

#endif
