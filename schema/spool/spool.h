/* The spool is a file mapped into the process. Each thread fills chunks of its own with events; the drain thread, or
 * any later xferspy command, moves them into the trace. Events committed before a SIGKILL survive it, because the file
 * system keeps the file's pages. spool_place.h decides where the file lies: in memory (tmpfs), or beside the trace.
 *
 *   header | chunk 0 | chunk 1 | ...
 *
 * A chunk's life: FREE -> (a thread takes it) ACTIVE -> (full, or its thread ended) FULL -> (all taken over) FREE with
 * the next generation. `committed_bytes` grows by one event at a time, or by all parts of a definition at once. A
 * release store sets it after these bytes are complete. */
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

/* Size with the NUL. */
#define XS_SPOOL_ID_BYTES 33u
#define XS_SPOOL_STOPPED_BYTES 256u
#define XS_SPOOL_FOLDER_BYTES 96u
#define XS_SPOOL_TRACE_BYTES 4096u

enum xs_chunk_state { XS_CHUNK_FREE = 0, XS_CHUNK_ACTIVE = 1, XS_CHUNK_FULL = 2 };

struct xs_chunk_header {
    _Atomic uint32_t state;
    _Atomic uint32_t generation;
    _Atomic uint32_t committed_bytes; /* committed bytes of events, counted from the end of this header */
    _Atomic uint32_t drained_bytes;   /* for the drain thread only; the trace's spool_progress is authoritative */
    uint32_t thread;                  /* thread.id, from 1 */
    int32_t tid;
    char thread_name[16];
    _Atomic uint64_t sequence; /* order in which chunks were taken, from 1; 0: free, or not yet ready to be read */
    uint8_t reserved[80];      /* makes the events start on a cache-line pair */
};

struct xs_chunk {
    struct xs_chunk_header header;
    struct xs_event events[];
};
_Static_assert(sizeof(struct xs_chunk_header) == 128, "the events start on a cache-line pair");

struct xs_spool_header {
    _Atomic uint64_t magic;            /* written last */
    uint32_t event_bytes, chunk_bytes; /* as compiled; a reader with other sizes refuses the file */
    uint32_t chunk_limit;              /* chunks the mapping has room for */
    uint32_t chunk_bound;              /* chunk count beyond which the spool grows only for threads, one chunk each */
    _Atomic uint32_t chunk_count;      /* chunks whose blocks are reserved on disk */
    int32_t pid;
    _Atomic uint32_t closed; /* 1: the writer finished and everything was taken over */
    struct xs_clock clock;
    _Atomic uint64_t stalls, stall_ns;    /* waits of threads for a free chunk */
    _Atomic uint64_t nested;              /* calls not recorded because they were made inside another one's wrapper */
    _Atomic uint64_t dropped;             /* calls not recorded because no chunk came free in time */
    _Atomic uint64_t next_sequence;       /* number of chunks taken so far */
    char boot_id[40];                     /* /proc/sys/kernel/random/boot_id of the writer */
    char host[64];                        /* the writer's node name */
    uint64_t pid_namespace;               /* inode of /proc/self/ns/pid */
    uint64_t mount_namespace;             /* inode of /proc/self/ns/mnt */
    char stopped[XS_SPOOL_STOPPED_BYTES]; /* why capture ended before the process did, "": it did not */
    /* The fields from here on are for a spool in memory; see spool_place.h. */
    _Atomic uint32_t started;           /* 1: the trace exists, and events may */
    uint64_t trace_device, trace_inode; /* the trace file's identity, once it exists */
    char id[XS_SPOOL_ID_BYTES];         /* random; file name and meta spool.id; "": the spool lies beside the trace */
    char folder[XS_SPOOL_FOLDER_BYTES]; /* folder of the spool */
    char trace[XS_SPOOL_TRACE_BYTES];   /* the trace's absolute name */
    /* This field is for every spool. */
    _Atomic uint64_t left; /* calls that never returned: the program jumped out of them */
};
_Static_assert(sizeof(struct xs_spool_header) <= XS_SPOOL_HEADER_BYTES, "the header has its place");

