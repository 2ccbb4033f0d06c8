/* Reads a spool that another process wrote: checks its file, and reads its chunks one at a time. Nothing is mapped. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "schema/error.h"
#include "schema/spool/spool.h"

static off_t bytes_of(uint64_t chunks) { return (off_t)(XS_SPOOL_HEADER_BYTES + chunks * XS_SPOOL_CHUNK_BYTES); }

static bool is_text(const char *text, size_t bytes) { return memchr(text, 0, bytes) != NULL; }

bool xs_spool_header_is_sound(const struct xs_spool_header *header, uint64_t magic, int64_t file_bytes) {
    uint32_t count = atomic_load_explicit(&header->chunk_count, memory_order_acquire);
    return atomic_load_explicit(&header->magic, memory_order_acquire) == magic &&
           header->event_bytes == sizeof(struct xs_event) && header->chunk_bytes == XS_SPOOL_CHUNK_BYTES &&
           count <= header->chunk_limit && (magic != XS_SPOOL_MAGIC || bytes_of(count) <= file_bytes) &&
           is_text(header->boot_id, sizeof header->boot_id) && is_text(header->host, sizeof header->host) &&
           is_text(header->stopped, sizeof header->stopped) && is_text(header->id, sizeof header->id) &&
           is_text(header->folder, sizeof header->folder) && is_text(header->trace, sizeof header->trace) &&
           is_text(header->failure.entry_point, sizeof header->failure.entry_point) &&
           is_text(header->failure.cupti, sizeof header->failure.cupti) && xs_clock_is_sound(&header->clock);
}

enum { MOST_CHUNKS = 8 << 20 }; /* half a terabyte; recovery needs less than 256 MiB for so many */

/* Returns the first chunk from `i` on whose header is not in a hole of the file; `count`: there is none. `*hole` is the
 * end of the data that contain this header. */
static uint32_t next_present(int fd, uint32_t i, uint32_t count, off_t *hole) {
    if (bytes_of(i) < *hole)
        return i;
    off_t data = lseek(fd, bytes_of(i), SEEK_DATA);
    if (data < 0)
        return count;
    *hole = lseek(fd, data, SEEK_HOLE);
    uint64_t at = (uint64_t)(data - bytes_of(0)) / XS_SPOOL_CHUNK_BYTES;
    return at > i ? (uint32_t)(at < count ? at : count) : i;
}

/* Finds the chunks that are present. The count in the header may be wrong: a file of 2 MiB can claim to have millions
 * of chunks. A writer reserves the blocks of every chunk, so only a file that has holes, or is compressed, is searched
 * for its data. It is written to disk first, because some file systems report a reserved block as a hole until then. */
static int find_present(int fd, const struct stat *st, struct xs_spool *spool) {
    uint32_t count = atomic_load_explicit(&spool->header->chunk_count, memory_order_acquire);
    bool holes = (int64_t)st->st_blocks * 512 < st->st_size && fdatasync(fd) == 0;
    off_t hole = holes ? 0 : INT64_MAX;
    uint32_t room = 0;
    for (uint32_t i = 0; (i = next_present(fd, i, count, &hole)) < count; i++) {
        if (spool->present_count == room) {
            room = room ? 2 * room : 64;
            uint32_t *grown = room <= MOST_CHUNKS ? realloc(spool->present, room * sizeof *grown) : NULL;
            if (!grown)
                return room <= MOST_CHUNKS ? XS_ERROR_MEMORY : XS_ERROR_CORRUPT;
            spool->present = grown;
        }
        spool->present[spool->present_count++] = i;
    }
    return XS_OK;
}

/* Reads `bytes` bytes; false: the file has become shorter, or cannot be read. */
static bool read_all(int fd, void *to, size_t bytes, off_t from) {
    char *at = to;
    while (bytes > 0) {
        ssize_t n = pread(fd, at, bytes, from);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        at += n;
        from += n;
        bytes -= (size_t)n;
    }
    return true;
}

static int read_header(int fd, struct xs_spool *spool) {
    struct stat st;
    if (fstat(fd, &st) != 0)
        return XS_ERROR_SYSTEM;
    if (!S_ISREG(st.st_mode) || st.st_size < (off_t)XS_SPOOL_HEADER_BYTES)
        return XS_ERROR_CORRUPT;
    spool->map_bytes = (size_t)st.st_size;
    spool->header = malloc(XS_SPOOL_HEADER_BYTES);
    spool->loaded = malloc(XS_SPOOL_CHUNK_BYTES);
    if (!spool->header || !spool->loaded)
        return XS_ERROR_MEMORY;
    if (!read_all(fd, spool->header, XS_SPOOL_HEADER_BYTES, 0) ||
        !xs_spool_header_is_sound(spool->header, XS_SPOOL_MAGIC, st.st_size))
        return XS_ERROR_CORRUPT;
    return find_present(fd, &st, spool);
}

int xs_spool_open_fd(int fd, struct xs_spool *spool) {
    *spool = (struct xs_spool){.fd = -1, .source = fd};
    int status = read_header(fd, spool);
    if (status)
        xs_spool_unmap(spool);
    return status;
}

int xs_spool_open(const char *path, struct xs_spool *spool) {
    *spool = (struct xs_spool){.fd = -1, .source = -1};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return errno == ENOENT ? XS_ERROR_NOT_FOUND : XS_ERROR_SYSTEM;
    return xs_spool_open_fd(fd, spool);
}

struct xs_chunk *xs_spool_read_chunk(const struct xs_spool *spool, unsigned i, size_t bytes) {
    return read_all(spool->source, spool->loaded, bytes, bytes_of(i)) ? spool->loaded : NULL;
}

void xs_spool_unmap(struct xs_spool *spool) {
    if (spool->source >= 0) { /* it was opened, not created */
        free(spool->header);
        free(spool->loaded);
    } else if (spool->header) {
        munmap(spool->header, spool->map_bytes);
    }
    if (spool->fd >= 0)
        close(spool->fd);
    if (spool->source >= 0)
        close(spool->source);
    free(spool->present);
    *spool = (struct xs_spool){.fd = -1, .source = -1};
}
