/* The spool's file and mapping, taking chunks, and whether its writer still lives. */
#include "schema/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "schema/error.h"
#include "schema/private_file.h"

static off_t bytes_of(uint64_t chunks) { return (off_t)(XS_SPOOL_HEADER_BYTES + chunks * XS_SPOOL_CHUNK_BYTES); }

static int status_of_errno(void) {
    return errno == ENOSPC || errno == EDQUOT || errno == EFBIG ? XS_ERROR_FULL : XS_ERROR_SYSTEM;
}

static int write_zeros(int fd, off_t from, off_t to) {
    static const char zeros[64 * 1024];
    while (from < to) {
        size_t want = to - from < (off_t)sizeof zeros ? (size_t)(to - from) : sizeof zeros;
        ssize_t n = pwrite(fd, zeros, want, from);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return status_of_errno();
        }
        from += n;
    }
    return XS_OK;
}

/* Blocks on disk for [from, to). glibc's posix_fallocate is no help where the file system cannot: it writes one byte a
 * block without telling. */
static int reserve(int fd, off_t from, off_t to) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && (rlim_t)to > limit.rlim_cur) {
        errno = EFBIG; /* finding out the other way raises SIGXFSZ, which ends the application */
        return XS_ERROR_FULL;
    }
    int rc;
    do {
        rc = fallocate(fd, 0, from, to - from);
    } while (rc != 0 && errno == EINTR);
    if (rc == 0) {
        return XS_OK;
    }
    if (errno == EOPNOTSUPP || errno == ENOSYS || errno == EINVAL) {
        return write_zeros(fd, from, to);
    }
    return status_of_errno();
}

/* First line of a small file, without its newline; "" where it cannot be read. */
static void read_line(const char *path, char *line, size_t bytes) {
    line[0] = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return;
    }
    ssize_t n = read(fd, line, bytes - 1);
    close(fd);
    line[n > 0 ? n : 0] = 0;
    line[strcspn(line, "\n")] = 0;
}

static uint64_t pid_namespace(void) {
    struct stat st;
    return stat("/proc/self/ns/pid", &st) == 0 ? (uint64_t)st.st_ino : 0;
}

static void node_name(char *name, size_t bytes) {
    struct utsname system;
    if (uname(&system) != 0) {
        system.nodename[0] = 0;
    }
    snprintf(name, bytes, "%.*s", (int)bytes - 1, system.nodename);
}

static void fill_header(struct xs_spool_header *header, uint32_t chunk_limit, unsigned chunks) {
    header->event_bytes = sizeof(struct xs_event);
    header->chunk_bytes = XS_SPOOL_CHUNK_BYTES;
    header->chunk_limit = chunk_limit;
    header->pid = (int32_t)getpid();
    header->pid_namespace = pid_namespace();
    read_line("/proc/sys/kernel/random/boot_id", header->boot_id, sizeof header->boot_id);
    node_name(header->host, sizeof header->host);
    atomic_store_explicit(&header->chunk_count, chunks, memory_order_release);
    /* Last: without it nobody looks at the rest. */
    atomic_store_explicit(&header->magic, XS_SPOOL_MAGIC, memory_order_release);
}

/* The pages now rather than at a thread's first store into each, inside somebody's call of the driver. Best effort:
 * before Linux 5.14 there is no such request. */
static void prefault(void *map, off_t from, off_t to) {
#ifdef MADV_POPULATE_WRITE
    madvise((char *)map + from, (size_t)(to - from), MADV_POPULATE_WRITE);
#else
    (void)map, (void)from, (void)to;
#endif
}

/* On btrfs a page that is written again needs a new block, reserved or not, and a full disk would be a SIGBUS. */
static void no_copy_on_write(int fd) {
    int flags = 0;
    if (ioctl(fd, FS_IOC_GETFLAGS, &flags) == 0) {
        flags |= FS_NOCOW_FL;
        ioctl(fd, FS_IOC_SETFLAGS, &flags);
    }
}

