/* Makes a spool in a tmpfs or beside its trace, finds it again, and deletes it.
 *
 * If there is a tmpfs with enough room, the spool is in a folder of this user there, so threads that write events never
 * have to wait for a disk. The file remains in the tmpfs when the process is killed. If the spool is in a tmpfs, there
 * is a *pointer* to the spool beside the trace: a copy of the spool's header, with the name NAME.db.spool. If there is
 * no tmpfs with enough room, the spool itself is beside the trace, with the name NAME.db.spool.
 *
 * The folder is /dev/shm/xferspy-UID or $XDG_RUNTIME_DIR/xferspy-UID, mode 0700. The file's name is a random number of
 * 128 bits, which is also in the trace (meta spool.id). Therefore nobody else can make a false spool, truncate a spool,
 * or refer to a spool of another user. */
#ifndef XFERSPY_SCHEMA_SPOOL_SPOOL_LOCATION_H
#define XFERSPY_SCHEMA_SPOOL_SPOOL_LOCATION_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "schema/safe_open/side_files.h"
#include "schema/spool/spool.h"

#define XS_SPOOL_POINTER_MAGIC UINT64_C(0x3152545050535358) /* "XSSPPTR1" */

/* A spool may take at most 1/XS_SPOOL_SHARE_OF_MEMORY of a tmpfs's free space. Other programs use the tmpfs as well,
 * and some of them crash when it is full. */
#define XS_SPOOL_SHARE_OF_MEMORY 8u

struct xs_spool_files {
    char beside[XS_PATH_BYTES]; /* path of the spool, or of the pointer to it */
    dev_t device;               /* identity of the file `beside`; inode 0: not known */
    ino_t inode;
    char memory[XS_SPOOL_FOLDER_BYTES + 64u]; /* path of the spool in a tmpfs; "": the spool is beside the trace */
};

/* Returns $XDG_RUNTIME_DIR, or "" if it cannot be used. */
const char *xs_spool_runtime_dir(void);

/* Finds the folder of this user for files in memory, and makes it if it is missing. `runtime_dir` is a result of
 * xs_spool_runtime_dir. False: there is no safe tmpfs, or the spools of this user take too much of it already. `folder`
 * has XS_SPOOL_FOLDER_BYTES bytes. */
bool xs_spool_own_folder(const char *runtime_dir, char *folder);

/* Writes to `folders` those folders in which the user `uid` may have files in memory, and returns their number. A
 * folder is left out if it does not exist or cannot be opened, if it belongs to another user, or if others have access
 * to it. Reads the environment (XDG_RUNTIME_DIR), so only commands may call this function. */
enum { XS_SPOOL_FOLDERS = 2 };
size_t xs_spool_folders_of(uid_t uid, char folders[XS_SPOOL_FOLDERS][XS_SPOOL_FOLDER_BYTES]);

/* Creates the spool for a trace that will be made at the absolute path `trace`. `bound_bytes` limits the events that
 * wait to be drained (header->chunk_bound), and `limit_bytes` limits the whole spool. `runtime_dir` is an earlier
 * result of xs_spool_runtime_dir, because the drain thread must not read the environment while the application may
 * change it; NULL: the spool must not be in memory. Returns the same as xs_spool_create; errno EEXIST means that the
 * name beside the trace is taken. */
int xs_spool_create_for_trace(const char *trace, size_t bound_bytes, size_t limit_bytes, unsigned first_chunks,
                              const char *runtime_dir, struct xs_spool *spool, struct xs_spool_files *files);

/* Runs before the first event, when the trace exists and contains the spool's id. Writes the identity of the trace's
 * file into the spool. */
void xs_spool_start(struct xs_spool *spool, const char *trace);

/* Runs when all events are in the trace. Deletes the spool and the pointer. If the process may not delete the spool
 * any more, because it has changed its user, frees the spool's memory instead, except chunks that a thread still has.
 * Must be called on the thread that created the spool. */
void xs_spool_finish(struct xs_spool *spool, const struct xs_spool_files *files);

/* Deletes the spool and the pointer. The file beside the trace is not deleted if it is another file than the one in
 * `files`. */
void xs_spool_delete(const struct xs_spool_files *files);

/* Deletes files that killed processes of this user left in a folder of spools and that nobody needs: spools whose
 * events are all in the trace, spools without an event, and spools whose trace has been missing for three days. A spool
 * is deleted only if a process that has ended wrote it in the present boot and in this process's namespaces; for a file
 * without a header only the age is checked. This function examines other processes and the paths of their traces, which
 * may be slow, so only commands may call it, not the library. `folder` is a folder that contains spools in memory. */
void xs_spool_sweep(const char *folder);

/* Calls xs_spool_sweep for all folders in which there may be spools of this user. */
void xs_spool_sweep_own(void);

/* The reason why the spool of a pointer was not opened. */
enum xs_spool_absence {
    XS_SPOOL_NOT_FOLLOWED = 0, /* the pointer is beside a copy, or the pointer's owner does not own the spool */
    XS_SPOOL_GONE,             /* the file does not exist */
    XS_SPOOL_UNKNOWN_FOLDER,   /* the folder in the pointer is no folder for spools */
    XS_SPOOL_NO_ACCESS,
};

struct xs_spool_found {
    enum xs_spool_absence absence;
    uid_t owner;                     /* owner of the pointer */
    struct xs_spool spool;           /* opened spool; header NULL: the spool was not opened */
    struct xs_spool_header *pointer; /* NULL: there is no pointer */
    struct xs_spool_files files;
};

/* Opens the spool of a trace. XS_ERROR_NOT_FOUND: there is neither a spool nor a pointer. XS_OK with spool.header NULL:
 * there is a pointer, but its spool was not opened, for the reason in `absence`. Otherwise returns the same as
 * xs_spool_open. The caller must call xs_spool_found_free in any case. */
int xs_spool_find(const char *trace, struct xs_spool_found *found);

/* Does the same as xs_spool_find, but never opens the spool of a pointer. */
int xs_spool_find_beside(const char *trace, struct xs_spool_found *found);
void xs_spool_found_free(struct xs_spool_found *found);

/* Returns the header that identifies the writer: the spool's, or the pointer's if there is no spool. */
static inline const struct xs_spool_header *xs_spool_found_header(const struct xs_spool_found *found) {
    return found->spool.header ? found->spool.header : found->pointer;
}

/* True if the process of a trace was killed during the start of the session. The files that it left belong to this user
 * and cannot contain an event; the trace itself may be missing. Changes nothing. */
bool xs_spool_is_unstarted(const char *trace);

/* If xs_spool_is_unstarted returns true for the trace, deletes the files that the process left and the trace itself,
 * and returns true. */
bool xs_spool_clear_unstarted(const char *trace);

#endif
