/* The files of a session: the trace, its spool, and what is put aside for the end. Drain thread only. */
#ifndef XFERSPY_PRELOAD_SESSION_FILES_H
#define XFERSPY_PRELOAD_SESSION_FILES_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "preload/session/naming.h"
#include "preload/session/options.h"
#include "schema/spool/spool_place.h"
#include "schema/write/store.h"

struct xs_files {
    char path[PATH_MAX + 128];               /* the trace */
    char runtime_dir[XS_SPOOL_FOLDER_BYTES]; /* xs_spool_runtime_dir of the thread that starts the session */
    struct xs_spool_files spool;
    int trace;   /* descriptor by which the trace is known under any name (O_PATH), or -1 */
    int ballast; /* descriptor of room for the last words on a disk that fills up, or -1 */
};

/* Creates spool and trace under the wanted name, or the first behind it that is free. Folders are made where their
 * names come from a % of the template, because nobody can have made them before. `clock` has begun (xs_clock_begin).
 * On error returns a status and says why in `why`, and leaves nothing behind but folders. */
int xs_files_create(struct xs_files *files, const struct xs_trace_name *wish, const struct xs_options *options,
                    const struct xs_clock *clock, struct xs_spool *spool, struct xs_store **store, char *why,
                    size_t bytes);

/* What the trace says of its spool. */
void xs_files_write(const struct xs_files *files, struct xs_store *store, const struct xs_spool *spool);

void xs_files_give_ballast_back(struct xs_files *files);

/* The trace has no name any more. */
bool xs_files_are_deleted(const struct xs_files *files);

/* The folder of the trace's name is no longer there. */
bool xs_files_folder_is_gone(const struct xs_files *files);

/* This process may make files only up to some size (RLIMIT_FSIZE). */
bool xs_files_have_limit(void);

/* Closes the trace, and learns the name that it may have been given meanwhile. XS_ERROR_NOT_FOUND: it was deleted. A
 * trace that was only renamed is whole. */
int xs_files_close(struct xs_files *files, struct xs_store *store);

/* Deletes everything again. */
void xs_files_discard(struct xs_files *files);

#endif
