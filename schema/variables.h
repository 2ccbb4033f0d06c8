/* Variables of the environment whose names begin with XFERSPY_ and that xferspy does not have: mostly misspelled ones.
 * Both halves look for them. `xferspy run` says so before the program starts, and the library does not say it again. */
#ifndef XFERSPY_SCHEMA_VARIABLES_H
#define XFERSPY_SCHEMA_VARIABLES_H

#include <stdbool.h>
#include <stddef.h>

/* The names that `xferspy run` has warned of, each with a comma behind it. Set only where there is one. */
#define XS_VARIABLES_WARNED "XFERSPY_WARNED"

/* Whether an entry of the environment ("NAME=VALUE") begins with XFERSPY_ and is none of xferspy's variables. */
bool xs_variable_is_unknown(const char *entry);

/* Whether `warned`, a value of XS_VARIABLES_WARNED or NULL, has the entry's name. */
bool xs_variable_was_said(const char *entry, const char *warned);

/* "XFERSPY_OUPUT is not an option; did you mean XFERSPY_OUTPUT?", of an unknown one. Never with its value. */
void xs_variable_say(const char *entry, char *message, size_t bytes);

/* The variable that is meant by an unknown one, without XFERSPY_; NULL: none is near. A literal. */
const char *xs_variable_meant(const char *entry);

#endif
