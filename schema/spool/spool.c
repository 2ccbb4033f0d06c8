/* Implements the spool in the process that writes it: makes and maps the file, lets it grow, and gives chunks to
 * threads. */
#include "schema/spool/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "schema/error.h"
#include "schema/safe_open/private_file.h"
#include "schema/spool/spool_location.h"

#define GROW_FOR_THREADS 16u /* least number of chunks */
#define FEW_CHUNKS 256u      /* 16 MiB */
#define AHEAD_CHUNKS 4096u   /* 256 MiB; a file in memory is this much longer than its chunks (lengthen) */

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

static off_t bytes_of(uint64_t chunks) { return (off_t)(XS_SPOOL_HEADER_BYTES + chunks * XS_SPOOL_CHUNK_BYTES); }

static int status_of_errno(void) {
    return errno == ENOSPC || errno == EDQUOT || errno == EFBIG ? XS_ERROR_FULL : XS_ERROR_SYSTEM;
}

static int write_zeros(int fd, off_t from, off_t to) {
    static const char zeros[64 * 1024];
    while (from < to) {
        size_t want = to - from < (off_t)sizeof zeros ? (size_t)(to - from) : sizeof zeros;
        ssize_t n = pwrite(fd, zeros, want, from);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return status_of_errno();
        from += n;
    }
    return XS_OK;
}

/* True if a length is beyond the limit for files. A write beyond the limit raises SIGXFSZ, which ends the application.
 */
static bool is_beyond_file_limit(off_t to) {
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && (rlim_t)to > limit.rlim_cur;
}

/* Reserves blocks on disk for [from, to). glibc's posix_fallocate is not used, because if the file system cannot
 * reserve blocks, it writes one byte per block without telling so. */
static int reserve(int fd, off_t from, off_t to) {
    if (is_beyond_file_limit(to)) {
        errno = EFBIG;
        return XS_ERROR_FULL;
    }
    int rc;
    do {
        rc = fallocate(fd, 0, from, to - from);
    } while (rc != 0 && errno == EINTR);
    if (rc == 0)
        return XS_OK;
    if (errno == EOPNOTSUPP || errno == ENOSYS || errno == EINVAL)
        return write_zeros(fd, from, to);
    return status_of_errno();
}

static void fill_header(struct xs_spool_header *header, uint32_t chunk_limit, unsigned chunks) {
    header->event_bytes = sizeof(struct xs_event);
    header->chunk_bytes = XS_SPOOL_CHUNK_BYTES;
    header->chunk_limit = header->chunk_bound = chunk_limit;
    xs_spool_sign(header);
    atomic_store_explicit(&header->chunk_count, chunks, memory_order_release);
    /* The magic number is written last, because readers ignore a header without it. */
    atomic_store_explicit(&header->magic, XS_SPOOL_MAGIC, memory_order_release);
}

/* Allocates the pages now. Otherwise each page would be allocated at the first store into it, during a call of the
 * program. Linux before 5.14 cannot do this; then nothing is done. */
static void prefault(void *map, off_t from, off_t to) {
#ifdef MADV_POPULATE_WRITE
    madvise((char *)map + from, (size_t)(to - from), MADV_POPULATE_WRITE);
#else
    (void)map, (void)from, (void)to;
#endif
}

/* Switches copy-on-write of the file system off. With it, a page that is written again needs a new block on btrfs, even
 * if blocks were reserved, and a full disk would then raise SIGBUS. */
static void no_copy_on_write(int fd) {
    int flags = 0;
    if (ioctl(fd, FS_IOC_GETFLAGS, &flags) == 0) {
        flags |= FS_NOCOW_FL;
        ioctl(fd, FS_IOC_SETFLAGS, &flags);
    }
}

/* Returns the number of chunks that fit into the largest file that this process may write (RLIMIT_FSIZE). */
static uint64_t chunks_of_file_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return UINT32_MAX;
    return limit.rlim_cur > XS_SPOOL_HEADER_BYTES ? (limit.rlim_cur - XS_SPOOL_HEADER_BYTES) / XS_SPOOL_CHUNK_BYTES : 0;
}

/* Returns the largest number of chunks for which addresses may be reserved. If addresses are limited (RLIMIT_AS), the
 * program may need nearly all of them, often later, so the spool reserves only a few. */
