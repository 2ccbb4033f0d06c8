/* Examines the files beside a trace, and their owners; see side_files.h. */
#include "schema/safe_open/side_files.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool xs_beside(char *buffer, const char *path, const char *suffix) {
    int n = snprintf(buffer, XS_PATH_BYTES, "%s%s", path, suffix);
    return n > 0 && n < XS_PATH_BYTES;
}

bool xs_side_files_can_be_made(const char *path) {
    char directory[XS_PATH_BYTES];
    snprintf(directory, sizeof directory, "%s", path);
    char *slash = strrchr(directory, '/');
    if (slash)
        slash[slash == directory ? 1 : 0] = 0;
    return access(slash ? directory : ".", W_OK) == 0 && access(path, W_OK) == 0;
}

void xs_resolve(const char *path, char *file) {
    _Static_assert(XS_PATH_BYTES >= PATH_MAX, "realpath needs that much");
    if (!realpath(path, file))
        snprintf(file, XS_PATH_BYTES, "%s", path);
}

/* True if a journal names a super-journal. The journal of a transaction over several databases ends with a record that
 * has this name and ends with the magic number of journals (SQLite's pager.c, readSuperJournal). */
static bool names_super_journal(const char *journal) {
    static const unsigned char magic[8] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
    unsigned char end[sizeof magic] = {0};
    struct stat st;
    int fd = open(journal, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    if (fd < 0)
        return false;
    bool named = fstat(fd, &st) == 0 && st.st_size >= 16 &&
                 pread(fd, end, sizeof end, st.st_size - (off_t)sizeof end) == (ssize_t)sizeof end &&
                 memcmp(end, magic, sizeof magic) == 0;
    close(fd);
    return named;
}

void xs_side_files_look(const char *path, struct xs_side_files *side) {
    static const char *const suffixes[] = {".spool", "-wal", "-journal", "-shm"};
    struct stat trace, st;
    *side = (struct xs_side_files){0};
    if (stat(path, &trace) != 0)
        return;
    side->owned = trace.st_uid == geteuid();
    for (unsigned i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        char name[XS_PATH_BYTES];
        if (!xs_beside(name, path, suffixes[i]) || lstat(name, &st) != 0)
            continue;
        if (st.st_uid != trace.st_uid || !S_ISREG(st.st_mode)) {
            side->suffix = side->foreign ? side->suffix : suffixes[i];
            side->why = side->foreign ? side->why : S_ISREG(st.st_mode) ? "is another user's" : "is no regular file";
            side->foreign = true;
            continue;
        }
        bool journal = strcmp(suffixes[i], "-journal") == 0;
        side->linked = side->linked || st.st_nlink != 1;
        if (st.st_size > 0 && strcmp(suffixes[i], "-shm") != 0) {
            side->left_over = true;
            side->journal = side->journal || journal;
            side->unfinished = side->unfinished || !journal;
            side->super_journal = side->super_journal || (journal && names_super_journal(name));
        }
    }
}

static const char *const of_sqlite[] = {"-wal", "-journal", "-shm"};
enum { OF_SQLITE = sizeof of_sqlite / sizeof *of_sqlite };

bool xs_side_files_taken(const char *path) {
    char name[XS_PATH_BYTES];
    struct stat st;
    for (unsigned i = 0; i < OF_SQLITE; i++)
        if (xs_beside(name, path, of_sqlite[i]) && lstat(name, &st) == 0)
            return true;
    return false;
}

bool xs_side_files_are_own(const char *path) {
    char name[XS_PATH_BYTES];
    struct stat st;
    for (unsigned i = 0; i < OF_SQLITE; i++)
        if (xs_beside(name, path, of_sqlite[i]) && lstat(name, &st) == 0 &&
            (st.st_uid != geteuid() || !S_ISREG(st.st_mode) || st.st_nlink != 1))
            return false;
    return true;
}
