/* The simulated driver's shared declarations: devices, contexts, memory, streams, operations, graphs and modules.
 * CUDA's opaque handle types are these structures, so that no handle needs a cast. */
#ifndef XS_SIM_H
#define XS_SIM_H

#include <cuda.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "inside.h"
#include "kernels.h"
#include "newer.h"
#include "virtual.h"
#include "xs_sim_tools.h"

#define XS_EXPORT __attribute__((visibility("default")))
#define XS_MAX_DEVICES 8
/* A pageable upload of up to this size is copied to staging memory at once. Measured with driver 580: this is true for
 * uploads of 2 MiB, but not for uploads of 4 MiB. */
#define XS_STAGING_BYTES ((size_t)2 << 20)
#define XS_COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* ---- the implementations of the exported entry points: xs_cuMemAlloc_v2 for cuMemAlloc_v2, and so on ---- */

#define XS_DECLARE(base, symbol, since, params, args) CUresult xs_##symbol params;
#define EARLY XS_DECLARE
#define BARE XS_DECLARE
#define PLAIN XS_DECLARE
#define PTDS XS_DECLARE
#define PTSZ XS_DECLARE
#define NEWER XS_DECLARE
#include "entries.h"
#undef EARLY
#undef BARE
#undef PLAIN
#undef PTDS
#undef PTSZ
#undef NEWER
#undef XS_DECLARE

/* ---- the memory of handles (handle.c): it is zeroed, and leak checkers treat it as memory of the driver ---- */

void *xs_handle_new(size_t bytes);
void xs_handle_free(void *object);

/* ---- configuration (config.c) ---- */

struct xs_config {
    int devices;
    size_t memory_bytes;
    double pinned_gbps, pageable_gbps, device_gbps, peer_gbps;
    uint64_t pinned_latency_ns, pageable_latency_ns, device_latency_ns, kernel_latency_ns;
    uint64_t context_ns;
    double time_scale;
    bool confidential; /* host memory of the program cannot be page-locked */
    bool param_info;
};

/* Returns the configuration, which is read from the environment once, at cuInit. */
const struct xs_config *xs_config(void);
void xs_config_load(void);

/* ---- memory (memory_map.c) ---- */

enum xs_memory_kind { XS_PAGEABLE, XS_PINNED, XS_REGISTERED, XS_DEVICE, XS_ARRAY, XS_MANAGED, XS_STATIC };

/* A range that the driver knows. For managed memory, `blocks` has one byte for each block, which says where the block
 * is: 0: on the host; otherwise the device plus 1. */
struct xs_allocation {
    uintptr_t base;
    size_t size;
    enum xs_memory_kind kind;
    int device;
    struct CUctx_st *context;
    unsigned flags;
    uint64_t id;
    struct CUmemPoolHandle_st *pool;
    struct xs_mapping *mapping; /* set for ranges that cuMemMap made */
    atomic_uchar *blocks;
    int preferred; /* preferred location, set by cuMemAdvise; -2: none */
    bool read_mostly, sync_memops, imported;
    bool freeing; /* cuMemFreeAsync was called, but the stream has not reached it yet */
};

struct xs_range {
    enum xs_memory_kind kind;
    int device;
    struct xs_allocation allocation; /* a copy, because the map's entry may be removed at any time */
    bool known;
};

/* Writes to *out what is known about the range [address, address + bytes). False: the range starts inside a known
 * allocation and ends after it. */
bool xs_map_find(uintptr_t address, size_t bytes, struct xs_range *out);
int xs_map_add(const struct xs_allocation *allocation);
/* Removes the allocation that starts at `base`, if its kind is in `kinds`, a mask of 1 << kind. False: there is no such
 * allocation. */
bool xs_map_remove(uintptr_t base, unsigned kinds, struct xs_allocation *removed);
/* Calls `fn` for the map's entry, under the map's lock. False: the address is unknown. */
bool xs_map_update(uintptr_t address, void (*fn)(struct xs_allocation *allocation, void *data), void *data);
void xs_map_each(void (*fn)(struct xs_allocation *allocation, void *data), void *data);
/* True if the address is inside a device's memory, allocated or not. */
bool xs_is_device_address(uintptr_t address);
uint64_t xs_next_id(void);

