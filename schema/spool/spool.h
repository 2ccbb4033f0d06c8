/* The spool: a file mapped into the process, in which each thread fills chunks of its own with events, and from which
 * the drain thread, or any later xferspy command, takes them over into the trace. Events that were committed before a
 * SIGKILL are in the file's pages, which the file system keeps, so they survive it. Where the file lies is for
 * spool_place.h: in memory (tmpfs), or beside the trace.
 *
 *   header | chunk 0 | chunk 1 | ...
 *
 * A chunk's life: FREE -> (a thread takes it) ACTIVE -> (full, or its thread ended) FULL -> (all taken over) FREE with
 * the next generation. `committed_bytes` grows by one event at a time, or by all parts of a definition at once. It is
 * set by a release store after these bytes are complete. */
#ifndef XFERSPY_SCHEMA_SPOOL_SPOOL_H
#define XFERSPY_SCHEMA_SPOOL_SPOOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/clock.h"
#include "schema/format/event.h"

#define XS_SPOOL_MAGIC UINT64_C(0x314c4f4f50535358) /* "XSSPOOL1" */
#define XS_SPOOL_HEADER_BYTES 8192u
#define XS_SPOOL_CHUNK_BYTES (64u * 1024u)
#define XS_SPOOL_CHUNK_EVENTS ((XS_SPOOL_CHUNK_BYTES - sizeof(struct xs_chunk_header)) / sizeof(struct xs_event))

/* Why calls were not recorded for which no chunk came free in time, as both halves say it. */
#define XS_SPOOL_FULL "the spool was full and could not grow"

/* With a NUL. */
#define XS_SPOOL_ID_BYTES 33u
#define XS_SPOOL_STOPPED_BYTES 256u
#define XS_SPOOL_FOLDER_BYTES 96u
#define XS_SPOOL_TRACE_BYTES 4096u

enum xs_chunk_state { XS_CHUNK_FREE = 0, XS_CHUNK_ACTIVE = 1, XS_CHUNK_FULL = 2 };

struct xs_chunk_header {
    _Atomic uint32_t state;
    _Atomic uint32_t generation;
    _Atomic uint32_t committed_bytes; /* of events, from the end of this header */
    _Atomic uint32_t drained_bytes;   /* the drain thread's own; the truth is the trace's spool_progress */
    uint32_t thread;                  /* thread.id, from 1 */
    int32_t tid;
    char thread_name[16];
    _Atomic uint64_t sequence; /* order in which chunks were taken, from 1; 0: free, or not yet ready to be read */
    uint8_t reserved[80];      /* the events start on a cache-line pair */
};

struct xs_chunk {
    struct xs_chunk_header header;
    struct xs_event events[];
};
_Static_assert(sizeof(struct xs_chunk_header) == 128, "the events start on a cache-line pair");

struct xs_spool_header {
    _Atomic uint64_t magic;            /* written last */
    uint32_t event_bytes, chunk_bytes; /* as compiled; a reader that differs refuses the file */
    uint32_t chunk_limit;              /* chunks the mapping has room for */
    uint32_t chunk_bound;              /* chunks beyond which it grows only for threads, each of which holds one */
    _Atomic uint32_t chunk_count;      /* chunks whose blocks are reserved on disk */
    int32_t pid;
    _Atomic uint32_t closed; /* 1: the writer finished and everything was taken over */
    struct xs_clock clock;
    _Atomic uint64_t stalls, stall_ns;    /* waits of threads for a free chunk */
    _Atomic uint64_t nested;              /* calls not recorded because they were made inside another one's wrapper */
    _Atomic uint64_t dropped;             /* calls not recorded because no chunk came free in time */
    _Atomic uint64_t next_sequence;       /* of chunks taken so far */
    char boot_id[40];                     /* /proc/sys/kernel/random/boot_id of the writer */
    char host[64];                        /* its node name */
    uint64_t pid_namespace;               /* inode of /proc/self/ns/pid */
    uint64_t mount_namespace;             /* inode of /proc/self/ns/mnt */
    char stopped[XS_SPOOL_STOPPED_BYTES]; /* why capture ended before the process did, "": it did not */
    /* From here on for a spool in memory; see spool_place.h. */
    _Atomic uint32_t started;           /* 1: the trace is there, and events may be */
    uint64_t trace_device, trace_inode; /* of the trace's file, once it is there */
    char id[XS_SPOOL_ID_BYTES]; /* random; the file's name, and meta spool.id; "": the spool lies beside the trace */
    char folder[XS_SPOOL_FOLDER_BYTES]; /* in which it lies */
    char trace[XS_SPOOL_TRACE_BYTES];   /* the trace's absolute name */
    /* Of every spool again. */
    _Atomic uint64_t left; /* calls that never returned: the program jumped out of them */
};
_Static_assert(sizeof(struct xs_spool_header) <= XS_SPOOL_HEADER_BYTES, "the header has its place");

