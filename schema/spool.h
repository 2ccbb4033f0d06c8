/* The spool: a file mapped into the process, in which each thread fills chunks of its own with events, and from which
 * the drain thread, or any later xferspy command, takes them over into the trace. Events that were committed before a
 * SIGKILL are in the page cache, so they survive it.
 *
 *   header page | chunk 0 | chunk 1 | ...            file name: the trace's name and ".spool"
 *
 * A chunk's life: FREE -> (a thread takes it) ACTIVE -> (full, or its thread ended) FULL -> (all taken over) FREE with
 * the next generation. `committed_bytes` grows by one event at a time, or by all parts of a definition at once. It is
 * set by a release store after these bytes are complete. */
#ifndef XFERSPY_SCHEMA_SPOOL_H
#define XFERSPY_SCHEMA_SPOOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/clock.h"
#include "schema/event.h"

#define XS_SPOOL_MAGIC UINT64_C(0x314c4f4f50535358) /* "XSSPOOL1" */
#define XS_SPOOL_HEADER_BYTES 4096u
#define XS_SPOOL_CHUNK_BYTES (64u * 1024u)
#define XS_SPOOL_CHUNK_EVENTS ((XS_SPOOL_CHUNK_BYTES - sizeof(struct xs_chunk_header)) / sizeof(struct xs_event))

/* What both halves say of calls for which no chunk came free in time. */
#define XS_SPOOL_FULL "calls were not recorded: the spool was full and could not grow"

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
    _Atomic uint32_t chunk_count;      /* chunks whose blocks are reserved on disk */
    int32_t pid;
    _Atomic uint32_t closed; /* 1: the writer finished and everything was taken over */
    struct xs_clock clock;
    _Atomic uint64_t stalls, stall_ns; /* waits of threads for a free chunk */
    _Atomic uint64_t nested;           /* calls not recorded because they were made inside another one's wrapper */
    _Atomic uint64_t dropped;          /* calls not recorded because no chunk came free in time */
    _Atomic uint64_t next_sequence;    /* of chunks taken so far */
    char boot_id[40];                  /* /proc/sys/kernel/random/boot_id of the writer */
    char host[64];                     /* its node name */
    uint64_t pid_namespace;            /* inode of /proc/self/ns/pid */
};
_Static_assert(sizeof(struct xs_spool_header) <= XS_SPOOL_HEADER_BYTES, "the header is one page");

/* A mapped spool. The handle is the process's own; the mapping is shared with nobody but readers of the file. */
struct xs_spool {
    struct xs_spool_header *header;
    size_t map_bytes;
    int fd; /* of the opening thread's descriptor table; -1 after xs_spool_unmap, and of a spool that was opened */
};

/* Creates the file (exclusively, mode 0644 less umask), reserves `first_chunks` chunks on disk and maps room for
 * `limit_bytes`. The blocks are reserved because a store into a hole of a full disk is a SIGBUS. The mapping is kept
 * out of forked children. The caller then starts header->clock. Returns 0, XS_ERROR_SYSTEM (errno tells) or
 * XS_ERROR_FULL; leaves no file behind on error. */
int xs_spool_create(const char *path, size_t limit_bytes, unsigned first_chunks, struct xs_spool *spool);

/* Reserves up to `chunks` more chunks; fewer at the limit. Drain thread only. Returns how many were added, or an
 * error (XS_ERROR_FULL: the disk is full). */
int xs_spool_grow(struct xs_spool *spool, unsigned chunks);

/* Maps an existing spool for taking it over; the mapping is private: the file stays as it is, and may be read-only.
 * XS_ERROR_NOT_FOUND, XS_ERROR_CORRUPT when the header or the file's size
 * do not fit, XS_ERROR_SYSTEM. Every offset of a mapped spool has been checked against the file's size. */
int xs_spool_open(const char *path, struct xs_spool *spool);

/* Unmaps and closes; does not delete the file. */
void xs_spool_unmap(struct xs_spool *spool);

static inline struct xs_chunk *xs_spool_chunk(const struct xs_spool *spool, unsigned i) {
    return (struct xs_chunk *)((char *)spool->header + XS_SPOOL_HEADER_BYTES + (size_t)i * XS_SPOOL_CHUNK_BYTES);
}

/* Takes a free chunk for a thread: lock-free, no system call. NULL when none is free. `hint` is where to start looking
 * (the previous chunk's index); the chunk's index is returned through it. */
struct xs_chunk *xs_spool_take(struct xs_spool *spool, unsigned *hint, uint32_t thread, int32_t tid,
                               const char *thread_name);

/* The next event's place in a thread's chunk; NULL when the chunk is full. Its thread only. */
static inline struct xs_event *xs_chunk_slot(struct xs_chunk *chunk) {
    uint32_t n = atomic_load_explicit(&chunk->header.committed_bytes, memory_order_relaxed) / sizeof(struct xs_event);
    return n < XS_SPOOL_CHUNK_EVENTS ? &chunk->events[n] : NULL;
}

/* Publishes the event written into xs_chunk_slot. */
static inline void xs_chunk_commit(struct xs_chunk *chunk) {
    uint32_t n = atomic_load_explicit(&chunk->header.committed_bytes, memory_order_relaxed);
    atomic_store_explicit(&chunk->header.committed_bytes, n + (uint32_t)sizeof(struct xs_event), memory_order_release);
}

/* Publishes the next `count` events at once: a reader sees all of them or none. */
static inline void xs_chunk_commit_several(struct xs_chunk *chunk, unsigned count) {
    uint32_t n = atomic_load_explicit(&chunk->header.committed_bytes, memory_order_relaxed);
    n += count * (uint32_t)sizeof(struct xs_event);
    atomic_store_explicit(&chunk->header.committed_bytes, n, memory_order_release);
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
enum xs_writer xs_spool_writer(const struct xs_spool *spool, const char *path);

/* False only when the writer is known to be gone. */
bool xs_spool_writer_lives(const struct xs_spool *spool, const char *path);

struct xs_store;

/* Takes over what is committed and not yet drained, in one transaction, at most `limit_events` (0: all); frees full
 * chunks afterwards. Returns the number of events taken over or an error, after which nothing was taken over. Each
 * thread's events keep their order; those of different threads do not. If `recovering` is true, it trusts
 * spool_progress and not the spool, and uses the transaction that the caller began and will commit. Events of no known
 * kind are skipped and counted in meta skipped_events. One caller at a time. */
int64_t xs_spool_drain(struct xs_spool *spool, struct xs_store *store, int64_t limit_events, bool recovering);

/* Writes the header's counters into meta: cost.spool_stalls, cost.spool_stall_ns, coverage.nested,
 * coverage.dropped. */
int xs_spool_store_counters(const struct xs_spool *spool, struct xs_store *store);

#endif
