/* Variables of the environment that xferspy does not have; see schema/variables.h. */
#ifndef XFERSPY_ANALYZER_BASE_VARIABLES_H
#define XFERSPY_ANALYZER_BASE_VARIABLES_H

/* Says on standard error which there are, and tells the library, in the environment, that it was said. */
void xs_warn_about_variables(void);

/* Of the unknown ones, those by which XFERSPY_DEBUG_PATH was meant: all that concerns who only reads a trace. */
void xs_warn_about_debug_path(void);

#endif
