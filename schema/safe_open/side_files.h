/* Side files are the files beside a trace: the spool, and SQLite's journal, log and log index. Anyone with write access
 * to the folder can put such a file there, so side files are used only if they belong to the trace's owner. */
#ifndef XFERSPY_SCHEMA_SAFE_OPEN_SIDE_FILES_H
#define XFERSPY_SCHEMA_SAFE_OPEN_SIDE_FILES_H

#include <stdbool.h>

/* Writes `path` with a suffix into a buffer of XS_PATH_BYTES bytes; false: it does not fit. */
#define XS_PATH_BYTES 4224
bool xs_beside(char *buffer, const char *path, const char *suffix);

/* Writes a file's name, with symbolic links resolved, into a buffer of XS_PATH_BYTES bytes. SQLite resolves links as
 * well, so the side files are beside this name. If the file does not exist, writes `path` itself. */
void xs_resolve(const char *path, char *file);

/* Text of a message about a side file that has more than one name. The message begins with the trace's name. */
#define XS_LINKED_BESIDE "a file beside it has another name, too"

/* Format of the message for a trace whose journal names another file; its argument is the trace's name. */
#define XS_JOURNAL_REFUSED "%s: not read: the journal beside it names another file, which SQLite would delete"

struct xs_side_files {
    bool left_over;  /* a non-empty spool, log or journal of the trace's owner exists; recovery may be needed */
    bool unfinished; /* the trace's owner has left a spool or a non-empty log */
    bool journal;    /* the trace's owner has left a non-empty journal */
    bool foreign;    /* a side file belongs to another user, or is no regular file; it must be ignored */
    bool linked;     /* a side file has more than one name, so writes to it change the file of the other name */
    const char *suffix, *why; /* of the first foreign file: suffix and fault, such as "-wal", "is another user's" */
    bool super_journal; /* the journal names another file, which SQLite would delete; xferspy's journals name none */
    bool owned;         /* the trace belongs to this user */
};

/* Examines the files beside `path`, which must be a result of xs_resolve. Opens only the journal. If the trace itself
 * cannot be examined, all fields are false. */
void xs_side_files_look(const char *path, struct xs_side_files *side);

/* True if this user may write to the file and to its folder, so that SQLite can make its journal beside the file. */
bool xs_side_files_can_be_made(const char *path);

/* Runs before a trace is made. True if anything exists under the name of one of SQLite's side files, because SQLite
 * would use that file, or fail to delete it. */
bool xs_side_files_taken(const char *path);

/* Runs after a trace was made. True if SQLite's files beside it belong to this user and have no other name. If the
 * result is false, another user with write access to the folder may have put a file there, and could truncate this file
 * while SQLite has it mapped. */
bool xs_side_files_are_own(const char *path);

#endif
