/* Where this program lies, and what was installed or built with it. */
#ifndef XFERSPY_ANALYZER_COMMAND_INSTALLATION_H
#define XFERSPY_ANALYZER_COMMAND_INSTALLATION_H

/* The folder of the running program. NULL: it cannot be told. To be freed. */
char *xs_own_folder(void);

/* Where a page of docs/ can be read, such as "rules/findings/noop-upload.md": the path of the file that was installed
 * with this program, or that lies in the sources it was built of; without one, the address that the build was given
 * (XFERSPY_DOCS_URL). NULL: neither is there. To be freed. */
char *xs_docs_page(const char *page);

#endif
