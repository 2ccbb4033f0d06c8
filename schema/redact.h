/* XFERSPY_REDACT holds a pattern; this header validates and matches it. The library hides matching parts of the command
 * line and the environment from the trace. The command says beforehand whether a pattern is valid. */
#ifndef XFERSPY_SCHEMA_REDACT_H
#define XFERSPY_SCHEMA_REDACT_H

#include <regex.h>
#include <stdbool.h>

/* Replacement in the trace for hidden text. */
#define XS_REDACT_HIDDEN "[hidden]"

/* Message for a refused pattern; takes the reason. */
#define XS_REDACT_REFUSED "XFERSPY_REDACT %s; all arguments and values are hidden"

enum { XS_REDACT_BYTES = 1024 }; /* longest pattern, with its NUL */

/* The C library's regcomp, regexec and regfree are passed in, because a program may define functions with these
 * names. */
struct xs_redact_functions {
    int (*compile)(regex_t *compiled, const char *pattern, int flags);
    int (*match)(const regex_t *compiled, const char *text, size_t groups, regmatch_t *found, int flags);
    void (*release)(regex_t *compiled);
};

/* Compiles a POSIX extended regular expression that matches bytes, and ASCII letters in either case. Returns NULL, or
 * as part of a sentence why the pattern is refused: it is no expression, or would cost the program too much time or
 * memory. The reason never contains text of the pattern. */
const char *xs_redact_compile(const struct xs_redact_functions *functions, const char *pattern, regex_t *compiled);

/* True when the pattern matches anywhere in the text. A match that fails for lack of memory counts as a match. Any
 * thread. */
bool xs_redact_matches(const struct xs_redact_functions *functions, const regex_t *compiled, const char *text);

#endif
