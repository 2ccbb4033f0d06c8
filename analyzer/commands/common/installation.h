/* Finds where this program lies, and what was installed or built with it. */
#ifndef XFERSPY_ANALYZER_COMMANDS_COMMON_INSTALLATION_H
#define XFERSPY_ANALYZER_COMMANDS_COMMON_INSTALLATION_H

/* Returns the folder of the running program, to be freed. NULL: not known. */
char *xs_own_folder(void);

/* Returns where a page of docs/ can be read, such as "rules/findings/noop-upload.md": the file that was installed with
 * this program, or that lies in its sources; without one, the address that the build was given (XFERSPY_DOCS_URL).
 * NULL: neither. To be freed. */
char *xs_docs_page(const char *page);

#endif
