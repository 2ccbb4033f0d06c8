/* A spool lies in a tmpfs or beside its trace, and is found again there.
 *
 * In a tmpfs with enough room it lies in a folder of this user's own: no page that a thread writes an event into ever
 * waits for a disk. The tmpfs keeps the file when the process dies. A pointer to it lies beside the trace: a copy of
 * the spool's header, under the name that the spool would have there. Elsewhere the spool itself lies beside the trace,
 * as NAME.db.spool.
 *
 * The folder is /dev/shm/xferspy-UID or $XDG_RUNTIME_DIR/xferspy-UID, mode 0700. The file's name is a random number of
 * 128 bits, which the trace has, too (meta spool.id). So nobody else can plant a spool, truncate one, or name one that
 * belongs to another user. */
#ifndef XFERSPY_SCHEMA_SPOOL_SPOOL_PLACE_H
#define XFERSPY_SCHEMA_SPOOL_SPOOL_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "schema/safe_open/side_files.h"
#include "schema/spool/spool.h"

#define XS_SPOOL_POINTER_MAGIC UINT64_C(0x3152545050535358) /* "XSSPPTR1" */

/* A spool takes at most this fraction of a tmpfs's free space. Other programs use the tmpfs, and some die when it is
 * full. */
#define XS_SPOOL_SHARE_OF_MEMORY 8u

struct xs_spool_files {
    char beside[XS_PATH_BYTES]; /* path of the spool, or of the pointer to it */
    dev_t device;               /* identity of that file; inode 0: not known */
    ino_t inode;
    char memory[XS_SPOOL_FOLDER_BYTES + 64u]; /* path of the spool in a tmpfs; "": it lies beside the trace */
};

/* Returns $XDG_RUNTIME_DIR, "" where it is unusable. */
const char *xs_spool_runtime_dir(void);

/* Creates the spool for the trace to be made at the absolute path `trace`. `bound_bytes` limits the backlog
 * (header->chunk_bound), `limit_bytes` the whole spool. `runtime_dir` is the result of xs_spool_runtime_dir, because
 * the drain thread may not read the environment while the application may change it; NULL: not in memory. Returns as
 * xs_spool_create does; errno EEXIST: the name beside the trace is taken. */
int xs_spool_place(const char *trace, size_t bound_bytes, size_t limit_bytes, unsigned first_chunks,
                   const char *runtime_dir, struct xs_spool *spool, struct xs_spool_files *files);

/* Records the trace file's identity in the spool, once the trace exists and has the spool's number. Before the first
 * event. */
void xs_spool_start(struct xs_spool *spool, const char *trace);

/* Deletes the files once everything is in the trace. If the process may no longer delete them (it changed its user),
 * frees the spool's memory, except what a thread still writes to. Opening thread only. */
void xs_spool_finish(struct xs_spool *spool, const struct xs_spool_files *files);

/* Deletes the files; the one beside the trace only if it is still the same file. */
void xs_spool_delete(const struct xs_spool_files *files);

/* Deletes what killed processes of this user left in a folder of spools and nobody needs: spools without an event, and
 * spools with a trace that has been missing for three days. Only spools that were written in this boot and these
 * namespaces, by a process that is gone; a file without a header counts by its age. Examines other processes and the
 * paths of their traces, so only commands may call it. `folder` is the folder of xs_spool_files.memory. */
void xs_spool_sweep(const char *folder);

/* Sweeps all folders in which a spool of this user may lie. */
void xs_spool_sweep_own(void);

/* Absence says why the spool behind a pointer was not opened. */
enum xs_spool_absence {
    XS_SPOOL_NOT_FOLLOWED = 0, /* the pointer lies beside a copy, or its owner does not own the spool */
    XS_SPOOL_GONE,             /* the file does not exist */
    XS_SPOOL_UNKNOWN_FOLDER,   /* the folder is not one in which spools lie */
    XS_SPOOL_NO_ACCESS,
};

struct xs_spool_found {
    enum xs_spool_absence absence;
    uid_t owner;                     /* owner of the pointer */
    struct xs_spool spool;           /* opened; header NULL: the spool is not here */
    struct xs_spool_header *pointer; /* NULL: there is no pointer */
    struct xs_spool_files files;
};

/* Opens the spool of a trace. XS_ERROR_NOT_FOUND: there is none. XS_OK with spool.header NULL: a pointer leads to a
 * spool that is not here, or does not belong to the trace's owner. Otherwise returns as xs_spool_open does. The caller
 * frees `found` in any case. */
int xs_spool_find(const char *trace, struct xs_spool_found *found);

/* Looks like xs_spool_find, but does not follow a pointer: its spool counts as not here. */
int xs_spool_find_beside(const char *trace, struct xs_spool_found *found);
void xs_spool_found_free(struct xs_spool_found *found);

/* Returns the header that identifies the writer: the spool's, or the pointer's. */
static inline const struct xs_spool_header *xs_spool_found_header(const struct xs_spool_found *found) {
    return found->spool.header ? found->spool.header : found->pointer;
}

/* True when the process of a trace was killed during its start: it left files of this user's, with or without the
 * trace, in which no event can be. Changes nothing. */
bool xs_spool_is_unstarted(const char *trace);

/* Deletes what such a process left beside the name of a trace, and the trace itself. True if there was anything. */
bool xs_spool_clear_unstarted(const char *trace);

#endif