static uint64_t chunks_of_address_limit(void) {
    struct rlimit limit;
    return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY ? FEW_CHUNKS : UINT32_MAX;
}

/* Sets the access rights of a part of the mapping. Addresses after the existing chunks permit no access; otherwise an
 * mlockall of the application would allocate memory for all of them. */
static bool set_access(void *map, off_t from, off_t to, int access) {
    return mprotect((char *)map + from, (size_t)(to - from), access) == 0;
}

/* Maps the file. Halves *limit, but not below `chunks`, until there are enough addresses. If the program locks all its
 * memory, mapping more than may be locked fails with EAGAIN, and *limit is halved in this case, too. */
static void *map_file(int fd, uint64_t *limit, uint64_t chunks) {
    void *map = MAP_FAILED;
    for (;; *limit = *limit / 2 > chunks ? *limit / 2 : chunks) {
        map = mmap(NULL, (size_t)bytes_of(*limit), PROT_NONE, MAP_SHARED, fd, 0);
        if (map != MAP_FAILED || (errno != ENOMEM && errno != EAGAIN) || *limit <= chunks)
            break;
    }
    if (map != MAP_FAILED && !set_access(map, 0, bytes_of(chunks), PROT_READ | PROT_WRITE)) {
        int saved = errno;
        munmap(map, (size_t)bytes_of(*limit));
        errno = saved;
        map = MAP_FAILED;
    }
    return map;
}

/* Makes a file in memory longer than its chunks. The additional length takes no memory until it is used, and a thread
 * can add chunks there without a descriptor. The file grows in steps, not at once to its limit, because programs that
 * read the whole file (grep, cp) would then read gigabytes of zeros. If the file cannot become longer, only
 * xs_spool_grow_without_file is affected. */
static int lengthen(struct xs_spool *spool, uint64_t limit, uint64_t chunks) {
    uint64_t length = least(chunks + AHEAD_CHUNKS, limit);
    if (spool->length < chunks)
        spool->length = (uint32_t)chunks; /* the blocks of these chunks are reserved */
    if (spool->length >= length || (chunks + AHEAD_CHUNKS / 2 < spool->length))
        return XS_OK;
    if (is_beyond_file_limit(bytes_of(length)))
        return XS_ERROR_FULL;
    if (ftruncate(spool->fd, bytes_of(length)) != 0)
        return status_of_errno();
    spool->length = (uint32_t)length;
    return XS_OK;
}

static int fill_file(int fd, const char *path, uint64_t limit, uint64_t chunks, struct xs_spool *spool) {
    int status = reserve(fd, 0, bytes_of(chunks));
    void *map = MAP_FAILED;
    if (!status) {
        map = map_file(fd, &limit, chunks);
        status = map == MAP_FAILED ? XS_ERROR_SYSTEM : XS_OK;
    }
    if (!status && spool->in_memory) {
        spool->fd = fd;
        status = lengthen(spool, limit, chunks);
    }
    if (status) {
        int saved = errno;
        if (map != MAP_FAILED)
            munmap(map, (size_t)bytes_of(limit));
        close(fd);
        spool->fd = -1;
        unlink(path);
        errno = saved;
        return status;
    }
    spool->header = map;
    spool->map_bytes = (size_t)bytes_of(limit);
    spool->fd = fd;
    madvise(map, spool->map_bytes, MADV_DONTFORK);
    prefault(map, 0, bytes_of(chunks));
    atomic_store(&spool->free, (uint32_t)chunks);
    fill_header(spool->header, (uint32_t)limit, (unsigned)chunks);
    return XS_OK;
}

static int create(const char *path, size_t limit_bytes, uint64_t chunks, bool in_memory, struct xs_spool *spool) {
    *spool = (struct xs_spool){.fd = -1, .source = -1, .in_memory = in_memory};
    uint64_t limit =
        limit_bytes > XS_SPOOL_HEADER_BYTES ? (limit_bytes - XS_SPOOL_HEADER_BYTES) / XS_SPOOL_CHUNK_BYTES : 0;
    limit = least(least(limit, UINT32_MAX / 2), chunks_of_address_limit());
    chunks = least(chunks, chunks_of_file_limit());
    limit = in_memory ? least(limit, chunks_of_file_limit()) : limit;
    chunks = chunks < 1 ? 1 : chunks;
    limit = limit < chunks ? chunks : limit;

    int fd = xs_create_private(path);
    if (fd < 0)
        return status_of_errno();
    no_copy_on_write(fd);
    return fill_file(fd, path, limit, chunks, spool);
}

