/* Finds the folder of this program, and files that were installed or built with it. */
#ifndef XFERSPY_ANALYZER_COMMANDS_COMMON_INSTALLATION_H
#define XFERSPY_ANALYZER_COMMANDS_COMMON_INSTALLATION_H

/* Returns the folder that contains the running program's file. The caller frees it. NULL: not known. */
char *xs_own_folder(void);

/* Returns where a page of docs/ can be read. `page` is its name in that folder, such as
 * "rules/findings/noop-upload.md". The result is the path of the file that was installed with this program, or of the
 * file in its sources. If there is no such file, the result is the web address that the build was given
 * (XFERSPY_DOCS_URL). NULL: there is neither a file nor a web address. The caller frees it. */
char *xs_docs_page(const char *page);

#endif
