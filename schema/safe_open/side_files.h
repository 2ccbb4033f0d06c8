/* Side files lie beside a trace: the spool, and SQLite's journal, log and log index. Anyone with write access to the
 * folder can plant one, so only those of the trace's owner are used. */
#ifndef XFERSPY_SCHEMA_SAFE_OPEN_SIDE_FILES_H
#define XFERSPY_SCHEMA_SAFE_OPEN_SIDE_FILES_H

#include <stdbool.h>

/* Writes `path` with a suffix into a buffer of XS_PATH_BYTES; false where it does not fit. */
#define XS_PATH_BYTES 4224
bool xs_beside(char *buffer, const char *path, const char *suffix);

/* Writes a file's real name into a buffer of XS_PATH_BYTES: SQLite resolves symbolic links, so its own files lie beside
 * that name. Writes `path` itself if it does not exist. */
void xs_resolve(const char *path, char *file);

/* The fault of a side file that could be another user's; stands in a message behind its name. */
#define XS_LINKED_BESIDE "a file beside it has another name, too"

/* The message for a trace with a journal that names another file; takes the trace's name. */
#define XS_JOURNAL_REFUSED "%s: not read: the journal beside it names another file, which SQLite would delete"

struct xs_side_files {
    bool left_over;  /* the trace's owner has a spool here, or a non-empty log or journal: recovery may be needed */
    bool unfinished; /* such a spool or log exists */
    bool journal;    /* such a journal exists */
    bool foreign;    /* a side file is another user's, or not a regular file: to be ignored */
    bool linked;     /* a side file has more than one name: writes to it also change another place */
    const char *suffix, *why; /* suffix and fault of the first foreign file: "-wal", "is another user's" */
    bool super_journal; /* the journal names another file, which SQLite would delete; no journal of xferspy's does */
    bool owned;         /* the trace belongs to this user */
};

/* Looks beside `path`, a result of xs_resolve, and opens only the journal. Sets everything false if the trace itself
 * cannot be examined. */
void xs_side_files_look(const char *path, struct xs_side_files *side);

/* True when the name of one of SQLite's side files is already taken, by anything, beside a trace not yet made. SQLite
 * would use that file, or fail to delete it. */
bool xs_side_files_taken(const char *path);

/* True when SQLite's files beside a newly made trace are this user's alone. A user with write access to the folder can
 * have planted one in between, and could truncate a file that SQLite maps. */
bool xs_side_files_are_own(const char *path);

#endif
