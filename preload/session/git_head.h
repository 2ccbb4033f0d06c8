/* Finds out which commit of a git repository is checked out, by reading the repository's files. No process is started,
 * and git need not be installed. */
#ifndef XFERSPY_PRELOAD_SESSION_GIT_HEAD_H
#define XFERSPY_PRELOAD_SESSION_GIT_HEAD_H

#include <stdbool.h>
#include <stddef.h>

struct xs_git_head {
    char commit[65];  /* hexadecimal; "": not known, or there is no commit yet */
    char branch[256]; /* without refs/heads/; "": no branch is checked out */
};

/* Looks for a repository in the folder and in the folders around it, 64 at most. Reads at most 4 MiB. Nothing tells
 * whether files were changed since the commit. False: there is no repository. */
bool xs_git_head(const char *folder, struct xs_git_head *head);

/* Reads the beginning of a file, as xs_read_small_file does (schema/small_file.h), but only of a regular file: to open
 * a FIFO would wait. Returns the length of the text. */
size_t xs_git_read_file(const char *path, char *text, size_t bytes);

#endif
