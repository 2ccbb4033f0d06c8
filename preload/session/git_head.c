/* Reads the commit and the branch of a git repository; see git_head.h. */
#include "preload/session/git_head.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FOLDERS_MOST = 64, PATH_BYTES = 4352, LINE_BYTES = 512, PACKED_PIECE = 16384, PACKED_PIECES = 256 };

static int open_regular(const char *path) {
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd >= 0 && (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))) {
        close(fd);
        return -1;
    }
    return fd;
}

size_t xs_git_read_file(const char *path, char *text, size_t bytes) {
    int fd = open_regular(path);
    ssize_t n = fd >= 0 ? read(fd, text, bytes - 1) : -1;
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    return n > 0 ? (size_t)n : 0;
}

/* Reads the first line of the file `name` in a folder. False: there is none, or it is too long. */
static bool read_line(const char *folder, const char *name, char line[LINE_BYTES]) {
    char path[PATH_BYTES];
    int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    if (length < 0 || (size_t)length >= sizeof path)
        return false;
    size_t bytes = xs_git_read_file(path, line, LINE_BYTES), end = strcspn(line, "\r\n");
    if (!bytes || (end == bytes && bytes == LINE_BYTES - 1))
        return false;
    line[end] = '\0';
    return true;
}

/* True if the text begins with the number of a commit (SHA-1 or SHA-256), and nothing or a blank follows. */
static bool take_commit(const char *text, char commit[65]) {
    size_t digits = strspn(text, "0123456789abcdef");
    if ((digits != 40 && digits != 64) || (text[digits] && text[digits] != ' '))
        return false;
    memcpy(commit, text, digits);
    commit[digits] = '\0';
    return true;
}

/* A name that goes outside of the repository's folder is none of git's. */
static bool is_ref(const char *name) {
    for (const char *c = name; *c; c++)
        if ((unsigned char)*c <= ' ' || *c == 0x7f)
            return false;
    return strncmp(name, "refs/", 5) == 0 && !strstr(name, "..");
}

/* Looks for the line "COMMIT REF" of packed-refs, piece by piece, because the file of a large repository is long. */
static void find_packed(const char *folder, const char *ref, char commit[65]) {
    char path[PATH_BYTES], text[PACKED_PIECE + 1];
    size_t kept = 0;
    if (snprintf(path, sizeof path, "%s/packed-refs", folder) >= (int)sizeof path)
        return;
    int fd = open_regular(path);
    for (unsigned piece = 0; fd >= 0 && piece < PACKED_PIECES; piece++) {
        ssize_t bytes = read(fd, text + kept, PACKED_PIECE - kept);
        if (bytes <= 0)
            break;
        text[kept + (size_t)bytes] = '\0';
        char *line = text, *end;
        for (; (end = strchr(line, '\n')); line = end + 1) {
            *end = '\0';
            char *name = strchr(line, ' ');
            if (name && strcmp(name + 1, ref) == 0 && take_commit(line, commit)) {
                close(fd);
                return;
            }
        }
        kept = strlen(line);
        kept = kept < PACKED_PIECE / 2 ? kept : 0; /* a line of git is shorter */
        memmove(text, line, kept);
    }
    if (fd >= 0)
        close(fd);
}

/* Copies the path to `to`; one that is not absolute is meant from `folder`. */
static bool join(char to[PATH_BYTES], const char *folder, const char *path) {
    int length = *path == '/' ? snprintf(to, PATH_BYTES, "%s", path) : snprintf(to, PATH_BYTES, "%s/%s", folder, path);
    return length > 0 && length < PATH_BYTES;
}

/* Reads HEAD of a repository's folder. The branches of a worktree are in another folder, which commondir names. */
static bool read_head(const char *git, struct xs_git_head *head) {
    char line[LINE_BYTES], common[PATH_BYTES], ref[LINE_BYTES];
    if (!read_line(git, "HEAD", line))
        return false;
    if (take_commit(line, head->commit))
        return true;
    if (strncmp(line, "ref: ", 5) != 0 || !is_ref(line + 5))
        return false;
    memcpy(ref, line + 5, strlen(line + 5) + 1);
    if (strcmp(ref, "refs/heads/.invalid") == 0) /* branches are in a table of another form (reftable) */
        return true;
    if (strncmp(ref, "refs/heads/", 11) == 0)
        snprintf(head->branch, sizeof head->branch, "%.255s", ref + 11);
    if (!read_line(git, "commondir", line) || !join(common, git, line))
        snprintf(common, sizeof common, "%s", git);
    if (!read_line(common, ref, line) || !take_commit(line, head->commit))
        find_packed(common, ref, head->commit);
    return true;
}

/* `.git` is the repository's folder, or a file that names it, as in a worktree and in a submodule. */
static bool read_git(const char *folder, struct xs_git_head *head) {
    char git[PATH_BYTES], line[LINE_BYTES];
    struct stat st;
    if (!join(git, folder, ".git") || stat(git, &st) != 0)
        return false;
    if (S_ISDIR(st.st_mode))
        return read_head(git, head);
    return read_line(folder, ".git", line) && strncmp(line, "gitdir: ", 8) == 0 && join(git, folder, line + 8) &&
           read_head(git, head);
}

bool xs_git_head(const char *folder, struct xs_git_head *head) {
    char path[4096];
    int length = snprintf(path, sizeof path, "%s", folder);
    if (*path != '/' || length < 0 || (size_t)length >= sizeof path)
        return false;
    for (unsigned i = 0; i < FOLDERS_MOST; i++) {
        memset(head, 0, sizeof *head);
        if (read_git(path, head))
            return true;
        char *slash = strrchr(path, '/');
        if (slash == path && !path[1])
            return false;
        slash[slash == path] = '\0';
    }
    return false;
}