/* The address spaces of the devices (device_memory.c). */
CUresult xs_device_take(int device, size_t bytes, size_t alignment, uintptr_t *address);
void xs_device_give(int device, uintptr_t address, size_t bytes);
bool xs_device_charge(int device, size_t bytes);
void xs_device_uncharge(int device, size_t bytes);
void xs_device_usage(int device, size_t *free_bytes, size_t *total_bytes);
/* Allocates device memory and adds it to the map. */
CUresult xs_allocate_device(struct CUctx_st *context, size_t bytes, enum xs_memory_kind kind, CUdeviceptr *out);
void xs_release_allocation(const struct xs_allocation *allocation);

/* ---- operations (op.c) and the link model (link_model.c) ---- */

struct xs_span {
    char *base;
    size_t pitch, slice;
    enum xs_memory_kind kind;
    int device;
};

struct xs_copy {
    struct xs_span src, dst;
    size_t width, height, depth;
    uint64_t parts; /* CUPTI's copyCount */
    bool is_async;
};

struct xs_set {
    struct xs_span dst;
    size_t width, height; /* width in elements */
    unsigned element;
    uint32_t value;
    bool is_async;
};

struct xs_launch_op {
    struct CUfunc_st *function;
    unsigned grid[3], block[3], shared_bytes;
    unsigned char *arguments; /* owned; the layout is that of cuFuncGetParamInfo */
    size_t argument_bytes;
    int launch_type;
};

struct xs_mem_op {
    CUdeviceptr address;
    uint64_t value;
    unsigned flags;
    bool wait, wide;
};

struct xs_migrate {
    CUdeviceptr address;
    size_t bytes;
    int target; /* device, or -1 for the host */
};

enum xs_op_kind {
    XS_OP_EMPTY,
    XS_OP_COPY,
    XS_OP_SET,
    XS_OP_KERNEL,
    XS_OP_HOST,
    XS_OP_CALLBACK,
    XS_OP_RECORD,
    XS_OP_WAIT,
    XS_OP_MEM,
    XS_OP_MIGRATE,
    XS_OP_ALLOC,
    XS_OP_FREE
};

struct xs_dependency {
    struct CUstream_st *stream;
    uint64_t sequence;
};

struct xs_op {
    enum xs_op_kind kind;
    union {
        struct xs_copy copy;
        struct xs_set set;
        struct xs_launch_op launch;
        struct {
            CUhostFn fn;
            void *data;
        } host;
        struct {
            CUstreamCallback fn;
            void *data;
            CUstream handle;
        } callback;
        struct {
            struct CUevent_st *event;
            uint64_t record;
        } record;
        struct xs_mem_op mem;
        struct xs_migrate migrate;
        struct {
            CUdeviceptr address;
            uint64_t id;
        } memory;
    };
    void *staging; /* owned copy of a pageable source */
    struct xs_dependency *dependencies;
    size_t dependency_count;
    uint64_t sequence;
    uint64_t queued_ns, start_ns, end_ns;
    uint64_t staged_ns; /* end of the first leg of a copy that goes through the host from device to device; else 0 */
    uint64_t ready_ns, order;         /* for virtual time: earliest start; number among all operations */
    uint32_t correlation, attachment; /* attachment: number of the tool's attachment that records it; 0: none */
    uint32_t graph_id;
    uint64_t graph_node_id;
    bool disabled;
    struct xs_op *next;
};

struct xs_op *xs_op_new(enum xs_op_kind kind);
/* Returns a copy of a template; parts that the template owns are copied, too. */
struct xs_op *xs_op_clone(const struct xs_op *op);
void xs_op_free(struct xs_op *op);
/* Tells the tool that `op` was queued. After the operation was executed, xs_report_ended(op->attachment) must be
 * called. */
void xs_op_queued(struct xs_op *op);
/* Does the operation's work, waits until its modelled end and reports it to the tool. */
void xs_op_execute(struct CUstream_st *stream, struct xs_op *op);

uint64_t xs_now_ns(void);
/* Computes the modelled start and end of a copy, and reserves the copy engine that it needs until the end. */
void xs_link_reserve(const struct xs_copy *copy, uint64_t now_ns, uint64_t *start_ns, uint64_t *end_ns);
void xs_link_reserve_bytes(int device, bool to_device, size_t bytes, uint64_t now_ns, uint64_t *start_ns,
                           uint64_t *end_ns);
uint64_t xs_link_set_ns(size_t bytes);
void xs_wait_until_ns(uint64_t deadline_ns);

/* ---- streams (queue.c, stream.c) ---- */

struct xs_capture;

