/* The origin of a trace; see origin.h. */
#include "schema/read/origin.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "schema/read/merged.h"
#include "schema/read/trace.h"
#include "schema/source/siphash.h"

enum { ID_BYTES = 16 };

/* What is hashed: of fixed length, so that nothing of it can be taken for something else. */
struct message {
    char purpose[16];
    uint8_t id[ID_BYTES];
    uint64_t device, inode;
    int64_t born_s, born_ns; /* 0: the file system does not say */
};

void xs_origin_find_place(struct xs_origin_place *place) {
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    place->is_home = !state || *state != '/';
    const char *above = !place->is_home ? state : home && *home == '/' ? home : "";
    int n = snprintf(place->above, sizeof place->above, "%s", above);
    if (n < 0 || (size_t)n >= sizeof place->above)
        place->above[0] = 0;
}

static bool state_folder(const struct xs_origin_place *place, char *folder, size_t bytes, const char **below) {
    *below = place->is_home ? "/.local/state/xferspy" : "/xferspy";
    int n = snprintf(folder, bytes, "%s", place->above);
    return n > 0 && (size_t)n + strlen(*below) + 64 < bytes;
}

/* Appends the parts of `below` one by one, making those that are not there. */
static bool make_folders(char *folder, const char *below) {
    size_t length = strlen(folder);
    for (const char *p = below; *p;) {
        size_t part = 1 + strcspn(p + 1, "/");
        memcpy(folder + length, p, part);
        length += part;
        folder[length] = 0;
        if (mkdir(folder, 0700) != 0 && errno != EEXIST)
            return false;
        p += part;
    }
    return true;
}

static bool read_key(const char *path, uint8_t key[XS_SIPHASH_KEY_BYTES]) {
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY);
    if (fd < 0)
        return false;
    bool good = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
                !(st.st_mode & (S_IRWXG | S_IRWXO)) && st.st_size == XS_SIPHASH_KEY_BYTES &&
                read(fd, key, XS_SIPHASH_KEY_BYTES) == XS_SIPHASH_KEY_BYTES;
    close(fd);
    return good;
}

/* Under a name of its own first, so that nobody reads half a key, and then only where there is none. */
static void make_key(const char *path) {
    uint8_t key[XS_SIPHASH_KEY_BYTES];
    char temporary[PATH_MAX];
    int n = snprintf(temporary, sizeof temporary, "%s.%ld", path, (long)getpid());
    if (n < 0 || (size_t)n >= sizeof temporary || getrandom(key, sizeof key, GRND_NONBLOCK) != (ssize_t)sizeof key)
        return;
    int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return;
    bool written = write(fd, key, sizeof key) == (ssize_t)sizeof key;
    if (close(fd) == 0 && written && link(temporary, path) != 0)
        errno = 0; /* another process was quicker, or there are no links here */
    unlink(temporary);
}

static bool get_key(const struct xs_origin_place *place, uint8_t key[XS_SIPHASH_KEY_BYTES], bool make) {
    char path[PATH_MAX];
    const char *below;
    if (geteuid() != getuid() || !state_folder(place, path, sizeof path, &below))
        return false;
    size_t length = strlen(path);
    snprintf(path + length, sizeof path - length, "%s/key", below);
    if (read_key(path, key))
        return true;
    path[length] = 0;
    if (!make || (!place->is_home && mkdir(path, 0700) != 0 && errno != EEXIST) || !make_folders(path, below))
        return false;
    strcat(path, "/key");
    make_key(path);
    return read_key(path, key);
}

static bool describe(const char *path, struct message *message) {
    struct statx st;
    int rc = statx(AT_FDCWD, path, AT_STATX_SYNC_AS_STAT, STATX_BASIC_STATS | STATX_BTIME, &st);
    if (rc != 0 || !S_ISREG(st.stx_mode) || st.stx_uid != geteuid())
        return false;
    bool born = st.stx_mask & STATX_BTIME;
    memcpy(message->purpose, "xferspy origin 1", sizeof message->purpose);
    message->device = makedev(st.stx_dev_major, st.stx_dev_minor);
    message->inode = st.stx_ino;
    message->born_s = born ? st.stx_btime.tv_sec : 0;
    message->born_ns = born ? st.stx_btime.tv_nsec : 0;
    return true;
}

static void format(const struct message *message, const uint8_t key[XS_SIPHASH_KEY_BYTES],
                   char value[XS_ORIGIN_BYTES]) {
    uint64_t hash[2];
    xs_siphash(key, message, sizeof *message, hash);
    for (size_t i = 0; i < ID_BYTES; i++)
        snprintf(value + 2 * i, 3, "%02x", message->id[i]);
    snprintf(value + 32, 33, "%016llx%016llx", (unsigned long long)hash[1], (unsigned long long)hash[0]);
}

bool xs_origin_sign_at(const char *path, const struct xs_origin_place *place, char value[XS_ORIGIN_BYTES]) {
    uint8_t key[XS_SIPHASH_KEY_BYTES];
    struct message message = {0};
    if (!describe(path, &message) || getrandom(message.id, ID_BYTES, GRND_NONBLOCK) != ID_BYTES ||
        !get_key(place, key, true))
        return false;
    format(&message, key, value);
    return true;
}

bool xs_origin_sign(const char *path, char value[XS_ORIGIN_BYTES]) {
    struct xs_origin_place place;
    xs_origin_find_place(&place);
    return xs_origin_sign_at(path, &place, value);
}

bool xs_origin_verify(const char *path, const char *value) {
    static const char digits[] = "0123456789abcdef";
    uint8_t key[XS_SIPHASH_KEY_BYTES];
    char expected[XS_ORIGIN_BYTES];
    struct xs_origin_place place;
    struct message message = {0};
    unsigned differ = 0;
    xs_origin_find_place(&place);
    if (strlen(value) != XS_ORIGIN_BYTES - 1 || strspn(value, digits) != XS_ORIGIN_BYTES - 1 ||
        !describe(path, &message) || !get_key(&place, key, false))
        return false;
    for (size_t i = 0; i < ID_BYTES; i++) {
        message.id[i] =
            (uint8_t)((strchr(digits, value[2 * i]) - digits) << 4 | (strchr(digits, value[2 * i + 1]) - digits));
    }
    format(&message, key, expected);
    for (size_t i = 0; i < XS_ORIGIN_BYTES; i++)
        differ |= (unsigned)(value[i] ^ expected[i]);
    return !differ;
}

/* The file that is open has to be the one of that name, also in a folder that others can write to. */
bool xs_origin_is_own(const struct xs_trace *trace) {
    char value[2 * XS_ORIGIN_BYTES], path[sizeof trace->path];
    int moved = 1;
    if (!*xs_trace_meta_text(trace, "origin", value, sizeof value, ""))
        return false;
    memcpy(path, trace->path, sizeof path);
    if (trace->merged_id >= 0)
        path[xs_merged_split(path)] = 0;
    return xs_origin_verify(path, value) &&
           sqlite3_file_control(trace->db, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && !moved &&
           xs_origin_verify(path, value);
}
