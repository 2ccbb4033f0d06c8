/* Debug folders are searched for binaries and debug information in addition to their usual places: --debug-path, then
 * XFERSPY_DEBUG_PATH, then /usr/lib/debug. One list for the program, filled before the first trace is read. */
#ifndef XFERSPY_ANALYZER_SYMBOLS_DEBUG_PATH_H
#define XFERSPY_ANALYZER_SYMBOLS_DEBUG_PATH_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

/* Adds folders, separated by colons; empty names are ignored. */
void xs_debug_path_add(const char *folders);

/* Returns the folders in order, NULL after the last. `given`: a person named it, so files directly in it count as
 * well. */
const char *xs_debug_path_folder(size_t i, bool *given);

/* --debug-path DIR, for the argp children of a command that resolves addresses; it takes no input. */
extern const struct argp xs_debug_path_argp;
#define XS_DEBUG_PATH_CHILD                                                                                            \
    { &xs_debug_path_argp, 0, NULL, 0 }

#endif
