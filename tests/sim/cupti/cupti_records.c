/* The records themselves: the current version of each structure, written from what the driver reports. */
#include "cupti_sim.h"

#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Records follow one another, each at a multiple of 8. */
#define BYTES(type) ((sizeof(type) + 7) & ~(size_t)7)

size_t xs_cupti_record_bytes(CUpti_ActivityKind kind) {
    switch (kind) {
    case CUPTI_ACTIVITY_KIND_MEMCPY:
        return BYTES(CUpti_ActivityMemcpy6);
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
        return BYTES(CUpti_ActivityMemcpyPtoP4);
    case CUPTI_ACTIVITY_KIND_MEMSET:
        return BYTES(CUpti_ActivityMemset4);
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
        return BYTES(CUpti_ActivityKernel10);
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
        return BYTES(CUpti_ActivitySynchronization2);
    case CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER:
        return BYTES(CUpti_ActivityUnifiedMemoryCounter3);
    case CUPTI_ACTIVITY_KIND_MEMORY2:
        return BYTES(CUpti_ActivityMemory4);
    case CUPTI_ACTIVITY_KIND_DRIVER:
        return BYTES(CUpti_ActivityAPI);
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION:
        return BYTES(CUpti_ActivityExternalCorrelation);
    default:
        return 0;
    }
}

#define APPEND(attachment, record)                                                                                     \
    do {                                                                                                               \
        unsigned char bytes[BYTES(record)] = {0};                                                                      \
        memcpy(bytes, &(record), sizeof(record));                                                                      \
        xs_cupti_append(attachment, bytes, sizeof(bytes));                                                             \
    } while (0)

static void record_copy(const struct xs_sim_activity *a) {
    if (!xs_cupti_enabled(CUPTI_ACTIVITY_KIND_MEMCPY))
        return;
    CUpti_ActivityMemcpy6 record = {.kind = CUPTI_ACTIVITY_KIND_MEMCPY,
                                    .copyKind = (uint8_t)a->copy_kind,
                                    .srcKind = (uint8_t)a->src_kind,
                                    .dstKind = (uint8_t)a->dst_kind,
                                    .flags = (uint8_t)a->flags,
                                    .bytes = a->bytes,
                                    .start = xs_cupti_client_time(a->start_ns),
                                    .end = xs_cupti_client_time(a->end_ns),
                                    .deviceId = a->device,
                                    .contextId = a->context_id,
                                    .streamId = a->stream_id,
                                    .correlationId = a->correlation,
                                    .graphNodeId = a->graph_node_id,
                                    .graphId = a->graph_id,
                                    .channelType = CUPTI_CHANNEL_TYPE_ASYNC_MEMCPY,
                                    .copyCount = a->copy_count};
    APPEND(a->attachment, record);
}

static void record_peer_copy(const struct xs_sim_activity *a) {
    if (!xs_cupti_enabled(CUPTI_ACTIVITY_KIND_MEMCPY2) && !xs_cupti_enabled(CUPTI_ACTIVITY_KIND_MEMCPY))
        return;
    CUpti_ActivityMemcpyPtoP4 record = {.kind = CUPTI_ACTIVITY_KIND_MEMCPY2,
                                        .copyKind = (uint8_t)a->copy_kind,
                                        .srcKind = (uint8_t)a->src_kind,
                                        .dstKind = (uint8_t)a->dst_kind,
                                        .flags = (uint8_t)a->flags,
                                        .bytes = a->bytes,
                                        .start = xs_cupti_client_time(a->start_ns),
                                        .end = xs_cupti_client_time(a->end_ns),
                                        .deviceId = a->device,
                                        .contextId = a->context_id,
                                        .streamId = a->stream_id,
                                        .srcDeviceId = a->src_device,
                                        .dstDeviceId = a->dst_device,
                                        .srcContextId = a->src_context,
                                        .dstContextId = a->dst_context,
                                        .correlationId = a->correlation,
                                        .graphNodeId = a->graph_node_id,
                                        .graphId = a->graph_id,
                                        .channelType = CUPTI_CHANNEL_TYPE_ASYNC_MEMCPY};
    APPEND(a->attachment, record);
}

static void record_set(const struct xs_sim_activity *a) {
    if (!xs_cupti_enabled(CUPTI_ACTIVITY_KIND_MEMSET))
        return;
    CUpti_ActivityMemset4 record = {.kind = CUPTI_ACTIVITY_KIND_MEMSET,
                                    .value = a->value,
                                    .bytes = a->bytes,
                                    .start = xs_cupti_client_time(a->start_ns),
                                    .end = xs_cupti_client_time(a->end_ns),
                                    .deviceId = a->device,
                                    .contextId = a->context_id,
                                    .streamId = a->stream_id,
                                    .correlationId = a->correlation,
                                    .flags = (uint16_t)a->flags,
                                    .memoryKind = (uint16_t)a->memory_kind,
                                    .graphNodeId = a->graph_node_id,
                                    .graphId = a->graph_id,
                                    .channelType = CUPTI_CHANNEL_TYPE_COMPUTE};
    APPEND(a->attachment, record);
}

