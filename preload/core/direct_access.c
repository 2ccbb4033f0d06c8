/* Looks for loaded libraries that register memory, and for their devices; see direct_access.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dl_iterate_phdr */
#endif
#include "preload/core/direct_access.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/core/loader_list.h"
#include "preload/core/signals.h"
#include "schema/path.h"

/* Prefixes of the libraries' file names. The prefix must not be followed by a letter or digit, unless it ends in '*';
 * then anything may follow. Python wheels insert more text between the name and ".so". */
static const struct library {
    const char *name;
    enum xs_direct_access needs;
} libraries[] = {
    {"libibverbs", XS_DIRECT_NETWORK},  {"librdmacm", XS_DIRECT_NETWORK},  {"libmlx5", XS_DIRECT_NETWORK},
    {"libucp", XS_DIRECT_NETWORK},      {"libuct", XS_DIRECT_NETWORK},     {"libfabric", XS_DIRECT_NETWORK},
    {"libpsm2", XS_DIRECT_NETWORK},     {"libcxi", XS_DIRECT_NETWORK},     {"libnccl-net*", XS_DIRECT_NETWORK},
    {"libnvshmem*", XS_DIRECT_NETWORK}, {"libcufile*", XS_DIRECT_STORAGE}, {"libgdrapi", XS_DIRECT_WINDOW},
};

/* Devices in the folder itself and in its subfolder infiniband. */
static const struct device {
    const char *name; /* prefix of the device's name */
    enum xs_direct_access allows;
} devices[] = {{"cxi", XS_DIRECT_NETWORK},
               {"hfi1_", XS_DIRECT_NETWORK},
               {"nvidia-fs", XS_DIRECT_STORAGE},
               {"gdrdrv", XS_DIRECT_WINDOW}},
  verbs[] = {{"uverbs", XS_DIRECT_NETWORK}};

static _Atomic bool is_possible;   /* never reset */
static _Atomic bool is_ignored;    /* by the user's promise */
static _Atomic uint64_t seen_adds; /* number of loaded libraries at the last check without a result */

static bool is_letter_or_digit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

unsigned xs_direct_access_needs(const char *path) {
    const char *file = xs_base_name(path);
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        const char *name = libraries[i].name;
        const size_t length = strcspn(name, "*");
        if (!strncmp(file, name, length) && (name[length] == '*' || !is_letter_or_digit(file[length])))
            return libraries[i].needs;
    }
    return 0;
}

/* ---- devices ---------------------------------------------------------------------------------------------------- */

/* A record of getdents64, which is used because opendir would allocate memory. */
struct entry {
    uint64_t inode;
    int64_t next;
    uint16_t bytes;
    uint8_t type; /* in containers this is the type of the file on which a device is mounted */
    char name[];
};

static unsigned allowed_by(int folder, const char *name, const struct device *known, size_t count) {
    for (size_t i = 0; i < count; i++) {
        struct stat about;
        if (!strncmp(name, known[i].name, strlen(known[i].name)) && fstatat(folder, name, &about, 0) == 0 &&
            S_ISCHR(about.st_mode))
            return known[i].allows;
    }
    return 0;
}

static unsigned look_through(int folder, const struct device *known, size_t count) {
    _Alignas(struct entry) char buffer[1024];
    unsigned all = 0;
    long bytes = 0;
    while ((bytes = syscall(SYS_getdents64, folder, buffer, sizeof buffer)) > 0) {
        for (long at = 0; at < bytes;) {
            const struct entry *entry = (const struct entry *)(const void *)(buffer + at);
            all |= allowed_by(folder, entry->name, known, count);
            at += entry->bytes;
        }
    }
    return all;
}

unsigned xs_direct_access_devices(const char *folder) {
    const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC, fd = open(folder, flags);
    if (fd < 0)
        return 0;
    unsigned all = look_through(fd, devices, sizeof devices / sizeof *devices);
    const int infiniband = openat(fd, "infiniband", flags);
    if (infiniband >= 0) {
        all |= look_through(infiniband, verbs, sizeof verbs / sizeof *verbs);
        close(infiniband);
    }
    close(fd);
    return all;
}