int xs_spool_create(const char *path, size_t limit_bytes, unsigned first_chunks, struct xs_spool *spool) {
    *spool = (struct xs_spool){.fd = -1};
    uint64_t limit =
        limit_bytes > XS_SPOOL_HEADER_BYTES ? (limit_bytes - XS_SPOOL_HEADER_BYTES) / XS_SPOOL_CHUNK_BYTES : 0;
    if (limit > UINT32_MAX / 2) {
        limit = UINT32_MAX / 2;
    }
    if (first_chunks < 1) {
        first_chunks = 1;
    }
    if (limit < first_chunks) {
        limit = first_chunks;
    }

    int fd = xs_create_private(path);
    if (fd < 0) {
        return status_of_errno();
    }
    no_copy_on_write(fd);
    int status = reserve(fd, 0, bytes_of(first_chunks));
    void *map = MAP_FAILED;
    size_t map_bytes = (size_t)bytes_of(limit);
    if (!status) {
        map = mmap(NULL, map_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (map == MAP_FAILED) {
            status = XS_ERROR_SYSTEM;
        }
    }
    if (status) {
        int saved = errno;
        close(fd);
        unlink(path);
        errno = saved;
        return status;
    }
    madvise(map, map_bytes, MADV_DONTFORK);
    prefault(map, 0, bytes_of(first_chunks));
    *spool = (struct xs_spool){.header = map, .map_bytes = map_bytes, .fd = fd};
    fill_header(spool->header, (uint32_t)limit, first_chunks);
    return XS_OK;
}

int xs_spool_grow(struct xs_spool *spool, unsigned chunks) {
    uint32_t count = atomic_load_explicit(&spool->header->chunk_count, memory_order_relaxed);
    uint32_t room = spool->header->chunk_limit - count;
    if (chunks > room) {
        chunks = room;
    }
    if (chunks > INT_MAX) {
        chunks = INT_MAX;
    }
    if (chunks == 0) {
        return 0;
    }
    int status = reserve(spool->fd, bytes_of(count), bytes_of((uint64_t)count + chunks));
    if (status) {
        return status;
    }
    prefault(spool->header, bytes_of(count), bytes_of((uint64_t)count + chunks));
    atomic_store_explicit(&spool->header->chunk_count, count + chunks, memory_order_release);
    return (int)chunks;
}

/* Everything later code relies on when it walks the mapping. */
static bool header_is_sound(const struct xs_spool_header *header, off_t file_bytes) {
    uint32_t count = atomic_load_explicit(&header->chunk_count, memory_order_acquire);
    return atomic_load_explicit(&header->magic, memory_order_acquire) == XS_SPOOL_MAGIC &&
           header->event_bytes == sizeof(struct xs_event) && header->chunk_bytes == XS_SPOOL_CHUNK_BYTES &&
           count <= header->chunk_limit && bytes_of(count) <= file_bytes &&
           memchr(header->boot_id, 0, sizeof header->boot_id) && memchr(header->host, 0, sizeof header->host) &&
           xs_clock_is_sound(&header->clock);
}

enum { MOST_CHUNKS = 8 << 20 }; /* half a terabyte; what is kept of each while recovering stays under 256 MiB */

/* The next chunk from `i` on whose header lies in a part of the file that was written; `count` where none does. `*hole`
 * is where that part ends. */
static uint32_t next_present(int fd, uint32_t i, uint32_t count, off_t *hole) {
    if (bytes_of(i) < *hole) {
        return i;
    }
    off_t data = lseek(fd, bytes_of(i), SEEK_DATA);
    if (data < 0) {
        return count;
    }
    *hole = lseek(fd, data, SEEK_HOLE);
    uint64_t at = (uint64_t)(data - bytes_of(0)) / XS_SPOOL_CHUNK_BYTES;
    return at > i ? (uint32_t)(at < count ? at : count) : i;
}

/* What the header says of the number of chunks is not believed: a file of 2 MiB can claim millions. A writer reserves
 * the blocks of every chunk, so only a file with holes, or a compressed one, has to be looked at part by part. Flushed
 * first: some file systems take a reserved block for a hole until what was stored there is written. */
static int find_present(int fd, const struct stat *st, struct xs_spool *spool) {
    uint32_t count = atomic_load_explicit(&spool->header->chunk_count, memory_order_acquire);
    bool holes = (int64_t)st->st_blocks * 512 < st->st_size && fdatasync(fd) == 0;
    off_t hole = holes ? 0 : INT64_MAX;
    uint32_t room = 0;
    for (uint32_t i = 0; (i = next_present(fd, i, count, &hole)) < count; i++) {
        if (spool->present_count == room) {
            room = room ? 2 * room : 64;
            uint32_t *grown = room <= MOST_CHUNKS ? realloc(spool->present, room * sizeof *grown) : NULL;
            if (!grown) {
                return room <= MOST_CHUNKS ? XS_ERROR_MEMORY : XS_ERROR_CORRUPT;
            }
            spool->present = grown;
        }
        spool->present[spool->present_count++] = i;
    }
    return XS_OK;
}

int xs_spool_open(const char *path, struct xs_spool *spool) {
    *spool = (struct xs_spool){.fd = -1};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        return errno == ENOENT ? XS_ERROR_NOT_FOUND : XS_ERROR_SYSTEM;
    }
    struct stat st;
    int status = XS_OK;
    if (fstat(fd, &st) != 0) {
        status = XS_ERROR_SYSTEM;
    } else if (!S_ISREG(st.st_mode) || st.st_size < (off_t)XS_SPOOL_HEADER_BYTES) {
        status = XS_ERROR_CORRUPT;
    }
    void *map = MAP_FAILED;
    if (!status) {
        map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (map == MAP_FAILED) {
            status = XS_ERROR_SYSTEM;
        }
    }
    if (!status) {
        *spool = (struct xs_spool){.header = map, .map_bytes = (size_t)st.st_size, .fd = -1};
        status = header_is_sound(spool->header, st.st_size) ? find_present(fd, &st, spool) : XS_ERROR_CORRUPT;
        if (status) {
            xs_spool_unmap(spool);
        }
    }
    close(fd);
    return status;
}