/* A handle maps or reads a spool. It belongs to the process; only readers of the file share the mapping. An opened
 * spool is read, not mapped: another writer of the file may also truncate it, and a load from beyond the end of a
 * mapped file is a SIGBUS. */
struct xs_spool {
    struct xs_spool_header *header;
    size_t map_bytes; /* for an opened spool: the file's length */
    int fd;           /* in the opening thread's descriptor table; -1 after xs_spool_unmap, and for an opened spool */
    bool in_memory;   /* the file is in a tmpfs and longer than its chunks: it can grow without a descriptor */
    uint32_t length;  /* writer, in memory: chunks that fit into the file's length; guarded by `growing` */
    _Atomic uint32_t growing; /* a thread is growing the spool */
    _Atomic uint32_t free;    /* writer: count of free chunks, never too low, briefly too high; 0: none */
    _Atomic uint32_t next;    /* writer: where to look for a free chunk, after the one taken last */
    int source;               /* opened spool: its descriptor, else -1 */
    struct xs_chunk *loaded;  /* opened spool: the chunk that was read last */
    /* Opened spool: chunks that have data in the file, ascending; xs_spool_unmap frees the array. A sparse file can be
     * much longer than its data. NULL in the writer: all chunks exist. */
    uint32_t *present;
    unsigned present_count;
};

/* Creates the file (exclusively, mode 0600), reserves `first_chunks` chunks on disk and maps room for `limit_bytes`.
 * Blocks are reserved because a store into a hole of a full disk is a SIGBUS. Forked children do not get the mapping.
 * Where the process's limits (RLIMIT_AS, RLIMIT_FSIZE) leave less room, the spool is smaller, down to one chunk. The
 * caller then starts header->clock. Returns 0, XS_ERROR_SYSTEM (errno tells) or XS_ERROR_FULL; leaves no file behind on
 * error. */
int xs_spool_create(const char *path, size_t limit_bytes, unsigned first_chunks, struct xs_spool *spool);

/* Creates the spool as xs_spool_create does, in a tmpfs. */
int xs_spool_create_in_memory(const char *path, size_t limit_bytes, unsigned first_chunks, struct xs_spool *spool);

/* Reserves up to `chunks` more chunks; fewer at the limit. Drain thread only. Returns how many were added, 0 while
 * another thread grows the spool, or an error (XS_ERROR_FULL: the disk is full). */
int xs_spool_grow(struct xs_spool *spool, unsigned chunks);

/* Grows the spool from any thread if no descriptor is needed: in memory, from Linux 5.14 on. Else returns 0. */
int xs_spool_grow_without_file(struct xs_spool *spool, unsigned chunks);

/* Frees the memory of all chunks that no thread holds; none can be taken afterwards. Opening thread only. */
void xs_spool_give_back(struct xs_spool *spool);

/* The spool should grow below xs_spool_spare free chunks, and the drain thread should scan all chunks after as many as
 * the second function says were taken. Both are a fraction of the existing chunks, so a run's scans cost the same for
 * each thread however many threads live. */
static inline unsigned xs_spool_spare(unsigned chunks) { return chunks / 16 > 8 ? chunks / 16 : 8; }
static inline unsigned xs_spool_ring_every(unsigned chunks) { return chunks / 64 > 4 ? chunks / 64 : 4; }

/* Returns by how many chunks the spool should grow: 0 while enough are free. header->chunk_bound limits the backlog,
 * not the threads: each holds a chunk for as long as it lives, so beyond the bound the spool still grows while few
 * chunks are full. */
unsigned xs_spool_wanted(const struct xs_spool *spool);

/* Opens an existing spool read-only, for recovery. XS_ERROR_NOT_FOUND, XS_ERROR_CORRUPT when the header or the file's
 * size do not fit, XS_ERROR_SYSTEM. xs_spool_open_fd takes ownership of a descriptor. */
int xs_spool_open(const char *path, struct xs_spool *spool);
int xs_spool_open_fd(int fd, struct xs_spool *spool);

/* Reads the first `bytes` bytes of a chunk of an opened spool; valid until the next call. NULL: the file no longer has
 * them. */
