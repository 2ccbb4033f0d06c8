/* The spool is a file that is mapped into the process. Each thread writes its events into chunks that only this thread
 * uses. The drain thread, or any later xferspy command, moves the events into the trace. Events that were committed
 * before a SIGKILL are not lost, because the file system keeps the file's pages. spool_location.h decides where the
 * file is: in memory (tmpfs), or beside the trace.
 *
 *   header | chunk 0 | chunk 1 | ...
 *
 * A chunk's life: FREE -> (a thread takes it) ACTIVE -> (it is full, or its thread ended) FULL -> (all its events were
 * drained) FREE with the next generation. `committed_bytes` is increased for one event at a time, or for all parts of a
 * definition together, by a release store after these bytes are complete. */
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

/* Sizes of texts, including the NUL. */
#define XS_SPOOL_ID_BYTES 33u
#define XS_SPOOL_STOPPED_BYTES 256u
#define XS_SPOOL_FOLDER_BYTES 96u
#define XS_SPOOL_TRACE_BYTES 4096u

enum xs_chunk_state { XS_CHUNK_FREE = 0, XS_CHUNK_ACTIVE = 1, XS_CHUNK_FULL = 2 };

struct xs_chunk_header {
    _Atomic uint32_t state;
    _Atomic uint32_t generation;
    _Atomic uint32_t committed_bytes; /* number of committed bytes of events after this header */
    _Atomic uint32_t drained_bytes;   /* for the drain thread only; recovery uses the trace's spool_progress */
    uint32_t thread;                  /* thread.id, from 1 */
    int32_t tid;
    char thread_name[16];
    _Atomic uint64_t sequence; /* number of the chunk in the order in which chunks were taken, from 1; 0: free, or not
                                  yet ready to be read */
    uint8_t reserved[80];      /* makes the events start on a cache-line pair */
};

struct xs_chunk {
    struct xs_chunk_header header;
    struct xs_event events[];
};
_Static_assert(sizeof(struct xs_chunk_header) == 128, "the events start on a cache-line pair");

/* Describes the first failure of the program's work on the device. The description is in the spool, because programs
 * often abort immediately after such a failure. */
struct xs_spool_failure {
    _Atomic int32_t result; /* CUresult, written last; 0: there was no failure */
    char entry_point[64];   /* name of the call that returned `result` */
    char cupti[16];         /* "attached", "detached" (CUPTI had been attached before) or "off" */
    uint64_t at_ns;         /* CLOCK_MONOTONIC */
};

struct xs_spool_header {
    _Atomic uint64_t magic;            /* written last */
    uint32_t event_bytes, chunk_bytes; /* sizes in the writer; a reader that has other sizes refuses the file */
    uint32_t chunk_limit;              /* number of chunks for which the mapping has room */
    uint32_t chunk_bound; /* when there are this many chunks, the spool grows only to give each thread a chunk */
    _Atomic uint32_t chunk_count; /* chunks whose blocks are reserved on disk */
    int32_t pid;
    _Atomic uint32_t closed; /* 1: the writer has finished, and all events are in the trace */
    struct xs_clock clock;
    _Atomic uint64_t stalls, stall_ns; /* waits of threads for a free chunk */
    _Atomic uint64_t nested;        /* calls not recorded, because they were made inside the wrapper of another call */
    _Atomic uint64_t dropped;       /* calls not recorded, because no chunk became free in time */
    _Atomic uint64_t next_sequence; /* number of chunks taken so far */
    char boot_id[40];               /* /proc/sys/kernel/random/boot_id of the writer */
    char host[64];                  /* the writer's node name */
    uint64_t pid_namespace;         /* inode of /proc/self/ns/pid */
    uint64_t mount_namespace;       /* inode of /proc/self/ns/mnt */
    char stopped[XS_SPOOL_STOPPED_BYTES]; /* reason why capture ended before the process; "": capture did not end
                                             earlier */
    /* The fields from here on are for a spool in memory; see spool_location.h. */
    _Atomic uint32_t started;           /* 1: the trace exists, and events may exist */
    uint64_t trace_device, trace_inode; /* the trace file's identity, once it exists */
    char id[XS_SPOOL_ID_BYTES]; /* random; part of the file name, and in meta as spool.id; "": the spool is beside the
                                   trace */
    char folder[XS_SPOOL_FOLDER_BYTES]; /* folder of the spool */
    char trace[XS_SPOOL_TRACE_BYTES];   /* the trace's absolute name */
    /* These fields are for every spool. */
    _Atomic uint64_t left; /* calls that never returned, because the program jumped out of them */
    struct xs_spool_failure failure;
};
_Static_assert(sizeof(struct xs_spool_header) <= XS_SPOOL_HEADER_BYTES, "the header has its place");