struct CUstream_st {
    struct CUctx_st *context;
    uint32_t id;
    unsigned flags;
    int priority;
    bool is_legacy, non_blocking, per_thread, closing, linked, has_worker, running;
    pthread_t thread; /* the thread of a per-thread stream */
    unsigned refs;
    uint64_t submitted, completed;
    struct xs_op *head, **tail;
    pthread_cond_t work, done;
    struct xs_capture *capture;
    CUgraphNode *capture_tail; /* nodes on which the next captured node depends */
    size_t capture_tail_count;
    struct xs_virtual_stream virtual_time;
    struct CUstream_st *next;
};

/* These take and release the one lock for queues, events, captures and graphs. It is never held while work runs or
 * while a callback of the program is called. */
void xs_queue_lock(void);
void xs_queue_unlock(void);
/* Finds the stream of a handle. NULL, CU_STREAM_LEGACY and CU_STREAM_PER_THREAD mean the default streams of this call
 * and thread. */
CUresult xs_stream_of(CUstream handle, struct CUstream_st **out);
struct CUstream_st *xs_stream_default(struct CUctx_st *context, bool per_thread);
/* Queues `op`, or adds it to the capture to which the stream belongs. Takes ownership of `op`. `wait`: returns after
 * the operation was executed. */
CUresult xs_submit(struct CUstream_st *stream, struct xs_op *op, bool wait);
/* Queues `op` in a stream that is not capturing. The caller holds the lock, so all nodes of a graph can be queued at
 * once. */
void xs_enqueue_locked(struct CUstream_st *stream, struct xs_op *op);
void xs_depend_locked(struct xs_op *op, struct CUstream_st *stream, uint64_t sequence);
void xs_wait_locked(struct CUstream_st *stream, uint64_t sequence);
/* True if the operation with this number has ended. */
bool xs_done_locked(const struct CUstream_st *stream, uint64_t sequence);
/* Runs the first operation in the stream's queue, which must be ready. The lock is released while it runs. */
void xs_run_head_locked(struct CUstream_st *stream);
/* These wait for all operations that are queued in a context, or in all contexts of a device. */
void xs_context_drain(struct CUctx_st *context);
void xs_device_drain(int device);
struct CUstream_st *xs_stream_open(struct CUctx_st *context, unsigned flags, int priority);
void xs_stream_ref_locked(struct CUstream_st *stream);
void xs_stream_unref_locked(struct CUstream_st *stream);
void xs_stream_close(struct CUstream_st *stream);
void xs_report_sync(struct CUstream_st *stream, unsigned type, uint32_t event_id, uint64_t start_ns);
void xs_quiesce(uint64_t patience_ns);

/* ---- events (event.c) ---- */

struct CUevent_st {
    struct CUctx_st *context;
    uint32_t id;
    unsigned flags, refs;
    struct CUstream_st *stream; /* stream of the last record; the event holds a reference */
    uint64_t sequence, record, done_record, done_ns;
    bool destroyed;
    struct xs_capture *capture;
    CUgraphNode *capture_nodes;
    size_t capture_node_count;
};

void xs_event_ref_locked(struct CUevent_st *event);
void xs_event_unref_locked(struct CUevent_st *event);
CUresult xs_event_record_locked(struct CUevent_st *event, struct CUstream_st *stream, struct xs_op *op);

/* ---- contexts and threads (context.c, call.c) ---- */

struct CUctx_st {
    int device;
    uint32_t id;
    unsigned flags, api_version;
    bool primary;
    atomic_bool alive;
    atomic_int error; /* set when a kernel fails, and never reset */
    struct CUstream_st *streams, *legacy;
    _Atomic unsigned peers; /* one bit for each device */
    size_t limits[16];
    unsigned generation;
    uint32_t attachment; /* number of the tool's attachment when the context was made; 0: none */
    struct CUctx_st *next;
};

struct xs_thread {
    struct CUctx_st *stack[32];
    int depth;
    bool per_thread_default; /* kind of default stream of the call in progress */
    uint32_t correlation;
    const char *kernel;
    CUstreamCaptureMode capture_mode;
    uint64_t capture_owner; /* identifies the thread for the rules of captures */
};

struct xs_thread *xs_thread(void);
/* Returns the current context; NULL: none. xs_need_context also checks that the context can be used. */
struct CUctx_st *xs_current(void);
CUresult xs_need_context(struct CUctx_st **out);
bool xs_initialised(void);
bool xs_forked(void);
bool xs_exiting(void);
/* Waits while the process is locked for a checkpoint, unless `name` is a checkpoint function. */
void xs_checkpoint_wait(const char *name);

