/* Binaries and debug information are searched for at their usual paths, and also in debug folders. The folders of
 * --debug-path come first, then the folders of XFERSPY_DEBUG_PATH, then /usr/lib/debug. The program has one list of
 * these folders, which is filled before the first trace is read. */
#ifndef XFERSPY_ANALYZER_SYMBOLS_DEBUG_PATH_H
#define XFERSPY_ANALYZER_SYMBOLS_DEBUG_PATH_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

/* Returns folder `i` of the list; NULL: the list has no such folder. *given becomes true if the user named the folder;
 * files directly in such a folder are searched, too. */
const char *xs_debug_path_folder(size_t i, bool *given);

/* This argp child adds the option --debug-path DIR to a command that resolves addresses. The child takes no input. */
extern const struct argp xs_debug_path_argp;
#define XS_DEBUG_PATH_CHILD                                                                                            \
    { &xs_debug_path_argp, 0, NULL, 0 }

#endif