int xs_spool_create(const char *path, size_t limit_bytes, unsigned first_chunks, struct xs_spool *spool) {
    return create(path, limit_bytes, first_chunks, false, spool);
}

int xs_spool_create_in_memory(const char *path, size_t limit_bytes, unsigned first_chunks, struct xs_spool *spool) {
    return create(path, limit_bytes, first_chunks, true, spool);
}

/* Returns for how many of `chunks` chunks there is room. */
static uint32_t room_of(const struct xs_spool *spool, uint32_t count, unsigned chunks) {
    uint32_t room = spool->header->chunk_limit - count;
    return (uint32_t)least(least(chunks, room), INT_MAX);
}

/* Returns how many of `chunks` chunks may be added. In a tmpfs, they may take at most a part of its free space, because
 * programs crash when it is full. But if threads have nearly all chunks, another thread could record nothing, so a few
 * chunks are added even then, as long as there is any memory. */
static uint32_t allowed_of(const struct xs_spool *spool, uint32_t count, uint32_t chunks) {
    struct statvfs fs;
    if (!spool->in_memory ||
        (statvfs(spool->header->folder, &fs) == 0 &&
         (uint64_t)chunks * XS_SPOOL_CHUNK_BYTES <= (uint64_t)fs.f_bavail * fs.f_frsize / XS_SPOOL_SHARE_OF_MEMORY))
        return chunks;
    uint32_t unused = atomic_load(&spool->free), full = atomic_load(&spool->full);
    bool is_for_threads = unused < xs_spool_spare(count) && (uint64_t)unused + full <= count / 4;
    return is_for_threads ? (uint32_t)least(chunks, GROW_FOR_THREADS) : 0;
}

/* Publishes new chunks. The number of free chunks is increased before the chunks can be taken, so it is never too low.
 */
static void publish(struct xs_spool *spool, uint32_t count, uint32_t chunks) {
    atomic_fetch_add(&spool->free, chunks);
    atomic_store_explicit(&spool->next, count, memory_order_relaxed);
    atomic_store_explicit(&spool->header->chunk_count, count + chunks, memory_order_release);
}

int xs_spool_grow(struct xs_spool *spool, unsigned chunks) {
    if (atomic_exchange_explicit(&spool->growing, 1, memory_order_acquire))
        return 0;
    uint32_t count = atomic_load_explicit(&spool->header->chunk_count, memory_order_relaxed);
    int status = XS_OK;
    unsigned wanted = room_of(spool, count, chunks);
    chunks = allowed_of(spool, count, wanted);
    if (wanted) {
        off_t from = bytes_of(count), to = bytes_of((uint64_t)count + chunks);
        status = chunks ? reserve(spool->fd, from, to) : XS_ERROR_FULL;
        if (!status && !set_access(spool->header, from, to, PROT_READ | PROT_WRITE))
            status = XS_ERROR_SYSTEM;
        if (!status) {
            prefault(spool->header, from, to);
            publish(spool, count, chunks);
        }
        if (!status && spool->in_memory)
            (void)lengthen(spool, spool->header->chunk_limit, (uint64_t)count + chunks);
    }
    atomic_store_explicit(&spool->growing, 0, memory_order_release);
    return status ? status : (int)chunks;
}

