/* Each enumeration of the trace format is one X-macro list. The writer stores the numbers. The trace also has the
 * names, in lookup tables that are made from the same list. The analyzer uses the numbers or the names. The numbers are
 * part of the format: new values may be appended, but existing numbers must never change. */
#ifndef XFERSPY_SCHEMA_FORMAT_KINDS_H
#define XFERSPY_SCHEMA_FORMAT_KINDS_H

/* The direction of a copy is computed from the memory kinds of both sides. `peer` is a copy between two devices. */
#define XS_DIRECTIONS(X)                                                                                               \
    X(0, UNKNOWN, "unknown")                                                                                           \
    X(1, H2D, "h2d")                                                                                                   \
    X(2, D2H, "d2h")                                                                                                   \
    X(3, D2D, "d2d")                                                                                                   \
    X(4, PEER, "peer")                                                                                                 \
    X(5, H2H, "h2h")

/* A memory kind tells what memory is at an address. `pinned` memory was page-locked by its allocation, and `registered`
 * memory was page-locked later by cuMemHostRegister. Host memory is `pageable` if no driver call has allocated or
 * registered it. */
#define XS_MEMORY_KINDS(X)                                                                                             \
    X(0, UNKNOWN, "unknown")                                                                                           \
    X(1, PAGEABLE, "pageable")                                                                                         \
    X(2, PINNED, "pinned")                                                                                             \
    X(3, REGISTERED, "registered")                                                                                     \
    X(4, DEVICE, "device")                                                                                             \
    X(5, ARRAY, "array")                                                                                               \
    X(6, MANAGED, "managed")

/* An origin tells how a known range of memory was made. `module` is the memory of a __device__ variable; such a range
 * becomes known when the program queries its address. */
#define XS_ORIGINS(X)                                                                                                  \
    X(0, UNKNOWN, "unknown")                                                                                           \
    X(1, ALLOC, "alloc")                                                                                               \
    X(2, POOL, "pool")                                                                                                 \
    X(3, VMM, "vmm")                                                                                                   \
    X(4, IPC, "ipc")                                                                                                   \
    X(5, EXTERNAL, "external")                                                                                         \
    X(6, MODULE, "module")

/* A launch kind tells what a launch starts. */
#define XS_LAUNCH_KINDS(X)                                                                                             \
    X(0, KERNEL, "kernel")                                                                                             \
    X(1, COOPERATIVE, "cooperative")                                                                                   \
    X(2, GRAPH, "graph")                                                                                               \
    X(3, HOST_FUNCTION, "host function")

/* A scope tells what a synchronising call waits for. */
#define XS_SYNC_SCOPES(X)                                                                                              \
    X(0, CONTEXT, "context")                                                                                           \
    X(1, STREAM, "stream")                                                                                             \
    X(2, EVENT, "event")

/* A category groups similar entry points; every row of the entry-point table has one category. */
#define XS_CATEGORIES(X)                                                                                               \
    X(0, TRANSFER, "transfer")                                                                                         \
    X(1, MEMSET, "memset")                                                                                             \
    X(2, ALLOCATE, "allocate")                                                                                         \
    X(3, FREE, "free")                                                                                                 \
    X(4, LAUNCH, "launch")                                                                                             \
    X(5, SYNC, "sync")                                                                                                 \
    X(6, MANAGED, "managed memory")                                                                                    \
    X(7, STREAM_MEMOP, "stream memory operation")                                                                      \
    X(8, CAPTURE, "stream capture")                                                                                    \
    X(9, GRAPH, "graph")                                                                                               \
    X(10, CONTEXT, "context")                                                                                          \
    X(11, STREAM, "stream")                                                                                            \
    X(12, LOOKUP, "lookup")                                                                                            \
    X(13, LOAD, "load")

/* Copy kinds are the values of CUpti_ActivityMemcpyKind, with the same numbers as in cupti_activity.h. */
#define XS_COPY_KINDS(X)                                                                                               \
    X(0, UNKNOWN, "unknown")                                                                                           \
    X(1, HTOD, "h2d")                                                                                                  \
    X(2, DTOH, "d2h")                                                                                                  \
    X(3, HTOA, "h2a")                                                                                                  \
    X(4, ATOH, "a2h")                                                                                                  \
    X(5, ATOA, "a2a")                                                                                                  \
    X(6, ATOD, "a2d")                                                                                                  \
    X(7, DTOA, "d2a")                                                                                                  \
    X(8, DTOD, "d2d")                                                                                                  \
    X(9, HTOH, "h2h")                                                                                                  \
    X(10, PTOP, "peer")

/* Memory kinds of the device are the values of CUpti_ActivityMemoryKind, with the same numbers as in cupti_activity.h.
 */
#define XS_DEVICE_MEMORY_KINDS(X)                                                                                      \
    X(0, UNKNOWN, "unknown")                                                                                           \
    X(1, PAGEABLE, "pageable")                                                                                         \
    X(2, PINNED, "pinned")                                                                                             \
    X(3, DEVICE, "device")                                                                                             \
    X(4, ARRAY, "array")                                                                                               \
    X(5, MANAGED, "managed")                                                                                           \
    X(6, DEVICE_STATIC, "device static")                                                                               \
    X(7, MANAGED_STATIC, "managed static")