static void record_kernel(const struct xs_sim_activity *a) {
    bool concurrent = xs_cupti_enabled(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
    if (!concurrent && !xs_cupti_enabled(CUPTI_ACTIVITY_KIND_KERNEL))
        return;
    CUpti_ActivityKernel10 record = {.kind = concurrent ? CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL
                                                        : CUPTI_ACTIVITY_KIND_KERNEL,
                                     .registersPerThread = 32,
                                     .start = xs_cupti_client_time(a->start_ns),
                                     .end = xs_cupti_client_time(a->end_ns),
                                     .deviceId = a->device,
                                     .contextId = a->context_id,
                                     .streamId = a->stream_id,
                                     .gridX = (int32_t)a->grid[0],
                                     .gridY = (int32_t)a->grid[1],
                                     .gridZ = (int32_t)a->grid[2],
                                     .blockX = (int32_t)a->block[0],
                                     .blockY = (int32_t)a->block[1],
                                     .blockZ = (int32_t)a->block[2],
                                     .dynamicSharedMemory = (int32_t)a->shared_bytes,
                                     .correlationId = a->correlation,
                                     .gridId = (int64_t)a->grid_id,
                                     .name = a->name,
                                     .launchType = (uint8_t)a->value,
                                     .graphNodeId = a->graph_node_id,
                                     .graphId = a->graph_id,
                                     .channelType = CUPTI_CHANNEL_TYPE_COMPUTE};
    record.completed = record.end;
    APPEND(a->attachment, record);
}

static void record_sync(const struct xs_sim_activity *a) {
    if (!xs_cupti_enabled(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION))
        return;
    CUpti_ActivitySynchronization2 record = {.kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION,
                                             .type = (CUpti_ActivitySynchronizationType)a->value,
                                             .start = xs_cupti_client_time(a->start_ns),
                                             .end = xs_cupti_client_time(a->end_ns),
                                             .correlationId = a->correlation,
                                             .contextId = a->context_id,
                                             .streamId = a->stream_id,
                                             .cudaEventId = a->event_id};
    APPEND(a->attachment, record);
}

static void record_migration(const struct xs_sim_activity *a) {
    bool to_device = a->src_device == UINT32_MAX, to_host = a->dst_device == UINT32_MAX;
    /* Measured on driver 580: a context that CUPTI did not see being made counts nothing, and nothing is counted any
     * more after the first cuptiFinalize. */
    if (a->attachment == 0 || a->attachment != xs_cupti_attachment() || xs_cupti_was_finalized())
        return;
    if (!xs_cupti_enabled(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER) || !xs_cupti_counts(to_device, to_host))
        return;
    CUpti_ActivityUnifiedMemoryCounter3 record = {
        .kind = CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER,
        .counterKind = to_device ? CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD
                       : to_host ? CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH
                                 : CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOD,
        .value = a->bytes,
        .start = xs_cupti_client_time(a->start_ns),
        .end = xs_cupti_client_time(a->end_ns),
        .address = a->address,
        .srcId = a->src_device,
        .dstId = a->dst_device,
        .streamId = a->stream_id,
        .processId = (uint32_t)getpid(),
        .flags = a->value};
    APPEND(a->attachment, record);
    xs_cupti_counted();
}

static void record_fault(const struct xs_sim_activity *a) {
    if (a->attachment == 0 || a->attachment != xs_cupti_attachment() || !xs_cupti_counts_faults())
        return;
    CUpti_ActivityUnifiedMemoryCounter3 record = {.kind = CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER,
                                                  .counterKind =
                                                      CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_GPU_PAGE_FAULT,
                                                  .value = 1,
                                                  .start = xs_cupti_client_time(a->start_ns),
                                                  .end = xs_cupti_client_time(a->end_ns),
                                                  .address = a->address,
                                                  .srcId = a->device,
                                                  .streamId = a->stream_id,
                                                  .processId = (uint32_t)getpid()};
    APPEND(a->attachment, record);
    xs_cupti_counted();
}

static void record_memory(const struct xs_sim_activity *a) {
    if (!xs_cupti_enabled(CUPTI_ACTIVITY_KIND_MEMORY2))
        return;
    CUpti_ActivityMemory4 record = {.kind = CUPTI_ACTIVITY_KIND_MEMORY2,
                                    .memoryOperationType = (CUpti_ActivityMemoryOperationType)a->value,
                                    .memoryKind = (CUpti_ActivityMemoryKind)a->memory_kind,
                                    .correlationId = a->correlation,
                                    .address = a->address,
                                    .bytes = a->bytes,
                                    .timestamp = xs_cupti_client_time(a->start_ns),
                                    .processId = (uint32_t)getpid(),
                                    .deviceId = a->device,
                                    .contextId = a->context_id,
                                    .streamId = a->stream_id,
                                    .isAsync = a->flags};
    if (a->is_pool) {
        record.memoryPoolConfig.memoryPoolType = CUPTI_ACTIVITY_MEMORY_POOL_TYPE_LOCAL;
        record.memoryPoolConfig.address = a->pool_address;
    }
    APPEND(a->attachment, record);
}

void xs_cupti_on_activity(const struct xs_sim_activity *activity) {
    static void (*const writers[])(const struct xs_sim_activity *) = {
        [XS_SIM_MEMCPY] = record_copy, [XS_SIM_MEMCPY_PEER] = record_peer_copy,
        [XS_SIM_MEMSET] = record_set,  [XS_SIM_KERNEL] = record_kernel,
        [XS_SIM_SYNC] = record_sync,   [XS_SIM_MIGRATION] = record_migration,
        [XS_SIM_FAULT] = record_fault, [XS_SIM_MEMORY] = record_memory};
    writers[activity->kind](activity);
}

/* ---- API records, and the external correlation that precedes them ---- */

struct pushed {
    uint64_t ids[32];
    unsigned depth;
    uint32_t attachment; /* in which they were pushed */
};

/* The calling thread's; of an attachment that is over, nothing is left. */
static struct pushed *pushed_of(int kind) {
    static __thread struct pushed all[CUPTI_EXTERNAL_CORRELATION_KIND_SIZE];
    uint32_t attachment = xs_cupti_attachment();
    if (all[kind].attachment != attachment)
        all[kind].depth = 0;
    all[kind].attachment = attachment;
    return &all[kind];
}

void xs_cupti_record_api(const struct xs_sim_api *call) {
    for (int kind = 1; !call->leaving && kind < CUPTI_EXTERNAL_CORRELATION_KIND_SIZE; kind++) {
        if (!xs_cupti_enabled(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION))
            continue;
        const struct pushed *pushed = pushed_of(kind);
        if (pushed->depth == 0)
            continue;
        CUpti_ActivityExternalCorrelation record = {.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
                                                    .externalKind = (CUpti_ExternalCorrelationKind)kind,
                                                    .externalId = pushed->ids[pushed->depth - 1],
                                                    .correlationId = call->correlation};
        APPEND(xs_cupti_attachment(), record);
    }
    if (!call->leaving || !xs_cupti_enabled(CUPTI_ACTIVITY_KIND_DRIVER))
        return;
    CUpti_ActivityAPI record = {.kind = CUPTI_ACTIVITY_KIND_DRIVER,
                                .cbid = call->cbid,
                                .start = xs_cupti_client_time(call->start_ns),
                                .end = xs_cupti_client_time(call->end_ns),
                                .processId = (uint32_t)getpid(),
                                .threadId = (uint32_t)syscall(SYS_gettid),
                                .correlationId = call->correlation,
                                .returnValue = (uint32_t)*call->result};
    APPEND(xs_cupti_attachment(), record);
}

XS_EXPORT CUptiResult cuptiActivityPushExternalCorrelationId(CUpti_ExternalCorrelationKind kind, uint64_t id) {
    XS_CUPTI_GLOBAL_CALL();
    if (kind <= 0 || kind >= CUPTI_EXTERNAL_CORRELATION_KIND_SIZE || pushed_of(kind)->depth == 32)
        return CUPTI_ERROR_INVALID_PARAMETER;
    struct pushed *pushed = pushed_of(kind);
    pushed->ids[pushed->depth++] = id;
    return CUPTI_SUCCESS;
}

XS_EXPORT CUptiResult cuptiActivityPopExternalCorrelationId(CUpti_ExternalCorrelationKind kind, uint64_t *lastId) {
    XS_CUPTI_GLOBAL_CALL();
    if (kind <= 0 || kind >= CUPTI_EXTERNAL_CORRELATION_KIND_SIZE)
        return CUPTI_ERROR_INVALID_PARAMETER;
    struct pushed *pushed = pushed_of(kind);
    if (pushed->depth == 0)
        return CUPTI_ERROR_QUEUE_EMPTY;
    pushed->depth--;
    if (lastId != NULL)
        *lastId = pushed->ids[pushed->depth];
    return CUPTI_SUCCESS;
}
