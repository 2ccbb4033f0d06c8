/* Compiles and matches the pattern that the option XFERSPY_REDACT contains. The library does not write parts of the
 * command line and the environment into the trace if they match the pattern. `xferspy run` reports an invalid pattern
 * before it starts the program. */
#ifndef XFERSPY_SCHEMA_REDACT_H
#define XFERSPY_SCHEMA_REDACT_H

#include <regex.h>
#include <stdbool.h>

/* This text replaces hidden text in the trace. */
#define XS_REDACT_HIDDEN "[hidden]"

/* Format of the message for a refused pattern; its argument is the reason. */
#define XS_REDACT_REFUSED "XFERSPY_REDACT %s; all arguments and values are hidden"

enum { XS_REDACT_BYTES = 1024 }; /* longest pattern, with its NUL */

/* The C library's regcomp, regexec and regfree are passed in, because a program may define functions with these
 * names. */
struct xs_redact_functions {
    int (*compile)(regex_t *compiled, const char *pattern, int flags);
    int (*match)(const regex_t *compiled, const char *text, size_t groups, regmatch_t *found, int flags);
    void (*release)(regex_t *compiled);
};

/* Compiles a POSIX extended regular expression, which is matched against bytes, without distinction of upper and lower
 * case for ASCII letters. Returns NULL, or the reason why the pattern is refused, as a part of a sentence. A pattern is
 * refused if it is not a valid expression, or if it would cost the program too much time or memory. The reason never
 * contains text of the pattern. */
const char *xs_redact_compile(const struct xs_redact_functions *functions, const char *pattern, regex_t *compiled);

/* True if the pattern matches any part of the text. If there is not enough memory to find out, returns true. Any thread
 * may call this function. */
bool xs_redact_matches(const struct xs_redact_functions *functions, const regex_t *compiled, const char *text);

#endif