/* After this call, each checkpoint call for this process fails. */
void xs_checkpoint_refuse(void);
CUresult xs_primary_retain(int device, struct CUctx_st **out);
struct CUctx_st *xs_primary_of(int device);
bool xs_context_valid(struct CUctx_st *context);
void xs_contexts_each(void (*fn)(struct CUctx_st *context, void *data), void *data);

#define XS_DEVICE_OK(dev) ((dev) >= 0 && (dev) < xs_config()->devices)

/* ---- entry and exit of a call (call.c, entry_points.c) ---- */

struct xs_sim_call {
    struct xs_sim_api api;
    uint64_t correlation_data;
    uint32_t outer_correlation;
    bool outer_per_thread, reported;
    const char *outer_kernel;
    struct xs_inside outer;
    CUresult result;
};

CUresult xs_call_enter(struct xs_sim_call *call, const char *name, uint32_t cbid, const void *params, bool per_thread,
                       bool early);
CUresult xs_call_exit(struct xs_sim_call *call, CUresult result);
/* Returns the attached tool; NULL: none. */
const struct xs_sim_tools *xs_tools(void);
void xs_report(const struct xs_sim_activity *activity);
/* These call the tool's functions `attachment`, `fault_ns`, `queued` and `ended` (xs_sim_tools.h). They return 0 if
 * there is no tool. */
uint32_t xs_attachment(void);
uint64_t xs_report_fault_ns(void);
uint32_t xs_report_queued(enum xs_sim_activity_kind kind);
void xs_report_ended(uint32_t attachment);
void xs_report_resource(enum xs_sim_resource_kind kind, CUcontext context, CUstream stream);
void xs_report_memory(const struct xs_allocation *allocation, unsigned operation, uint32_t stream_id, bool is_async);
unsigned xs_cupti_memory_kind(enum xs_memory_kind kind);
extern const struct xs_sim_driver xs_driver_side;

/* One exported symbol, for cuGetProcAddress. */
struct xs_entry {
    const char *base;
    int since;
    void *plain, *suffixed;
};
extern const struct xs_entry xs_entries[];
extern const size_t xs_entry_count;

/* ---- memory pools, managed memory, arrays ---- */

/* Takes back an allocation that was removed from the map. */
CUresult xs_pool_take_back(const struct xs_allocation *allocation);
/* Called when the stream reaches the cuMemFreeAsync of the allocation with this id. */
void xs_pool_settle(CUdeviceptr address, uint64_t id);
#define XS_BLOCK_BYTES ((size_t)64 * 1024)
/* Moves the blocks of [address, address + bytes) that are not at `target` (-1: the host) to it, and reports each
 * sequence of adjacent blocks that it moved. */
void xs_managed_migrate(struct CUstream_st *stream, CUdeviceptr address, size_t bytes, int target,
                        uint32_t correlation);
/* Moves an allocation to the stream's device as a kernel does, with a fault for each sequence of blocks. */
void xs_managed_fault(struct CUstream_st *stream, const struct xs_allocation *allocation, uint32_t correlation);

struct CUarray_st {
    CUDA_ARRAY3D_DESCRIPTOR descriptor;
    struct CUctx_st *context;
    CUdeviceptr data;
    size_t element_bytes, pitch, rows, slices, bytes;
    bool borrowed; /* the array is a level of a mipmapped array */
};
struct CUmipmappedArray_st {
    unsigned levels;
    struct CUarray_st *level[16];
};
CUresult xs_array_span(CUarray array, size_t x_bytes, size_t y, size_t z, struct xs_span *out);

/* ---- copies ---- */

CUresult xs_span_of(uintptr_t address, size_t bytes, struct xs_span *out);
CUresult xs_submit_copy(CUstream stream, const struct xs_copy *copy, bool is_async);
CUresult xs_copy_from_3d(const CUDA_MEMCPY3D *params, struct xs_copy *out);
CUresult xs_copy_of_op(const CUDA_MEMCPY3D_BATCH_OP *op, struct xs_copy *out);
void xs_copy_to_3d(const struct xs_copy *copy, CUDA_MEMCPY3D *out);
CUresult xs_set_from(CUdeviceptr dst, size_t pitch, unsigned element, uint32_t value, size_t width, size_t height,
                     struct xs_set *out);

/* ---- modules and kernels ---- */

struct xs_parameter {
    size_t offset, size;
};

struct CUfunc_st {
    char *name;
    const struct xs_kernel *kernel; /* NULL: declared in PTX, but the simulator has no code for it */
    struct CUmod_st *module;
    struct CUlib_st *library;
    struct xs_parameter *parameters;
    size_t parameter_count, argument_bytes;
    struct CUfunc_st *next;
};
struct CUkern_st {
    struct CUfunc_st function;
};

