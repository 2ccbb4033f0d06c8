/* Where a spool lies, and how it is found again.
 *
 * In a folder of this user's own in a tmpfs, where there is one with enough room: then no page that a thread writes an
 * event into ever waits for a disk. The tmpfs holds the file when the process dies. Beside the trace lies a pointer to
 * it then, a copy of the spool's header under the name that the spool would have there. Elsewhere the spool itself lies
 * beside the trace, as NAME.db.spool.
 *
 * The folder is /dev/shm/xferspy-UID or $XDG_RUNTIME_DIR/xferspy-UID, mode 0700; the file's name is a random number of
 * 128 bits, which is in the trace, too (meta spool.id). So nobody else can plant a spool, cut one off, or name one that
 * is not his. */
#ifndef XFERSPY_SCHEMA_SPOOL_SPOOL_PLACE_H
#define XFERSPY_SCHEMA_SPOOL_SPOOL_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "schema/safe_open/side_files.h"
#include "schema/spool/spool.h"

#define XS_SPOOL_POINTER_MAGIC UINT64_C(0x3152545050535358) /* "XSSPPTR1" */

/* A spool takes at most one part in so many of what is free in a tmpfs. Other programs use it, and some die where it is
 * full. */
#define XS_SPOOL_SHARE_OF_MEMORY 8u

struct xs_spool_files {
    char beside[XS_PATH_BYTES]; /* the spool, or the pointer to it */
    dev_t device;               /* of that file, and its number; 0: not known */
    ino_t inode;
    char memory[XS_SPOOL_FOLDER_BYTES + 64u]; /* the spool in a tmpfs; "": it lies beside the trace */
};

/* $XDG_RUNTIME_DIR, "" where it is of no use. */
const char *xs_spool_runtime_dir(void);

/* Creates the spool of the trace that is going to be made at `trace`, which is absolute. `bound_bytes` bounds what
 * waits in it (header->chunk_bound), `limit_bytes` all of it. `runtime_dir` is what xs_spool_runtime_dir said, because
 * the drain thread may not read the environment while the application may change it; NULL: not in memory. As
 * xs_spool_create; errno EEXIST: the name beside the trace is taken. */
int xs_spool_place(const char *trace, size_t bound_bytes, size_t limit_bytes, unsigned first_chunks,
                   const char *runtime_dir, struct xs_spool *spool, struct xs_spool_files *files);

/* The trace was made, and has the spool's number: says in the spool which file it is. Before the first event. */
void xs_spool_start(struct xs_spool *spool, const char *trace);

/* Everything is in the trace: deletes the files. Where the process may not do so any more (it changed its user), gives
 * the memory of the spool back, except what a thread still writes to. The opening thread only. */
void xs_spool_finish(struct xs_spool *spool, const struct xs_spool_files *files);

/* Deletes the files; what lies beside the trace only if it is still the same file there. */
void xs_spool_delete(const struct xs_spool_files *files);

/* Deletes what killed processes of this user left in a folder of spools, where it can serve nobody any more: spools
 * that have no event, and spools whose trace has been missing for three days. Only what was written in this boot and
 * these namespaces, by a process that is gone. Looks at other processes and at the paths of their traces, so it is for
 * commands only. `folder` is that of xs_spool_files.memory. */
void xs_spool_sweep(const char *folder);

/* The same for all folders in which a spool of this user's may lie. */
void xs_spool_sweep_own(void);

/* Why a spool to which there is a pointer was not opened. */
enum xs_spool_absence {
    XS_SPOOL_NOT_FOLLOWED = 0, /* the pointer lies beside a copy, or the spool is not of the pointer's owner */
    XS_SPOOL_GONE,             /* there is no such file */
    XS_SPOOL_UNKNOWN_FOLDER,   /* it is none of those in which spools lie */
    XS_SPOOL_NO_ACCESS,
};

struct xs_spool_found {
    enum xs_spool_absence absence;
    uid_t owner;                     /* of the pointer */
    struct xs_spool spool;           /* opened; no header where it is not here */
    struct xs_spool_header *pointer; /* NULL: there is none */
    struct xs_spool_files files;
};

/* Opens the spool of a trace. XS_ERROR_NOT_FOUND: there is none. XS_OK with spool.header NULL: there is a pointer to
 * one that is not here, or not the trace's owner's. Otherwise as xs_spool_open. Free it in any case. */
int xs_spool_find(const char *trace, struct xs_spool_found *found);

/* The same, but a pointer is not followed: what it leads to counts as not here. */
int xs_spool_find_beside(const char *trace, struct xs_spool_found *found);
void xs_spool_found_free(struct xs_spool_found *found);

/* The header by which the writer is told: the spool's, or the pointer's. */
static inline const struct xs_spool_header *xs_spool_found_header(const struct xs_spool_found *found) {
    return found->spool.header ? found->spool.header : found->pointer;
}

/* Whether the process of a trace was killed during its start: what it left, the trace among it or not, are files of
 * this user's in which no event can be. Changes nothing. */
bool xs_spool_is_unstarted(const char *trace);

/* Deletes what such a process left beside the name of a trace, with the trace. Returns true if there was something. */
bool xs_spool_clear_unstarted(const char *trace);

#endif