void xs_spool_unmap(struct xs_spool *spool) {
    if (spool->header) {
        munmap(spool->header, spool->map_bytes);
    }
    if (spool->fd >= 0) {
        close(spool->fd);
    }
    free(spool->present);
    *spool = (struct xs_spool){.fd = -1};
}

struct xs_chunk *xs_spool_take(struct xs_spool *spool, unsigned *hint, uint32_t thread, int32_t tid,
                               const char *thread_name) {
    uint32_t count = atomic_load_explicit(&spool->header->chunk_count, memory_order_acquire);
    for (uint32_t n = 0, i = *hint < count ? *hint : 0; n < count; n++, i = i + 1 < count ? i + 1 : 0) {
        struct xs_chunk *chunk = xs_spool_chunk(spool, i);
        uint32_t expected = XS_CHUNK_FREE;
        if (atomic_load_explicit(&chunk->header.state, memory_order_relaxed) != XS_CHUNK_FREE) {
            continue;
        }
        if (!atomic_compare_exchange_strong_explicit(&chunk->header.state, &expected, XS_CHUNK_ACTIVE,
                                                     memory_order_acquire, memory_order_relaxed)) {
            continue;
        }
        chunk->header.thread = thread;
        chunk->header.tid = tid;
        size_t name_bytes = thread_name ? strnlen(thread_name, sizeof chunk->header.thread_name - 1) : 0;
        memset(chunk->header.thread_name, 0, sizeof chunk->header.thread_name);
        if (name_bytes) {
            memcpy(chunk->header.thread_name, thread_name, name_bytes);
        }
        /* Acquire and release: who reads the counter sees every chunk that got an earlier number (spool_drain.c). */
        uint64_t sequence = 1 + atomic_fetch_add_explicit(&spool->header->next_sequence, 1, memory_order_acq_rel);
        atomic_store_explicit(&chunk->header.sequence, sequence, memory_order_release);
        *hint = i;
        return chunk;
    }
    return NULL;
}

/* Whether /proc/PID/maps shows the file: 1, 0, or -1 where it cannot be read. */
static int process_maps_file(int32_t pid, const char *path) {
    struct stat st;
    if (stat(path, &st) != 0) {
        return -1;
    }
    char maps_path[40];
    snprintf(maps_path, sizeof maps_path, "/proc/%d/maps", (int)pid);
    FILE *maps = fopen(maps_path, "re");
    if (!maps) {
        return -1;
    }
    int found = 0, lines = 0;
    char line[4096 + 128];
    bool line_start = true;
    while (!found && fgets(line, sizeof line, maps)) {
        unsigned long inode;
        if (line_start) {
            lines++;
            /* The device is not compared: btrfs and overlayfs show another one here than stat does. */
            if (sscanf(line, "%*x-%*x %*s %*x %*x:%*x %lu", &inode) == 1) {
                found = inode == (unsigned long)st.st_ino && strstr(line, ".spool") != NULL;
            }
        }
        line_start = strchr(line, '\n') != NULL;
    }
    fclose(maps);
    return lines == 0 ? -1 : found; /* a zombie's is empty */
}

static bool is_zombie(int32_t pid) {
    char path[40], line[256];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    read_line(path, line, sizeof line);
    const char *name_end = strrchr(line, ')');
    return name_end && (strncmp(name_end, ") Z", 3) == 0 || strncmp(name_end, ") X", 3) == 0);
}

enum xs_writer xs_spool_writer(const struct xs_spool *spool, const char *path) {
    const struct xs_spool_header *header = spool->header;
    char boot_id[sizeof header->boot_id], host[sizeof header->host];
    read_line("/proc/sys/kernel/random/boot_id", boot_id, sizeof boot_id);
    node_name(host, sizeof host);
    if (strcmp(boot_id, header->boot_id) != 0) {
        /* The same name after a reboot, or a file system shared with another machine where the job may still run. */
        return strcmp(host, header->host) == 0 ? XS_WRITER_GONE : XS_WRITER_UNKNOWN;
    }
    if (header->pid_namespace != pid_namespace()) {
        return XS_WRITER_ELSEWHERE;
    }
    if (header->pid <= 0 || (kill(header->pid, 0) != 0 && errno == ESRCH) || is_zombie(header->pid)) {
        return XS_WRITER_GONE;
    }
    return process_maps_file(header->pid, path) == 0 ? XS_WRITER_GONE : XS_WRITER_LIVES;
}

bool xs_spool_writer_lives(const struct xs_spool *spool, const char *path) {
    return xs_spool_writer(spool, path) != XS_WRITER_GONE;
}