/* Makes everything visible to the calling thread that other threads have loaded from images, because programs pass
 * handles from thread to thread without a lock. */
void xs_images_catch_up(void);

/* One object is both a function and a kernel, with two different handles. As in the real driver, a launch accepts both
 * handles, but cuFuncGetParamInfo accepts only the function's. */
static inline CUkernel xs_kernel_handle(struct CUfunc_st *function) { return (CUkernel)((uintptr_t)function | 1); }
static inline bool xs_is_kernel_handle(const void *handle) { return ((uintptr_t)handle & 1) != 0; }
static inline struct CUfunc_st *xs_function_of(const void *handle) {
    xs_images_catch_up();
    return (struct CUfunc_st *)((uintptr_t)handle & ~(uintptr_t)1);
}

CUresult xs_launch_prepare(CUfunction function, const unsigned grid[3], const unsigned block[3], unsigned shared_bytes,
                           void **params, void **extra, struct xs_launch_op *out);

/* ---- capture and graphs ---- */

struct xs_capture {
    struct CUgraph_st *graph;
    struct CUstream_st *origin;
    uint64_t id;
    CUstreamCaptureMode mode;
    uint64_t owner;
    bool invalidated, borrowed_graph, ended;
    unsigned refs;
    struct CUstream_st **members; /* all streams that belong to the capture, each with a reference */
    size_t member_count;
    struct xs_capture *next;
};

struct CUgraphNode_st {
    struct CUgraph_st *graph;
    uint64_t id;
    CUgraphNodeType type;
    struct xs_op *op;
    void **kernel_pointers; /* the array for kernelParams in the result of a getter, made when needed */
    CUDA_MEMCPY3D copy_params;
    bool has_copy_params; /* copy_params has the parameters that the program gave; captured copies have none */
    struct CUgraphNode_st **dependencies;
    size_t dependency_count;
    struct CUgraphNode_st *original; /* in a clone: the node that was cloned */
    struct CUgraph_st *child;
    unsigned mark; /* temporary value of the thread that holds the queue lock */
    struct CUgraphNode_st *next;
};

struct CUgraph_st {
    uint32_t id;
    struct CUctx_st *context;
    struct CUgraphNode_st *nodes, **tail;
    size_t node_count;
    unsigned refs;
};

struct CUgraphExec_st {
    uint32_t id;
    struct CUgraph_st *graph; /* a clone that only this executable graph uses */
    unsigned long long flags;
};

/* Checks whether this thread may make a call that is unsafe while a stream captures. If not, invalidates the captures
 * that forbid the call. */
CUresult xs_capture_unsafe(void);
bool xs_capturing(void); /* true if any stream captures; takes no lock */
CUresult xs_capture_check_sync(struct CUstream_st *stream);
CUresult xs_capture_check_context(struct CUctx_st *context);
/* Adds `op` as a node to the stream's capture. Takes ownership of `op`. The caller holds the queue lock. */
CUresult xs_capture_add_locked(struct CUstream_st *stream, struct xs_op *op);
CUresult xs_capture_implicit_locked(struct CUstream_st *stream);
void xs_capture_abandon(struct CUstream_st *stream); /* the stream is destroyed, so nobody can end its capture */
void xs_capture_unref_locked(struct xs_capture *capture);
CUresult xs_capture_wait_event_locked(struct CUstream_st *stream, struct CUevent_st *event);
void xs_capture_record_event_locked(struct CUstream_st *stream, struct CUevent_st *event);

/* Adds a node; `op` is NULL for empty nodes and child nodes. The queue lock protects all data of a graph. */
struct CUgraphNode_st *xs_graph_append_locked(struct CUgraph_st *graph, CUgraphNodeType type, struct xs_op *op,
                                              CUgraphNode const *dependencies, size_t count);
struct CUgraph_st *xs_graph_new(void);
void xs_graph_free_locked(struct CUgraph_st *graph);
/* Returns a copy of a graph, in which every node points to its original. */
struct CUgraph_st *xs_graph_clone_locked(const struct CUgraph_st *graph);
CUresult xs_graph_node_kernel(struct xs_op *op, const CUDA_KERNEL_NODE_PARAMS *params);
CUresult xs_graph_node_memset(struct xs_op *op, const CUDA_MEMSET_NODE_PARAMS *params);
uint32_t xs_graph_next_id(void);

#endif
