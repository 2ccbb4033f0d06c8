/* Parses the values of the options in options.def. The library uses this for values from the environment, and `xferspy
 * run` uses it to refuse a wrong value before it starts the program. */
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
 * none of them, or too long. A pattern is not compiled here (redact.h). */
bool xs_option_parse(enum xs_option_type type, const char *values, const char *text, struct xs_option_value *value);

/* The first function returns true if the text is a value of a BOOL that means on, and the second one if it means off.
 * NULL means neither. */
bool xs_option_is_on(const char *text);
bool xs_option_is_off(const char *text);

#endif
