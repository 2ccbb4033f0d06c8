/* The files that lie beside a trace: the spool, and SQLite's journal, log and the log's index. Anyone who may write to
 * the folder can put one there, so only those of the trace's own owner are used. */
#ifndef XFERSPY_SCHEMA_FILE_SIDE_FILES_H
#define XFERSPY_SCHEMA_FILE_SIDE_FILES_H

#include <stdbool.h>

/* `path` with a suffix, in a buffer of XS_PATH_BYTES; false where it does not fit. */
#define XS_PATH_BYTES 4224
bool xs_beside(char *buffer, const char *path, const char *suffix);

/* The name under which a file really lies, in a buffer of XS_PATH_BYTES: SQLite resolves symbolic links, so the files
 * that it uses lie beside that name. `path` itself where there is none. */
void xs_resolve(const char *path, char *file);

/* What is said of a trace with a foreign file, behind its name: the file's suffix, and what is wrong with it. */
#define XS_FOREIGN_BESIDE "the file beside it that ends in %s %s"
#define XS_ANOTHERS_JOURNAL "the journal beside it is not the trace's"
#define XS_LINKED_BESIDE "a file beside it has another name, too"

/* What is said of a trace whose journal names another file, after its name. */
#define XS_NAMES_ANOTHER_FILE "the journal beside it names another file, which SQLite would delete"

struct xs_side_files {
    bool left_over;  /* a spool, or a log or journal with content, of the trace's owner: something may have to be
                        recovered */
    bool unfinished; /* a spool or a log of these */
    bool journal;    /* a journal of these */
    bool foreign;    /* one that is another user's, or no regular file: to be ignored */
    bool linked;     /* one has more than one name: what is written into it goes somewhere else, too */
    const char *suffix, *why; /* of the first that is foreign: "-wal", "is another user's" */
    bool super_journal; /* the journal names another file, which SQLite would delete; no journal of xferspy's does */
    bool owned;         /* the trace belongs to this user */
};

/* Looks beside `path`, which xs_resolve gave, and opens nothing but the journal. Where the trace itself cannot be
 * looked at, everything is false. */
void xs_side_files_look(const char *path, struct xs_side_files *side);

/* Whether one of SQLite's files beside a trace that is not there yet has its name already, whatever it is. SQLite would
 * use it, or fail to delete it. */
bool xs_side_files_taken(const char *path);

/* Whether SQLite's files beside a trace that was just made are this user's alone. Who may write to the folder can have
 * put one there in between, and could cut off what SQLite maps. */
bool xs_side_files_are_own(const char *path);

#endif
