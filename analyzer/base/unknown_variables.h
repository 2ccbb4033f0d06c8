/* These functions warn about environment variables that have xferspy's prefix but that xferspy does not know; see
 * schema/variables.h. */
#ifndef XFERSPY_ANALYZER_BASE_UNKNOWN_VARIABLES_H
#define XFERSPY_ANALYZER_BASE_UNKNOWN_VARIABLES_H

/* Warns on standard error, and records in the environment which variables it named, so that the library does not name
 * them again. */
void xs_warn_about_variables(void);

/* Warns only about unknown variables that probably mean XFERSPY_DEBUG_PATH; a command that reads traces uses no other
 * variable. */
void xs_warn_about_debug_path(void);

#endif
