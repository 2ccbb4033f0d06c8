/* The pattern of XFERSPY_REDACT: what is one, and what it matches. The library hides by it what a trace would say of
 * the command line and of the environment; the command says beforehand whether a pattern is one. */
#ifndef XFERSPY_SCHEMA_REDACT_H
#define XFERSPY_SCHEMA_REDACT_H

#include <regex.h>
#include <stdbool.h>

/* Stands in the trace for what was hidden. */
#define XS_REDACT_HIDDEN "[hidden]"

/* What is said of a pattern that is not accepted; with the reason. */
#define XS_REDACT_REFUSED "XFERSPY_REDACT %s; all arguments and values are hidden"

enum { XS_REDACT_BYTES = 1024 }; /* of a pattern with its end */

/* The C library's regcomp, regexec and regfree; a program may have functions of these names of its own. */
struct xs_redact_functions {
    int (*compile)(regex_t *compiled, const char *pattern, int flags);
    int (*match)(const regex_t *compiled, const char *text, size_t groups, regmatch_t *found, int flags);
    void (*release)(regex_t *compiled);
};

/* Compiles a POSIX extended regular expression that matches bytes, and letters of ASCII in either case. NULL, or why
 * it is not accepted, within a sentence: besides what is no expression, also one that would take the program's time or
 * memory. The reason never has text of the pattern. */
const char *xs_redact_compile(const struct xs_redact_functions *functions, const char *pattern, regex_t *compiled);

/* Whether it matches in the text. What cannot be decided for want of memory counts as a match. Any thread. */
bool xs_redact_matches(const struct xs_redact_functions *functions, const regex_t *compiled, const char *text);

#endif
