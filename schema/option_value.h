/* Parses the values of the options in options.def, alike for the library, which reads them from the environment, and
 * for `xferspy run`, which refuses a wrong one before it starts the program. */
#ifndef XFERSPY_SCHEMA_OPTION_VALUE_H
#define XFERSPY_SCHEMA_OPTION_VALUE_H

#include <stdbool.h>
#include <stddef.h>

enum { XS_OPTION_TEXT_BYTES = 1024 }; /* of a TEXT or a PATTERN, with its end */

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
    long number;      /* of an INT or a SHARE; of a BOOL 1 is on; else 0 */
    const char *text; /* of a CHOICE as `values` spells it, of a TEXT or a PATTERN the text itself; else NULL */
    size_t bytes;     /* of `text` */
};

/* Parses a text as a value of that type; `values` are the accepted ones, as in options.def. Returns false if it is none
 * of them, or a text that is too long. A pattern is not compiled (redact.h). */
bool xs_option_parse(enum xs_option_type type, const char *values, const char *text, struct xs_option_value *value);

/* Say whether a text is a BOOL that is on, or one that is off. NULL is neither. */
bool xs_option_is_on(const char *text);
bool xs_option_is_off(const char *text);

#endif
