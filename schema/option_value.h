/* Parses the values of the options in options.def. The library parses values from the environment, and `xferspy run`
 * parses the same values to refuse a wrong one before it starts the program. */
#ifndef XFERSPY_SCHEMA_OPTION_VALUE_H
#define XFERSPY_SCHEMA_OPTION_VALUE_H

#include <stdbool.h>
#include <stddef.h>

enum { XS_OPTION_TEXT_BYTES = 1024 }; /* longest TEXT or PATTERN, with its NUL */

/* The types of options.def. */
enum xs_option_type {
    XS_OPTION_BOOL,
    XS_OPTION_CHOICE,
    XS_OPTION_INT,
    XS_OPTION_SHARE,
    XS_OPTION_TEXT,
    XS_OPTION_PATTERN,
};

struct xs_option_value {
    long number;      /* value of an INT or a SHARE; for a BOOL 1 (on) or 0 (off); else 0 */
    const char *text; /* for a CHOICE as spelled in `values`, for a TEXT or a PATTERN the text; else NULL */
    size_t bytes;     /* length of `text` */
};

/* Parses a text as a value of the given type; `values` are the accepted values, as in options.def. False: the text is
 * not a value of the type, or is too long. A pattern is not compiled here; redact.h does that. */
bool xs_option_parse(enum xs_option_type type, const char *values, const char *text, struct xs_option_value *value);

/* xs_option_is_on returns true if the text is a value of a BOOL that means on, and xs_option_is_off returns true if the
 * text means off. For NULL, both functions return false. */
bool xs_option_is_on(const char *text);
bool xs_option_is_off(const char *text);

#endif