/* ---- cuFile's configuration ------------------------------------------------------------------------------------- */

/* The JSON may have comments from // to the end of the line, and several of its objects may contain the key. */
struct reader {
    size_t matched; /* matched characters of ASKED */
    bool in_string, in_comment, is_escaped, had_slash;
};

static const char ASKED[] = "\"use_pci_p2pdma\":true";

static bool take(struct reader *r, char c) {
    if (r->in_comment) {
        r->in_comment = c != '\n';
        return false;
    }
    if (!r->in_string && (c == ' ' || c == '\t' || c == '\r' || c == '\n'))
        return false;
    r->in_comment = !r->in_string && c == '/' && r->had_slash;
    r->had_slash = !r->in_string && c == '/';
    if (r->had_slash)
        return false;
    if (c == '"' && !r->is_escaped)
        r->in_string = !r->in_string;
    r->is_escaped = r->in_string && c == '\\' && !r->is_escaped;
    r->matched = c == ASKED[r->matched] ? r->matched + 1 : (size_t)(c == '"');
    return !ASKED[r->matched];
}

bool xs_direct_access_asked(const char *path) {
    enum { MOST_BYTES = 1 << 20 };
    struct reader reader = {0};
    struct stat about;
    char buffer[512];
    bool is_asked = false;
    ssize_t bytes = 0;
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return false;
    if (fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && about.st_size <= MOST_BYTES) {
        for (off_t at = 0; !is_asked && at < MOST_BYTES && (bytes = pread(fd, buffer, sizeof buffer, at)) > 0;
             at += bytes)
            for (ssize_t i = 0; i < bytes && !is_asked; i++)
                is_asked = take(&reader, buffer[i]);
    }
    close(fd);
    return is_asked;
}

static struct {
    bool is_asked;
    char file[PATH_MAX];
} configuration;

static bool disks_reach_the_gpu(void) {
    return configuration.is_asked || (*configuration.file && xs_direct_access_asked(configuration.file));
}

/* ---- libraries -------------------------------------------------------------------------------------------------- */

struct look {
    uint64_t adds;
    unsigned needs;
    bool is_new;
};

static int look(struct dl_phdr_info *library, size_t bytes, void *argument) {
    struct look *l = argument;
    (void)bytes;
    l->adds = library->dlpi_adds;
    l->is_new = l->adds != atomic_load_explicit(&seen_adds, memory_order_relaxed);
    if (l->is_new && library->dlpi_name)
        l->needs |= xs_direct_access_needs(library->dlpi_name);
    return !l->is_new;
}

/* The caller must not hold the loader's lock. */
static bool has_devices(unsigned needs) {
    return needs &&
           ((needs & xs_direct_access_devices("/dev")) || ((needs & XS_DIRECT_STORAGE) && disks_reach_the_gpu()));
}

void xs_direct_access_start(bool ignored) {
    const char *value = getenv("CUFILE_USE_PCIP2PDMA"), *path = getenv("CUFILE_ENV_PATH_JSON");
    configuration.is_asked = value && (!strcasecmp(value, "true") || !strcmp(value, "1"));
    path = path && *path ? path : "/etc/cufile.json";
    const size_t length = strlen(path);
    if (length < sizeof configuration.file)
        memcpy(configuration.file, path, length + 1);
    atomic_store_explicit(&is_ignored, ignored, memory_order_relaxed);
}

bool xs_direct_access_is_possible(void) {
    struct look l = {0};
    if (atomic_load_explicit(&is_ignored, memory_order_relaxed))
        return false;
    if (atomic_load_explicit(&is_possible, memory_order_relaxed))
        return true;
    if (!xs_loader_walk(look, &l) || !l.is_new)
        return false;
    uint64_t signals;
    const int before = errno;
    xs_signals_hold(&signals); /* a handler that jumps away would leave descriptors open */
    const bool found = has_devices(l.needs);
    if (found)
        atomic_store_explicit(&is_possible, true, memory_order_relaxed);
    else
        atomic_store_explicit(&seen_adds, l.adds, memory_order_relaxed);
    xs_signals_let(&signals);
    errno = before;
    return found;
}
