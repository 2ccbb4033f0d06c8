/* Managed memory: where its blocks are, moving them, prefetches and advice. Host and device share the bytes, so that a
 * migration moves nothing but takes the time and leaves the record of one. */
#include "sim.h"

#include <string.h>

struct move {
    uintptr_t address;
    size_t bytes;
    int from;
};

struct plan {
    uintptr_t start, end;
    int target;
    bool read_duplicate;
    struct move moves[64];
    size_t count;
};

/* Collects runs of blocks that are elsewhere, and marks them as moved. Runs under the map's lock. */
static void plan_moves(struct xs_allocation *allocation, void *data) {
    struct plan *plan = data;
    plan->count = 0;
    if (allocation->kind != XS_MANAGED)
        return;
    size_t blocks = (allocation->size + XS_BLOCK_BYTES - 1) / XS_BLOCK_BYTES;
    size_t first = (plan->start - allocation->base) / XS_BLOCK_BYTES;
    size_t last = (plan->end - 1 - allocation->base) / XS_BLOCK_BYTES;
    for (size_t i = first; i <= last && i < blocks; i++) {
        int place = (int)atomic_load(&allocation->blocks[i]) - 1;
        if (place == plan->target)
            continue;
        uintptr_t address = allocation->base + i * XS_BLOCK_BYTES;
        size_t left = allocation->base + allocation->size - address;
        size_t bytes = left < XS_BLOCK_BYTES ? left : XS_BLOCK_BYTES;
        struct move *move = plan->count > 0 ? &plan->moves[plan->count - 1] : NULL;
        bool joins = move != NULL && move->from == place && move->address + move->bytes == address &&
                     move->bytes < ((size_t)2 << 20);
        if (!joins && plan->count == XS_COUNT(plan->moves))
            return;
        if (joins)
            move->bytes += bytes;
        else
            plan->moves[plan->count++] = (struct move){address, bytes, place};
        atomic_store(&allocation->blocks[i], (unsigned char)(plan->target + 1));
    }
}

/* Reports a move, and the fault of a kernel that caused it. */
static void report_move(struct CUstream_st *stream, const struct move *move, int target, uint32_t correlation,
                        bool by_fault) {
    uint64_t start, end;
    int device = target >= 0 ? target : move->from;
    xs_link_reserve_bytes(device, target >= 0, move->bytes, xs_now_ns(), &start, &end);
    xs_wait_until_ns(end);
    struct xs_sim_activity activity = {.kind = XS_SIM_MIGRATION,
                                       .start_ns = start,
                                       .end_ns = end,
                                       .address = move->address,
                                       .bytes = move->bytes,
                                       .device = (uint32_t)device,
                                       .src_device = move->from < 0 ? UINT32_MAX : (uint32_t)move->from,
                                       .dst_device = target < 0 ? UINT32_MAX : (uint32_t)target,
                                       .stream_id = stream->id,
                                       .context_id = stream->context->id,
                                       .attachment = stream->context->attachment,
                                       .correlation = correlation};
    xs_report(&activity);
    if (!by_fault)
        return;
    activity.kind = XS_SIM_FAULT;
    xs_report(&activity);
    xs_wait_until_ns(xs_now_ns() + xs_report_fault_ns());
}

static void migrate(struct CUstream_st *stream, CUdeviceptr address, size_t bytes, int target, uint32_t correlation,
                    bool by_faults) {
    struct plan plan = {.start = address, .end = address + (bytes > 0 ? bytes : 1), .target = target};
    do {
        if (!xs_map_update(address, plan_moves, &plan))
            return;
        for (size_t i = 0; i < plan.count; i++)
            report_move(stream, &plan.moves[i], target, correlation, by_faults);
    } while (plan.count == XS_COUNT(plan.moves));
}

void xs_managed_migrate(struct CUstream_st *stream, CUdeviceptr address, size_t bytes, int target,
                        uint32_t correlation) {
    migrate(stream, address, bytes, target, correlation, false);
}