/* Migration kinds are those values of CUpti_ActivityUnifiedMemoryCounterKind that are recorded. */
#define XS_MIGRATION_KINDS(X)                                                                                          \
    X(0, UNKNOWN, "unknown")                                                                                           \
    X(1, HTOD, "h2d")                                                                                                  \
    X(2, DTOH, "d2h")                                                                                                  \
    X(3, CPU_FAULT, "cpu page fault")                                                                                  \
    X(4, GPU_FAULT, "gpu page fault")                                                                                  \
    X(5, THRASHING, "thrashing")                                                                                       \
    X(6, THROTTLING, "throttling")                                                                                     \
    X(7, REMOTE_MAP, "remote map")                                                                                     \
    X(8, DTOD, "d2d")

/* A skip tells why a transfer's content has no fingerprint. The values NONE and FOLLOWS are exceptions: they mean that
 * there is a fingerprint. NONE: the transfer was chosen by chance, or all transfers get fingerprints. FOLLOWS: the
 * transfer was chosen because an earlier transfer of the same addresses was chosen by chance. */
#define XS_FINGERPRINT_SKIPS(X)                                                                                        \
    X(0, NONE, "taken")                                                                                                \
    X(1, OFF, "fingerprints are off")                                                                                  \
    X(2, EMPTY, "nothing was moved")                                                                                   \
    X(3, FAILED, "the call failed")                                                                                    \
    X(4, CAPTURED, "captured into a graph")                                                                            \
    X(5, CAPTURE_ELSEWHERE, "another thread's stream capture forbids it")                                              \
    X(6, DIRECTION, "neither upload nor download")                                                                     \
    X(7, ARRAY, "a CUDA array")                                                                                        \
    X(8, MANAGED, "managed memory")                                                                                    \
    X(9, BUDGET, "over the fingerprint budget")                                                                        \
    X(10, NO_MEMORY, "no device memory")                                                                               \
    X(11, NO_KERNEL, "the device kernel could not be used")                                                            \
    X(12, NO_SLOT, "too many results under way")                                                                       \
    X(13, UNKNOWN_MEMORY, "device memory whose allocation was not seen")                                               \
    X(14, TOO_LARGE, "too large")                                                                                      \
    X(15, BATCH, "part of a batch call")                                                                               \
    X(16, CONTEXT, "another context than the current one")                                                             \
    X(17, LATE, "the device was too busy to say in time")                                                              \
    X(18, PROFILED, "the application profiles the device itself")                                                      \
    X(19, BUSY, "a cooperative kernel may hold the device")                                                            \
    X(20, IMPORTED, "imported from another profiler")                                                                  \
    X(21, LEFT_OUT, "left out of the sample")                                                                          \
    X(22, FOLLOWS, "follows one of the sample")

/* The library does not watch downloads of fewer bytes; preload/hostreads/host_reads.h says why. */
#define XS_HOST_READS_LEAST_BYTES 262144u

/* A doubt tells why a download could not be watched, or why nobody can say whether the host read it although it was
 * watched (preload/hostreads/watcher.h). */
#define XS_HOST_READ_DOUBTS(X)                                                                                         \
    X(0, NO_DOUBT, "none")                                                                                             \
    X(1, SMALL, "less than 256 KiB")                                                                                   \
    X(2, FOREIGN, "not in ordinary memory of the program")                                                             \
    X(3, SHARED, "another process may have read it")                                                                   \
    X(4, SWAPPED, "not all of it was in memory")                                                                       \
    X(5, OTHERS, "io_uring or RDMA may have read it")                                                                  \
    X(6, CROWDED, "too many mappings of memory")                                                                       \
    X(7, CHANGED, "the program changed the mapping of the memory")                                                     \
    X(8, NO_KERNEL, "the kernel does not say what is needed")                                                          \
    X(9, LATE, "nobody looked before it was written again")

#define XS_KIND_ENUM(n, id, name) XS_KIND_PREFIX(id) = n,
/* clang-format off */
#define XS_KIND_PREFIX(id) XS_DIR_##id
enum xs_direction { XS_DIRECTIONS(XS_KIND_ENUM) };
#undef XS_KIND_PREFIX
#define XS_KIND_PREFIX(id) XS_MEM_##id
enum xs_memory_kind { XS_MEMORY_KINDS(XS_KIND_ENUM) };
#undef XS_KIND_PREFIX
#define XS_KIND_PREFIX(id) XS_ORIGIN_##id
enum xs_origin { XS_ORIGINS(XS_KIND_ENUM) };
#undef XS_KIND_PREFIX
#define XS_KIND_PREFIX(id) XS_LAUNCH_##id
enum xs_launch_kind { XS_LAUNCH_KINDS(XS_KIND_ENUM) };
#undef XS_KIND_PREFIX
#define XS_KIND_PREFIX(id) XS_SYNC_##id
enum xs_sync_scope { XS_SYNC_SCOPES(XS_KIND_ENUM) };
#undef XS_KIND_PREFIX
#define XS_KIND_PREFIX(id) XS_CAT_##id
enum xs_category { XS_CATEGORIES(XS_KIND_ENUM) };
#undef XS_KIND_PREFIX
#define XS_KIND_PREFIX(id) XS_SKIP_##id
enum xs_fingerprint_skip { XS_FINGERPRINT_SKIPS(XS_KIND_ENUM) };
#undef XS_KIND_PREFIX
#define XS_KIND_PREFIX(id) XS_HOST_READS_##id
enum xs_host_reads_doubt { XS_HOST_READ_DOUBTS(XS_KIND_ENUM) };
#undef XS_KIND_PREFIX
/* clang-format on */
#undef XS_KIND_ENUM

#endif
