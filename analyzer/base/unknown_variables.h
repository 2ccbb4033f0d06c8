/* Warnings name environment variables that xferspy does not have; see schema/variables.h. */
#ifndef XFERSPY_ANALYZER_BASE_UNKNOWN_VARIABLES_H
#define XFERSPY_ANALYZER_BASE_UNKNOWN_VARIABLES_H

/* Warns on standard error, and records the warning in the environment for the library. */
void xs_warn_about_variables(void);

/* Warns only about unknown variables that probably mean XFERSPY_DEBUG_PATH; a reader of traces needs no others. */
void xs_warn_about_debug_path(void);

#endif