/* Describes a spool that this process has created or opened. A created spool is mapped. An opened spool is read
 * instead, because any process that can write the file can also truncate it, and a load beyond the end of a mapped file
 * raises SIGBUS. */
struct xs_spool {
    struct xs_spool_header *header;
    size_t map_bytes; /* for an opened spool: the file's length */
    int fd;          /* created spool: its descriptor, in the descriptor table of the thread that created it; else -1 */
    bool in_memory;  /* the file is in a tmpfs and longer than its chunks, so the spool can grow without a descriptor */
    uint32_t length; /* writer, in memory: number of chunks that fit into the file's length; protected by `growing` */
    _Atomic uint32_t growing; /* a thread is growing the spool */
    _Atomic uint32_t free;    /* writer: number of free chunks; may be too high for a short time, but never too low */
    _Atomic uint32_t full;    /* writer: number of full chunks, so that no thread has to examine all chunks for it */
    _Atomic uint32_t next;    /* writer: index at which the search for a free chunk begins */
    int source;               /* opened spool: its descriptor, else -1 */
    struct xs_chunk *loaded;  /* opened spool: the chunk that was read last */
    /* Opened spool: indexes of the chunks that have data in the file, in ascending order. The others need not be read;
     * a sparse file can be much longer than its data. xs_spool_unmap frees the array. NULL in the writer, where all
     * chunks exist. */
    uint32_t *present;
    unsigned present_count;
};

/* Creates the file (exclusively, mode 0600), reserves `first_chunks` chunks on disk and maps addresses for
 * `limit_bytes`. Blocks are reserved because a store into a hole of the file raises SIGBUS if the disk is full. Forked
 * children do not get the mapping. If the process's limits (RLIMIT_AS, RLIMIT_FSIZE) permit less, the spool is smaller,
 * but has at least one chunk. The caller must then start header->clock. Returns 0, XS_ERROR_SYSTEM (with errno) or
 * XS_ERROR_FULL; after an error there is no file. */
int xs_spool_create(const char *path, size_t limit_bytes, unsigned first_chunks, struct xs_spool *spool);

/* Creates the spool as xs_spool_create does. `path` is in a tmpfs. */
int xs_spool_create_in_memory(const char *path, size_t limit_bytes, unsigned first_chunks, struct xs_spool *spool);

/* Adds up to `chunks` chunks, but not more than the limit permits. Only the drain thread may call this function.
 * Returns the number of added chunks, 0 if another thread is growing the spool, or an error (XS_ERROR_FULL: the disk is
 * full, or the tmpfs has too little free space). */
int xs_spool_grow(struct xs_spool *spool, unsigned chunks);

/* Adds chunks as xs_spool_grow does, but without a descriptor, so any thread may call this function. Returns the number
 * of added chunks. Returns 0 for a spool that is not in memory, and before Linux 5.14. */
int xs_spool_grow_without_file(struct xs_spool *spool, unsigned chunks);

/* Frees the memory of all chunks that no thread has. These chunks cannot be taken afterwards. Must be called on the
 * thread that created the spool. */
void xs_spool_give_back(struct xs_spool *spool);

/* The spool should grow when it has fewer than xs_spool_spare free chunks. The drain thread should scan all chunks once
 * for every xs_spool_ring_every chunks that were taken. Both numbers are a fraction of the number of existing chunks,
 * so the cost of scans per thread does not depend on the number of threads. */
static inline unsigned xs_spool_spare(unsigned chunks) { return chunks / 16 > 8 ? chunks / 16 : 8; }
static inline unsigned xs_spool_ring_every(unsigned chunks) { return chunks / 64 > 4 ? chunks / 64 : 4; }

/* Returns the number of chunks by which the spool should grow; 0: enough chunks are free. header->chunk_bound limits
 * the events that wait to be drained, but not the number of threads. Each thread has a chunk until it ends, so the
 * spool also grows beyond the bound if few chunks are full. */
unsigned xs_spool_wanted(const struct xs_spool *spool);

/* These functions open an existing spool for reading, for recovery. They return 0, XS_ERROR_NOT_FOUND, XS_ERROR_CORRUPT
 * if the header or the file's size is wrong, XS_ERROR_SYSTEM or XS_ERROR_MEMORY. xs_spool_open_fd takes ownership of
 * the descriptor. */
int xs_spool_open(const char *path, struct xs_spool *spool);
int xs_spool_open_fd(int fd, struct xs_spool *spool);

/* Reads the first `bytes` bytes of a chunk of an opened spool. The result is valid until the next call. NULL: the file
 * has become shorter, or cannot be read. */
struct xs_chunk *xs_spool_read_chunk(const struct xs_spool *spool, unsigned i, size_t bytes);