/* A mapped spool. The handle is the process's own; the mapping is shared with nobody but readers of the file. A spool
 * that was opened is not mapped but read: whoever may write to the file may also cut it off, and a load from behind a
 * mapped file's end is a SIGBUS. */
struct xs_spool {
    struct xs_spool_header *header;
    size_t map_bytes; /* of a spool that was opened: the file's */
    int fd; /* of the opening thread's descriptor table; -1 after xs_spool_unmap, and of a spool that was opened */
    bool in_memory;  /* its file is in a tmpfs and longer than its chunks: it can grow without a descriptor */
    uint32_t length; /* of the writer, in memory: chunks for which the file is long enough; as `growing` says */
    _Atomic uint32_t growing; /* a thread is growing it */
    _Atomic uint32_t free;    /* of the writer: chunks that are free, at most for a moment fewer; says where none is */
    _Atomic uint32_t next;    /* of the writer: where to look for a free chunk, behind the one that was taken last */
    int source;               /* of a spool that was opened: its descriptor, else -1 */
    struct xs_chunk *loaded;  /* of a spool that was opened: the chunk that was read last */
    /* Of a spool that was opened: the chunks of which the file holds anything, in ascending order, to be freed by
     * xs_spool_unmap. A file can be much larger than what is in it. NULL in the writer: all are there. */
    uint32_t *present;
    unsigned present_count;
};

/* Creates the file (exclusively, mode 0600), reserves `first_chunks` chunks on disk and maps room for
 * `limit_bytes`. The blocks are reserved because a store into a hole of a full disk is a SIGBUS. The mapping is kept
 * out of forked children. Where the process's limits leave less room (RLIMIT_AS, RLIMIT_FSIZE), it is smaller, down to
 * one chunk. The caller then starts header->clock. Returns 0, XS_ERROR_SYSTEM (errno tells) or XS_ERROR_FULL; leaves no
 * file behind on error. */
int xs_spool_create(const char *path, size_t limit_bytes, unsigned first_chunks, struct xs_spool *spool);

/* The same for a file in a tmpfs. */
int xs_spool_create_in_memory(const char *path, size_t limit_bytes, unsigned first_chunks, struct xs_spool *spool);

/* Reserves up to `chunks` more chunks; fewer at the limit. Drain thread only. Returns how many were added, 0 while
 * another thread does that, or an error (XS_ERROR_FULL: the disk is full). */
int xs_spool_grow(struct xs_spool *spool, unsigned chunks);

/* The same for any thread, as far as it needs no descriptor: in memory, from Linux 5.14 on. Else 0. */
int xs_spool_grow_without_file(struct xs_spool *spool, unsigned chunks);

/* Gives the memory of all chunks back that no thread holds; none can be taken afterwards. The opening thread only. */
void xs_spool_give_back(struct xs_spool *spool);

/* Free chunks below which the spool should grow, and chunks taken after which the drain thread should look at all of
 * them. Both are a part of the chunks that there are, so the looks of a run cost as much for each thread however many
 * threads live. */
static inline unsigned xs_spool_spare(unsigned chunks) { return chunks / 16 > 8 ? chunks / 16 : 8; }
static inline unsigned xs_spool_ring_every(unsigned chunks) { return chunks / 64 > 4 ? chunks / 64 : 4; }

/* By how many chunks the spool should grow: 0 while enough are free. header->chunk_bound bounds what waits to be taken
 * over. It does not bound threads: each holds a chunk for as long as it lives, so beyond it the spool still grows while
 * few chunks are full. */
unsigned xs_spool_wanted(const struct xs_spool *spool);

/* Opens an existing spool for taking it over, to be read only.
 * XS_ERROR_NOT_FOUND, XS_ERROR_CORRUPT when the header or the file's size
 * do not fit, XS_ERROR_SYSTEM. xs_spool_open_fd takes over a descriptor. */
