/* Finds environment variables that begin with XFERSPY_ but are not variables of xferspy; most of them are misspelled.
 * `xferspy run` reports them before the program starts, and the library reports only those that `xferspy run` has not
 * reported. */
#ifndef XFERSPY_SCHEMA_VARIABLES_H
#define XFERSPY_SCHEMA_VARIABLES_H

#include <stdbool.h>
#include <stddef.h>

/* Variable by which `xferspy run` tells the library the names that it has reported, each followed by a comma. The
 * variable is set only if there is such a name. */
#define XS_VARIABLES_WARNED "XFERSPY_WARNED"

/* True if an entry of the environment ("NAME=VALUE") begins with XFERSPY_ but is none of xferspy's variables. */
bool xs_variable_is_unknown(const char *entry);

/* True if `warned`, which is a value of XS_VARIABLES_WARNED or NULL, contains the entry's name. */
bool xs_variable_was_said(const char *entry, const char *warned);

/* Writes a message about an unknown variable, without the variable's value, such as "XFERSPY_OUPUT is not an option;
 * did you mean XFERSPY_OUTPUT?" */
void xs_variable_say(const char *entry, char *message, size_t bytes);

/* Returns the name, without XFERSPY_, of the variable that the user probably meant; NULL: no name is near. Static
 * storage. */
const char *xs_variable_meant(const char *entry);

#endif