/* True if a header that was read from a file of `file_bytes` bytes is safe to use. `magic` is the expected magic
 * number. */
bool xs_spool_header_is_sound(const struct xs_spool_header *header, uint64_t magic, int64_t file_bytes);

/* Unmaps and closes the spool; does not delete the file. */
void xs_spool_unmap(struct xs_spool *spool);

/* Returns the address of chunk `i`. The spool must be a created one. */
static inline struct xs_chunk *xs_spool_chunk(const struct xs_spool *spool, unsigned i) {
    return (struct xs_chunk *)((char *)spool->header + XS_SPOOL_HEADER_BYTES + (size_t)i * XS_SPOOL_CHUNK_BYTES);
}

/* Takes a free chunk for a thread, without a lock or a system call. NULL: no chunk is free; in most cases `spool->free`
 * shows this without a search. *hint is the index of the chunk to try first (the thread's previous chunk), and receives
 * the index of the new chunk. */
struct xs_chunk *xs_spool_take(struct xs_spool *spool, unsigned *hint, uint32_t thread, int32_t tid,
                               const char *thread_name);

/* Returns the address for the next event in a thread's chunk; NULL: the chunk is full. Only the thread that has the
 * chunk may call this function. */
static inline struct xs_event *xs_chunk_slot(struct xs_chunk *chunk) {
    uint32_t n = atomic_load_explicit(&chunk->header.committed_bytes, memory_order_relaxed) / sizeof(struct xs_event);
    return n < XS_SPOOL_CHUNK_EVENTS ? &chunk->events[n] : NULL;
}

/* Publishes all events of the chunk before `end`. A reader sees either all new events or none of them. */
static inline void xs_chunk_commit(struct xs_chunk *chunk, const struct xs_event *end) {
    uint32_t bytes = (uint32_t)((const char *)end - (const char *)chunk->events);
    atomic_store_explicit(&chunk->header.committed_bytes, bytes, memory_order_release);
}

/* Ends the thread's use of the chunk, because it is full or the thread ends. */
static inline void xs_chunk_finish(struct xs_spool *spool, struct xs_chunk *chunk) {
    atomic_fetch_add_explicit(&spool->full, 1, memory_order_relaxed);
    atomic_store_explicit(&chunk->header.state, XS_CHUNK_FULL, memory_order_release);
}

enum xs_writer {
    XS_WRITER_GONE = 0,
    XS_WRITER_LIVES = 1,
    XS_WRITER_ELSEWHERE = 2, /* in another pid namespace of this machine; locks on the trace show whether it runs */
    XS_WRITER_UNKNOWN = 3,   /* on another machine, so it is not known whether it runs */
};

/* Finds out whether the process that writes this spool (the writer) still runs and has the spool mapped.
 * XS_WRITER_LIVES means that the writer's pid exists in the same boot and pid namespace, and that /proc/PID/maps
 * contains the file (after an exec it does not). If /proc cannot be read, any process with this pid counts as the
 * writer. `path` is the path of the spool. */
enum xs_writer xs_spool_writer(const struct xs_spool_header *header, const char *path);

/* Writes the process, the namespaces, the boot and the host of the calling process into the header. The writer calls
 * this function. */
void xs_spool_sign(struct xs_spool_header *header);

/* xs_spool_same_boot returns true if the header was written in the present boot of this machine. xs_spool_same_mounts
 * returns true if it was written in the mount namespace of this process. */
bool xs_spool_same_boot(const struct xs_spool_header *header);
bool xs_spool_same_mounts(const struct xs_spool_header *header);

struct xs_store;

/* Moves committed events that were not drained yet into the trace, in one transaction, and then frees full chunks.
 * Moves about `limit_events` events at most, because a definition is never cut; 0: all. Returns the number of events
 * moved, or an error, after which nothing was moved. The events of each thread keep their order, but the events of
 * different threads may be mixed. If `recovering` is true, the trace's table spool_progress, and not the spool, tells
 * which events were drained already, and the function works in a transaction that the caller has begun and will commit.
 * Events of unknown kinds are skipped and counted in meta skipped_events. Only one thread at a time may call this
 * function. For an opened (not created) spool, `recovering` must be true, and nothing is written to the spool. */
int64_t xs_spool_drain(struct xs_spool *spool, struct xs_store *store, int64_t limit_events, bool recovering);

/* Writes the failure of the device into meta, if there was one. Returns 0 or an error of the store. */
int xs_spool_store_failure(const struct xs_spool *spool, struct xs_store *store);

/* Writes the header's counters into meta: cost.spool_stalls, cost.spool_stall_ns, coverage.nested,
 * coverage.dropped, coverage.left. */
int xs_spool_store_counters(const struct xs_spool *spool, struct xs_store *store);

#endif