void xs_managed_fault(struct CUstream_st *stream, const struct xs_allocation *allocation, uint32_t correlation) {
    migrate(stream, allocation->base, allocation->size, stream->context->device, correlation, true);
}

static CUresult prefetch(CUdeviceptr address, size_t bytes, int target, CUstream handle) {
    struct CUstream_st *stream;
    struct xs_range range;
    CUresult result = xs_stream_of(handle, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    if (target >= 0 && !XS_DEVICE_OK(target))
        return CUDA_ERROR_INVALID_DEVICE;
    if (bytes == 0 || !xs_map_find(address, bytes, &range) || range.kind != XS_MANAGED)
        return CUDA_ERROR_INVALID_VALUE;
    struct xs_op *op = xs_op_new(XS_OP_MIGRATE);
    if (op != NULL)
        op->migrate = (struct xs_migrate){address, bytes, target};
    return xs_submit(stream, op, false);
}

static bool place_of(const CUmemLocation *location, int *target) {
    switch (location->type) {
    case CU_MEM_LOCATION_TYPE_DEVICE:
        *target = location->id;
        return true;
    case CU_MEM_LOCATION_TYPE_HOST:
    case CU_MEM_LOCATION_TYPE_HOST_NUMA:
    case CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT:
        *target = -1;
        return true;
    default:
        return false;
    }
}

CUresult xs_cuMemPrefetchAsync(CUdeviceptr devPtr, size_t count, CUdevice dstDevice, CUstream hStream) {
    return prefetch(devPtr, count, dstDevice == CU_DEVICE_CPU ? -1 : dstDevice, hStream);
}

CUresult xs_cuMemPrefetchAsync_v2(CUdeviceptr devPtr, size_t count, CUmemLocation location, unsigned int flags,
                                  CUstream hStream) {
    int target;
    if (flags != 0 || !place_of(&location, &target))
        return CUDA_ERROR_INVALID_VALUE;
    return prefetch(devPtr, count, target, hStream);
}

CUresult xs_cuMemPrefetchBatchAsync(CUdeviceptr *dptrs, size_t *sizes, size_t count, CUmemLocation *prefetchLocs,
                                    size_t *prefetchLocIdxs, size_t numPrefetchLocs, unsigned long long flags,
                                    CUstream hStream) {
    if (dptrs == NULL || sizes == NULL || count == 0 || prefetchLocs == NULL || prefetchLocIdxs == NULL ||
        numPrefetchLocs == 0 || prefetchLocIdxs[0] != 0 || flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    size_t place = 0;
    for (size_t i = 0; i < count; i++) {
        int target;
        while (place + 1 < numPrefetchLocs && prefetchLocIdxs[place + 1] <= i)
            place++;
        if (!place_of(&prefetchLocs[place], &target))
            return CUDA_ERROR_INVALID_VALUE;
        CUresult result = prefetch(dptrs[i], sizes[i], target, hStream);
        if (result != CUDA_SUCCESS)
            return result;
    }
    return CUDA_SUCCESS;
}

CUresult xs_cuMemDiscardBatchAsync(CUdeviceptr *dptrs, size_t *sizes, size_t count, unsigned long long flags,
                                   CUstream hStream) {
    struct CUstream_st *stream;
    CUresult result = xs_stream_of(hStream, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    if (dptrs == NULL || sizes == NULL || count == 0 || flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; i++) {
        struct xs_range range;
        if (!xs_map_find(dptrs[i], sizes[i], &range) || range.kind != XS_MANAGED)
            return CUDA_ERROR_INVALID_VALUE;
    }
    return xs_submit(stream, xs_op_new(XS_OP_EMPTY), false);
}

CUresult xs_cuMemDiscardAndPrefetchBatchAsync(CUdeviceptr *dptrs, size_t *sizes, size_t count,
                                              CUmemLocation *prefetchLocs, size_t *prefetchLocIdxs,
                                              size_t numPrefetchLocs, unsigned long long flags, CUstream hStream) {
    CUresult result = xs_cuMemDiscardBatchAsync(dptrs, sizes, count, flags, hStream);
    if (result != CUDA_SUCCESS)
        return result;
    return xs_cuMemPrefetchBatchAsync(dptrs, sizes, count, prefetchLocs, prefetchLocIdxs, numPrefetchLocs, flags,
                                      hStream);
}

struct advice {
    CUmem_advise advice;
    int place;
};

static void take_advice(struct xs_allocation *allocation, void *data) {
    const struct advice *advice = data;
    if (advice->advice == CU_MEM_ADVISE_SET_READ_MOSTLY || advice->advice == CU_MEM_ADVISE_UNSET_READ_MOSTLY)
        allocation->read_mostly = advice->advice == CU_MEM_ADVISE_SET_READ_MOSTLY;
    if (advice->advice == CU_MEM_ADVISE_SET_PREFERRED_LOCATION)
        allocation->preferred = advice->place;
    if (advice->advice == CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION)
        allocation->preferred = -2;
}

static CUresult advise(CUdeviceptr address, size_t bytes, CUmem_advise advice, int place) {
    struct xs_range range;
    if (bytes == 0 || !xs_map_find(address, bytes, &range) || range.kind != XS_MANAGED)
        return CUDA_ERROR_INVALID_VALUE;
    struct advice taken = {advice, place};
    xs_map_update(address, take_advice, &taken);
    return CUDA_SUCCESS;
}

CUresult xs_cuMemAdvise(CUdeviceptr devPtr, size_t count, CUmem_advise advice, CUdevice device) {
    return advise(devPtr, count, advice, device == CU_DEVICE_CPU ? -1 : device);
}

CUresult xs_cuMemAdvise_v2(CUdeviceptr devPtr, size_t count, CUmem_advise advice, CUmemLocation location) {
    int place = -1;
    bool placed = advice != CU_MEM_ADVISE_SET_READ_MOSTLY && advice != CU_MEM_ADVISE_UNSET_READ_MOSTLY &&
                  advice != CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION;
    if (!place_of(&location, &place) && placed)
        return CUDA_ERROR_INVALID_VALUE;
    return advise(devPtr, count, advice, place);
}

CUresult xs_cuMemRangeGetAttribute(void *data, size_t dataSize, CUmem_range_attribute attribute, CUdeviceptr devPtr,
                                   size_t count) {
    struct xs_range range;
    if (data == NULL || dataSize < sizeof(int) || !xs_map_find(devPtr, count, &range) || range.kind != XS_MANAGED)
        return CUDA_ERROR_INVALID_VALUE;
    int value;
    switch (attribute) {
    case CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY:
        value = range.allocation.read_mostly;
        break;
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION:
        value = range.allocation.preferred == -1 ? CU_DEVICE_CPU : range.allocation.preferred;
        break;
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION: {
        int place = (int)atomic_load(&range.allocation.blocks[(devPtr - range.allocation.base) / XS_BLOCK_BYTES]) - 1;
        value = place < 0 ? CU_DEVICE_CPU : place;
        break;
    }
    case CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY:
        memset(data, 0xfe, dataSize);
        value = CU_DEVICE_INVALID;
        break;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
    memcpy(data, &value, sizeof(value));
    return CUDA_SUCCESS;
}

CUresult xs_cuMemRangeGetAttributes(void **data, size_t *dataSizes, CUmem_range_attribute *attributes,
                                    size_t numAttributes, CUdeviceptr devPtr, size_t count) {
    CUresult result = CUDA_SUCCESS;
    for (size_t i = 0; i < numAttributes && result == CUDA_SUCCESS; i++)
        result = xs_cuMemRangeGetAttribute(data[i], dataSizes[i], attributes[i], devPtr, count);
    return result;
}