int xs_spool_open(const char *path, struct xs_spool *spool);
int xs_spool_open_fd(int fd, struct xs_spool *spool);

/* Reads the first `bytes` bytes of a chunk of a spool that was opened; valid until the next call. NULL: the file no
 * longer has it. */
struct xs_chunk *xs_spool_read_chunk(const struct xs_spool *spool, unsigned i, size_t bytes);

/* What a reader relies on, in a header that was read from a file of that length. */
bool xs_spool_header_is_sound(const struct xs_spool_header *header, uint64_t magic, int64_t file_bytes);

/* Unmaps and closes; does not delete the file. */
void xs_spool_unmap(struct xs_spool *spool);

/* Of a spool that was created. */
static inline struct xs_chunk *xs_spool_chunk(const struct xs_spool *spool, unsigned i) {
    return (struct xs_chunk *)((char *)spool->header + XS_SPOOL_HEADER_BYTES + (size_t)i * XS_SPOOL_CHUNK_BYTES);
}

/* Takes a free chunk for a thread: lock-free, no system call. NULL when none is free, which costs no look at the
 * chunks. `hint` is the chunk to try first (the previous chunk's index); the chunk's index is returned through it. */
struct xs_chunk *xs_spool_take(struct xs_spool *spool, unsigned *hint, uint32_t thread, int32_t tid,
                               const char *thread_name);

/* The next event's place in a thread's chunk; NULL when the chunk is full. Its thread only. */
static inline struct xs_event *xs_chunk_slot(struct xs_chunk *chunk) {
    uint32_t n = atomic_load_explicit(&chunk->header.committed_bytes, memory_order_relaxed) / sizeof(struct xs_event);
    return n < XS_SPOOL_CHUNK_EVENTS ? &chunk->events[n] : NULL;
}

/* Publishes every event of the chunk that lies before `end`: a reader sees all of the new ones or none. */
static inline void xs_chunk_commit(struct xs_chunk *chunk, const struct xs_event *end) {
    uint32_t bytes = (uint32_t)((const char *)end - (const char *)chunk->events);
    atomic_store_explicit(&chunk->header.committed_bytes, bytes, memory_order_release);
}

/* The thread is done with the chunk: it is full, or the thread ends. */
static inline void xs_chunk_finish(struct xs_chunk *chunk) {
    atomic_store_explicit(&chunk->header.state, XS_CHUNK_FULL, memory_order_release);
}

enum xs_writer {
    XS_WRITER_GONE = 0,
    XS_WRITER_LIVES = 1,
    XS_WRITER_ELSEWHERE = 2, /* other pid namespace of this machine: its locks on the trace tell */
    XS_WRITER_UNKNOWN = 3,   /* other machine */
};

/* Whether the process that writes this spool still runs with it mapped: its pid is alive in the same boot and pid
 * namespace, and /proc/PID/maps shows the file (a process that called exec no longer has it). Where /proc does not
 * tell, a living pid counts as the writer. `path` is the spool's. */
enum xs_writer xs_spool_writer(const struct xs_spool_header *header, const char *path);

/* Says in the header who writes the spool: process, namespaces, boot, host. */
void xs_spool_sign(struct xs_spool_header *header);

/* Whether the header was written since this machine was started, and in this process's mount namespace. */
bool xs_spool_same_boot(const struct xs_spool_header *header);
bool xs_spool_same_mounts(const struct xs_spool_header *header);

struct xs_store;

/* Takes over what is committed and not yet drained, in one transaction, at most `limit_events` (0: all); frees full
 * chunks afterwards. Returns the number of events taken over or an error, after which nothing was taken over. Each
 * thread's events keep their order; those of different threads do not. If `recovering` is true, it trusts
 * spool_progress and not the spool, and uses the transaction that the caller began and will commit. Events of no known
 * kind are skipped and counted in meta skipped_events. One caller at a time. A spool that was opened (not created) can
 * only be drained with `recovering` true: its chunks are read, and nothing is written to it. */
int64_t xs_spool_drain(struct xs_spool *spool, struct xs_store *store, int64_t limit_events, bool recovering);

/* Writes the header's counters into meta: cost.spool_stalls, cost.spool_stall_ns, coverage.nested,
 * coverage.dropped, coverage.left. */
int xs_spool_store_counters(const struct xs_spool *spool, struct xs_store *store);

#endif
