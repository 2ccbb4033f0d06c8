/* Manages the files of a session: the trace, the trace's spool, and a reserve of disk space for the final records. Only
 * the drain thread may call these functions. */
#ifndef XFERSPY_PRELOAD_SESSION_FILES_H
#define XFERSPY_PRELOAD_SESSION_FILES_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "preload/session/naming.h"
#include "preload/session/options.h"
#include "schema/spool/spool_location.h"
#include "schema/write/store.h"

struct xs_files {
    char path[PATH_MAX + 128];               /* path of the trace */
    char runtime_dir[XS_SPOOL_FOLDER_BYTES]; /* result of xs_spool_runtime_dir on the thread that starts the session */
    struct xs_spool_files spool;
    int trace;   /* O_PATH descriptor of the trace, which stays valid if the trace is renamed; -1: none */
    int ballast; /* descriptor of an unnamed file whose space is freed for the final records; -1: none */
};

/* Creates the spool and the trace under the requested name, or under the first free name after it. A missing folder is
 * created only if a field of the template, such as %p, is in its path. The user cannot have created such a folder
 * before the run, because the field gets its value when the run starts. `clock` must have been started
 * (xs_clock_begin). Returns 0, or an error with its reason in `why`; after an error no files are left, but folders may
 * be. */
int xs_files_create(struct xs_files *files, const struct xs_trace_name *wish, const struct xs_options *options,
                    const struct xs_clock *clock, struct xs_spool *spool, struct xs_store **store, char *why,
                    size_t bytes);

/* Writes facts about the spool into the trace. */
void xs_files_write(const struct xs_files *files, struct xs_store *store, const struct xs_spool *spool);

void xs_files_give_ballast_back(struct xs_files *files);

/* True if the trace was deleted, so that it no longer has a name. */
bool xs_files_are_deleted(const struct xs_files *files);

/* True if the folder in `path` no longer exists. */
bool xs_files_folder_is_gone(const struct xs_files *files);

/* True if this process has a limit on the size of files (RLIMIT_FSIZE). */
bool xs_files_have_limit(void);

/* Closes the trace. If the trace was renamed during the run, sets `path` to the new name. A trace that was renamed is
 * as complete as any other. XS_ERROR_NOT_FOUND: the trace was deleted. */
int xs_files_close(struct xs_files *files, struct xs_store *store);

/* Deletes the trace and the spool of a failed start. */
void xs_files_discard(struct xs_files *files);

#endif