int xs_spool_grow_without_file(struct xs_spool *spool, unsigned chunks) {
    int grown = 0;
#ifdef MADV_POPULATE_WRITE
    if (!spool->in_memory || atomic_exchange_explicit(&spool->growing, 1, memory_order_acquire))
        return 0;
    uint32_t count = atomic_load_explicit(&spool->header->chunk_count, memory_order_relaxed);
    uint32_t room = spool->length > count ? spool->length - count : 0;
    chunks = allowed_of(spool, count, (uint32_t)least(room, room_of(spool, count, chunks)));
    off_t from = bytes_of(count), to = bytes_of((uint64_t)count + chunks);
    if (chunks && set_access(spool->header, from, to, PROT_READ | PROT_WRITE)) {
        /* If the tmpfs is full, this call fails; a store would raise SIGBUS. */
        if (madvise((char *)spool->header + from, (size_t)(to - from), MADV_POPULATE_WRITE) == 0) {
            publish(spool, count, chunks);
            grown = (int)chunks;
        } else {
            set_access(spool->header, from, to, PROT_NONE);
        }
    }
    atomic_store_explicit(&spool->growing, 0, memory_order_release);
#else
    (void)spool, (void)chunks;
#endif
    return grown;
}

void xs_spool_give_back(struct xs_spool *spool) {
    enum { PAGE = 4096 }; /* kept, with the chunk's header, which threads that search for a free chunk read */
    uint32_t count = atomic_load(&spool->header->chunk_count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t state = XS_CHUNK_FREE;
        bool was_free = atomic_compare_exchange_strong(&xs_spool_chunk(spool, i)->header.state, &state, XS_CHUNK_FULL);
        if (was_free)
            atomic_fetch_sub(&spool->free, 1);
        if (was_free || state == XS_CHUNK_FULL) {
            (void)fallocate(spool->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, bytes_of(i) + PAGE,
                            XS_SPOOL_CHUNK_BYTES - PAGE);
        }
    }
}

unsigned xs_spool_wanted(const struct xs_spool *spool) {
    const struct xs_spool_header *header = spool->header;
    unsigned count = atomic_load(&header->chunk_count), bound = header->chunk_bound;
    if (atomic_load(&spool->free) >= xs_spool_spare(count) ||
        (count >= bound && atomic_load(&spool->full) >= count / 4))
        return 0;
    return count < bound                              ? (unsigned)least(count, bound - count)
           : xs_spool_spare(count) > GROW_FOR_THREADS ? xs_spool_spare(count)
                                                      : GROW_FOR_THREADS;
}

struct xs_chunk *xs_spool_take(struct xs_spool *spool, unsigned *hint, uint32_t thread, int32_t tid,
                               const char *thread_name) {
    uint32_t count = atomic_load_explicit(&spool->header->chunk_count, memory_order_acquire);
    if (atomic_load_explicit(&spool->free, memory_order_relaxed) == 0)
        return NULL;
    /* Try the thread's previous chunk first, because its memory is probably in the cache. Then search, beginning at
     * `next`. */
    uint32_t next = atomic_load_explicit(&spool->next, memory_order_relaxed);
    for (uint32_t n = 0; n <= count; n++) {
        uint64_t at = n == 0 ? *hint : (uint64_t)next + n - 1;
        uint32_t i = (uint32_t)(at % count);
        struct xs_chunk *chunk = xs_spool_chunk(spool, i);
        uint32_t expected = XS_CHUNK_FREE;
        if (atomic_load_explicit(&chunk->header.state, memory_order_relaxed) != XS_CHUNK_FREE)
            continue;
        if (!atomic_compare_exchange_strong_explicit(&chunk->header.state, &expected, XS_CHUNK_ACTIVE,
                                                     memory_order_acquire, memory_order_relaxed))
            continue;
        atomic_fetch_sub_explicit(&spool->free, 1, memory_order_relaxed);
        if (n > 0)
            atomic_store_explicit(&spool->next, i + 1, memory_order_relaxed);
        chunk->header.thread = thread;
        chunk->header.tid = tid;
        size_t name_bytes = thread_name ? strnlen(thread_name, sizeof chunk->header.thread_name - 1) : 0;
        memset(chunk->header.thread_name, 0, sizeof chunk->header.thread_name);
        if (name_bytes)
            memcpy(chunk->header.thread_name, thread_name, name_bytes);
        /* The order is acquire and release, so that a reader of the counter sees every chunk with an earlier number
         * (spool_drain.c). */
        uint64_t sequence = 1 + atomic_fetch_add_explicit(&spool->header->next_sequence, 1, memory_order_acq_rel);
        atomic_store_explicit(&chunk->header.sequence, sequence, memory_order_release);
        *hint = i;
        return chunk;
    }
    return NULL;
}
