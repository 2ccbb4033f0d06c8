/* Files of a session: the trace, its spool, and room set aside for the end. Drain thread only. */
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
    char path[PATH_MAX + 128];               /* path of the trace */
    char runtime_dir[XS_SPOOL_FOLDER_BYTES]; /* xs_spool_runtime_dir, from the thread that starts the session */
    struct xs_spool_files spool;
    int trace;   /* descriptor that knows the trace under any name (O_PATH), or -1 */
    int ballast; /* descriptor of room for the final records if the disk fills up, or -1 */
};

/* Creates spool and trace under the wanted name, or the first free one after it. Folders are made only if their names
 * come from a % of the template, because nobody can have made them before. `clock` has begun (xs_clock_begin). On error
 * returns a status, says why in `why`, and leaves nothing behind but folders. */
int xs_files_create(struct xs_files *files, const struct xs_trace_name *wish, const struct xs_options *options,
                    const struct xs_clock *clock, struct xs_spool *spool, struct xs_store **store, char *why,
                    size_t bytes);

/* Writes the trace's facts about its spool. */
void xs_files_write(const struct xs_files *files, struct xs_store *store, const struct xs_spool *spool);

void xs_files_give_ballast_back(struct xs_files *files);

/* True if the trace no longer has a name. */
bool xs_files_are_deleted(const struct xs_files *files);

/* True if the folder of the trace's name no longer exists. */
bool xs_files_folder_is_gone(const struct xs_files *files);

/* True if this process has a limit on the size of files (RLIMIT_FSIZE). */
bool xs_files_have_limit(void);

/* Closes the trace, and learns the name that it may have been given meanwhile. XS_ERROR_NOT_FOUND: the trace was
 * deleted. A trace that was only renamed is whole. */
int xs_files_close(struct xs_files *files, struct xs_store *store);

/* Deletes both files again. */
void xs_files_discard(struct xs_files *files);

#endif
