/* The private interface between the simulated driver and the simulated CUPTI: what the driver reports (API calls,
 * finished work, resources), and which queries a tool may make. A "tool" is the simulated CUPTI, or a test program that
 * takes its place. */
#ifndef XS_SIM_TOOLS_H
#define XS_SIM_TOOLS_H

#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>

/* One driver API call, reported on entry and, with `leaving` set and `result` valid, on exit. */
struct xs_sim_api {
    bool leaving;
    uint32_t cbid;
    uint32_t correlation;
    const char *function;
    const char *kernel; /* symbol name of the launched kernel; NULL: no launch */
    const void *params;
    CUresult *result;
    CUcontext context;
    uint32_t context_id;
    uint64_t *correlation_data; /* data of the tool, kept from entry to exit */
    uint64_t start_ns, end_ns;
};

enum xs_sim_activity_kind {
    XS_SIM_MEMCPY,
    XS_SIM_MEMCPY_PEER,
    XS_SIM_MEMSET,
    XS_SIM_KERNEL,
    XS_SIM_SYNC,
    XS_SIM_MIGRATION,
    XS_SIM_FAULT, /* of a device */
    XS_SIM_MEMORY
};

/* A piece of finished work. Times are CLOCK_MONOTONIC ns; kinds are CUPTI's numbers. */
struct xs_sim_activity {
    enum xs_sim_activity_kind kind;
    uint64_t start_ns, end_ns, queued_ns;
    uint32_t correlation;
    uint32_t attachment; /* in which it was queued, or in which the context of a migration was made; 0: none */
    uint32_t device, context_id, stream_id;
    uint32_t graph_id;
    uint64_t graph_node_id;
    uint64_t bytes, address, copy_count;
    uint32_t copy_kind, src_kind, dst_kind, flags; /* flags: 1 = asynchronous */
    uint32_t src_device, dst_device, src_context, dst_context;
    uint32_t value; /* memset value; sync type; memory operation (1 allocation, 2 release) */
    uint32_t memory_kind;
    uint32_t event_id;
    const char *name; /* name of the kernel; valid as long as the process lives */
    uint32_t grid[3], block[3], shared_bytes;
    uint64_t grid_id;
    bool is_pool;
    uint64_t pool_address;
};

enum xs_sim_resource_kind {
    XS_SIM_CONTEXT_CREATED,
    XS_SIM_CONTEXT_DESTROY_STARTING,
    XS_SIM_STREAM_CREATED,
    XS_SIM_STREAM_DESTROY_STARTING,
    XS_SIM_MODULE_LOADED,
    XS_SIM_DRIVER_INITIALISED
};

/* The functions that a tool gives the driver. The table must live as long as the process; a NULL member is not
 * called. */
struct xs_sim_tools {
    void (*api)(const struct xs_sim_api *call);
    void (*activity)(const struct xs_sim_activity *activity);
    void (*resource)(enum xs_sim_resource_kind kind, CUcontext context, CUstream stream);
    /* Called when a graph node was made; `original` is set if the node is a clone. Must not call the driver, except by
     * the table below. */
    void (*node)(CUgraph graph, CUgraphNode node, CUgraphNodeType type, CUgraphNode original);
    /* Returns the number of the tool's present attachment; 0: the tool is detached. */
    uint32_t (*attachment)(void);
    /* Called when an operation was queued. Returns the number of the attachment that records it; 0: none. If the result
     * is not 0, the driver calls `ended` with this number when the operation has ended and was reported. */
    uint32_t (*queued)(enum xs_sim_activity_kind kind);
    void (*ended)(uint32_t attachment);
    /* Returns by how much the recording of a device's fault makes its kernel later now. */
    uint64_t (*fault_ns)(void);
};

/* The functions of the driver that a tool may call. They return 0 if the handle is unknown. */
struct xs_sim_driver {
    uint32_t (*context_id)(CUcontext context);
    int (*context_device)(CUcontext context);
    uint32_t (*stream_id)(CUcontext context, CUstream stream, bool per_thread);
    uint64_t (*graph_node_id)(CUgraphNode node);
    uint32_t (*graph_id)(CUgraph graph);
    uint32_t (*graph_exec_id)(CUgraphExec exec);
    uint64_t (*now_ns)(void);
    bool (*usable)(void); /* false in a forked child and after the driver's exit handler */
    /* Called before and after a change during which no other thread may be inside the driver; `what` names the change.
     * Between the two calls, the process is aborted with a message if another thread is inside an exported function or
     * enters one. change_begin also aborts if a stream is capturing or the calling thread makes or uploads a graph. */
    void (*change_begin)(const char *what);
    void (*change_end)(void);
    int (*inside)(void);    /* returns the number of other threads inside an exported function */
    void (*attached)(void); /* called when the tool was attached; from then on the process cannot be checkpointed */
};

/* Makes `tools` the only tool (NULL: no tool), and returns the driver's functions. Exported by the simulated libcuda as
 * xs_sim_attach. */
typedef const struct xs_sim_driver *(*xs_sim_attach_fn)(const struct xs_sim_tools *tools);

/* For tests: returns the number of threads, except the calling one, that are inside an exported function of the driver.
 * Exported by the simulated libcuda. */
__attribute__((visibility("default"))) int xs_sim_inside(void);

/* For tests: returns the number of the tool's present attachment; 0: the tool is detached. Exported by the simulated
 * libcuda. */
__attribute__((visibility("default"))) uint32_t xs_sim_attachment(void);

#endif
