/* Reads the options of the preloaded library from the environment. */
#ifndef XFERSPY_PRELOAD_SESSION_OPTIONS_H
#define XFERSPY_PRELOAD_SESSION_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "schema/option_value.h"

#define XS_OPTION_FIELD_BOOL(field) bool field;
#define XS_OPTION_FIELD_CHOICE(field) char field[32];
#define XS_OPTION_FIELD_INT(field) long field;
#define XS_OPTION_FIELD_SHARE(field) long field; /* percent; 0: off */
#define XS_OPTION_FIELD_TEXT(field) char field[XS_OPTION_TEXT_BYTES];
#define XS_OPTION_FIELD_PATTERN(field) char field[XS_OPTION_TEXT_BYTES + 1]; /* + 1: to notice a longer text */
struct xs_options {
#define XS_OPTION(field, name, type, preset, values, help) XS_OPTION_FIELD_##type(field)
#include "schema/options.def"
#undef XS_OPTION
};

/* Sets each option to its value in the environment, or to its default if the variable is missing or has a wrong value.
 * Calls `complain`, which may be NULL, with a message without newline for each wrong value, and for each unknown
 * variable XFERSPY_... that `xferspy run` has not reported already (schema/variables.h). A signal handler must not call
 * this function. */
void xs_options_load(struct xs_options *options, void (*complain)(const char *message));

/* True if the mode is "ledger" and the program does not sleep: XFERSPY_START=off leaves the parts to commands. */
static inline bool xs_options_is_ledger(const struct xs_options *options) {
    return options->start && strcmp(options->mode, "ledger") == 0;
}

struct xs_option_shown {
    const char *field, *variable; /* "spool_mib", "XFERSPY_SPOOL_MIB" */
    const char *text;             /* the effective value */
    bool is_free;                 /* the value is any text, not one of a few words */
    bool is_secret;               /* must not be shown */
};

/* Calls `each` for every option, for the trace's table meta. */
void xs_options_dump(const struct xs_options *options, void (*each)(void *arg, const struct xs_option_shown *option),
                     void *arg);

#endif
