/* Environment variables that begin with XFERSPY_ but are not xferspy's are mostly misspelled. Both halves look for
 * them. `xferspy run` reports them before the program starts, and the library does not repeat that. */
#ifndef XFERSPY_SCHEMA_VARIABLES_H
#define XFERSPY_SCHEMA_VARIABLES_H

#include <stdbool.h>
#include <stddef.h>

/* Variable that lists the names `xferspy run` has warned of, each followed by a comma. Set only if there is one. */
#define XS_VARIABLES_WARNED "XFERSPY_WARNED"

/* True when an entry of the environment ("NAME=VALUE") begins with XFERSPY_ and is none of xferspy's variables. */
bool xs_variable_is_unknown(const char *entry);

/* True when `warned`, a value of XS_VARIABLES_WARNED or NULL, contains the entry's name. */
bool xs_variable_was_said(const char *entry, const char *warned);

/* Writes a message about an unknown variable, never with its value: "XFERSPY_OUPUT is not an option; did you mean
 * XFERSPY_OUTPUT?" */
void xs_variable_say(const char *entry, char *message, size_t bytes);

/* Returns the variable that an unknown one probably means, without XFERSPY_; NULL: none is near. Static storage. */
const char *xs_variable_meant(const char *entry);

#endif
