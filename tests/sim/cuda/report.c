/* What the driver tells an attached tool about finished work and resources, and what the tool may ask. */
#include "inside.h"
#include "sim.h"

void xs_report(const struct xs_sim_activity *activity) {
    const struct xs_sim_tools *tools = xs_tools();
    if (tools != NULL && tools->activity != NULL && !xs_forked())
        tools->activity(activity);
}

uint32_t xs_attachment(void) {
    const struct xs_sim_tools *tools = xs_tools();
    return tools != NULL && tools->attachment != NULL ? tools->attachment() : 0;
}

uint64_t xs_report_fault_ns(void) {
    const struct xs_sim_tools *tools = xs_tools();
    return tools != NULL && tools->fault_ns != NULL && !xs_forked() ? tools->fault_ns() : 0;
}

XS_EXPORT uint32_t xs_sim_attachment(void) { return xs_attachment(); }

uint32_t xs_report_queued(enum xs_sim_activity_kind kind) {
    const struct xs_sim_tools *tools = xs_tools();
    return tools != NULL && tools->queued != NULL && !xs_forked() ? tools->queued(kind) : 0;
}

void xs_report_ended(uint32_t attachment) {
    const struct xs_sim_tools *tools = xs_tools();
    if (attachment != 0 && tools != NULL && tools->ended != NULL && !xs_forked())
        tools->ended(attachment);
}

void xs_report_resource(enum xs_sim_resource_kind kind, CUcontext context, CUstream stream) {
    const struct xs_sim_tools *tools = xs_tools();
    if (tools != NULL && tools->resource != NULL && !xs_forked())
        tools->resource(kind, context, stream);
}

unsigned xs_cupti_memory_kind(enum xs_memory_kind kind) {
    static const unsigned numbers[] = {[XS_PAGEABLE] = 1, [XS_PINNED] = 2,  [XS_REGISTERED] = 2, [XS_DEVICE] = 3,
                                       [XS_ARRAY] = 4,    [XS_MANAGED] = 5, [XS_STATIC] = 6};
    return numbers[kind];
}

/* operation: 1 allocation, 2 release, as in CUpti_ActivityMemoryOperationType. */
void xs_report_memory(const struct xs_allocation *allocation, unsigned operation, uint32_t stream_id, bool is_async) {
    if (xs_tools() == NULL)
        return;
    uint64_t now = xs_now_ns();
    struct xs_sim_activity activity = {.kind = XS_SIM_MEMORY,
                                       .attachment = xs_attachment(),
                                       .start_ns = now,
                                       .end_ns = now,
                                       .address = allocation->base,
                                       .bytes = allocation->size,
                                       .value = operation,
                                       .memory_kind = xs_cupti_memory_kind(allocation->kind),
                                       .device = allocation->device < 0 ? 0 : (uint32_t)allocation->device,
                                       .flags = is_async,
                                       .stream_id = stream_id,
                                       .context_id = allocation->context != NULL ? allocation->context->id : 0,
                                       .correlation = allocation->kind == XS_STATIC ? 0 : xs_thread()->correlation,
                                       .is_pool = allocation->pool != NULL,
                                       .pool_address = (uintptr_t)allocation->pool};
    xs_report(&activity);
}

/* Used by the simulated runtime: returns the current context if it can be used, without a call that a tool would see.
 */
XS_EXPORT CUcontext xs_sim_current_context(void);
XS_EXPORT CUcontext xs_sim_current_context(void) {
    struct CUctx_st *current = xs_forked() || xs_exiting() ? NULL : xs_current();
    return current != NULL && atomic_load(&current->alive) ? current : NULL;
}

static uint32_t context_id(CUcontext context) { return xs_context_valid(context) ? context->id : 0; }

static int context_device(CUcontext context) { return xs_context_valid(context) ? context->device : 0; }

static uint32_t stream_id(CUcontext context, CUstream stream, bool per_thread) {
    struct CUctx_st *owner = context != NULL ? context : xs_current();
    if (stream == CU_STREAM_LEGACY)
        per_thread = false;
    if (stream == CU_STREAM_PER_THREAD)
        per_thread = true;
    if (stream != NULL && stream != CU_STREAM_LEGACY && stream != CU_STREAM_PER_THREAD)
        return stream->id;
    return xs_context_valid(owner) ? xs_stream_default(owner, per_thread)->id : 0;
}

static uint64_t graph_node_id(CUgraphNode node) { return node != NULL ? node->id : 0; }

static uint32_t graph_id(CUgraph graph) { return graph != NULL ? graph->id : 0; }

static uint32_t graph_exec_id(CUgraphExec exec) { return exec != NULL ? exec->id : 0; }

static bool usable(void) { return !xs_forked() && !xs_exiting(); }

const struct xs_sim_driver xs_driver_side = {context_id,      context_device, stream_id,     graph_node_id,
                                             graph_id,        graph_exec_id,  xs_now_ns,     usable,
                                             xs_change_begin, xs_change_end,  xs_sim_inside, xs_checkpoint_refuse};