struct xs_chunk *xs_spool_read_chunk(const struct xs_spool *spool, unsigned i, size_t bytes);

/* True when a header read from a file of that length is safe for a reader. */
bool xs_spool_header_is_sound(const struct xs_spool_header *header, uint64_t magic, int64_t file_bytes);

/* Unmaps and closes; does not delete the file. */
void xs_spool_unmap(struct xs_spool *spool);

/* Only for a created spool. */
static inline struct xs_chunk *xs_spool_chunk(const struct xs_spool *spool, unsigned i) {
    return (struct xs_chunk *)((char *)spool->header + XS_SPOOL_HEADER_BYTES + (size_t)i * XS_SPOOL_CHUNK_BYTES);
}

/* Takes a free chunk for a thread: lock-free, no system call. Returns NULL when none is free, without scanning the
 * chunks. `hint` is the chunk to try first (the previous chunk's index) and receives the index of the chunk taken. */
struct xs_chunk *xs_spool_take(struct xs_spool *spool, unsigned *hint, uint32_t thread, int32_t tid,
                               const char *thread_name);

/* Returns the place of the next event in a thread's chunk; NULL when the chunk is full. Owning thread only. */
static inline struct xs_event *xs_chunk_slot(struct xs_chunk *chunk) {
    uint32_t n = atomic_load_explicit(&chunk->header.committed_bytes, memory_order_relaxed) / sizeof(struct xs_event);
    return n < XS_SPOOL_CHUNK_EVENTS ? &chunk->events[n] : NULL;
}

/* Publishes all events of the chunk before `end`: a reader sees all new ones or none. */
static inline void xs_chunk_commit(struct xs_chunk *chunk, const struct xs_event *end) {
    uint32_t bytes = (uint32_t)((const char *)end - (const char *)chunk->events);
    atomic_store_explicit(&chunk->header.committed_bytes, bytes, memory_order_release);
}

/* Gives up the chunk: it is full, or the thread ends. */
static inline void xs_chunk_finish(struct xs_chunk *chunk) {
    atomic_store_explicit(&chunk->header.state, XS_CHUNK_FULL, memory_order_release);
}

enum xs_writer {
    XS_WRITER_GONE = 0,
    XS_WRITER_LIVES = 1,
    XS_WRITER_ELSEWHERE = 2, /* another pid namespace of this machine: the writer's locks on the trace tell */
    XS_WRITER_UNKNOWN = 3,   /* another machine */
};

/* Returns whether the process that writes this spool still runs with it mapped: its pid is alive in the same boot and
 * pid namespace, and /proc/PID/maps shows the file (a process that called exec no longer has it). Without an answer
 * from /proc, a living pid counts as the writer. `path` is the spool's. */
enum xs_writer xs_spool_writer(const struct xs_spool_header *header, const char *path);

/* Records the writer in the header: process, namespaces, boot, host. */
void xs_spool_sign(struct xs_spool_header *header);

/* Compare the header with this process: xs_spool_same_boot is true during the machine's boot in which it was written,
 * xs_spool_same_mounts in the same mount namespace. */
bool xs_spool_same_boot(const struct xs_spool_header *header);
bool xs_spool_same_mounts(const struct xs_spool_header *header);

struct xs_store;

/* Moves committed events not yet drained into the trace in one transaction, at most `limit_events` (0: all), then frees
 * full chunks. Returns the number of events moved, or an error after which nothing has moved. Each thread's events keep
 * their order; events of different threads do not. `recovering` true: trusts spool_progress instead of the spool, and
 * uses the transaction that the caller began and will commit. Events of unknown kinds are skipped and counted in meta
 * skipped_events. One caller at a time. An opened (not created) spool needs `recovering` true: its chunks are read, and
 * nothing is written to it. */
int64_t xs_spool_drain(struct xs_spool *spool, struct xs_store *store, int64_t limit_events, bool recovering);

/* Writes the header's counters into meta: cost.spool_stalls, cost.spool_stall_ns, coverage.nested,
 * coverage.dropped, coverage.left. */
int xs_spool_store_counters(const struct xs_spool *spool, struct xs_store *store);

#endif
