/* cuMemAlloc and its like on the device: allocation, managed memory, freeing, and the address-range query. */
#include "sim.h"

#include <stdlib.h>
#include <sys/mman.h>

/* Allocation is among the calls that a capture elsewhere may forbid. */
static CUresult allocation_context(struct CUctx_st **context) {
    CUresult result = xs_need_context(context);
    return result == CUDA_SUCCESS ? xs_capture_unsafe() : result;
}

CUresult xs_cuMemGetInfo_v2(size_t *free, size_t *total) {
    struct CUctx_st *context;
    size_t free_bytes, total_bytes;
    CUresult result = xs_need_context(&context);
    if (result != CUDA_SUCCESS)
        return result;
    xs_device_usage(context->device, &free_bytes, &total_bytes);
    if (free != NULL)
        *free = free_bytes;
    if (total != NULL)
        *total = total_bytes;
    return CUDA_SUCCESS;
}

CUresult xs_cuMemAlloc_v2(CUdeviceptr *dptr, size_t bytesize) {
    struct CUctx_st *context;
    CUresult result = allocation_context(&context);
    if (result != CUDA_SUCCESS)
        return result;
    if (dptr == NULL || bytesize == 0)
        return CUDA_ERROR_INVALID_VALUE;
    return xs_allocate_device(context, bytesize, XS_DEVICE, dptr);
}

CUresult xs_cuMemAllocPitch_v2(CUdeviceptr *dptr, size_t *pPitch, size_t WidthInBytes, size_t Height,
                               unsigned int ElementSizeBytes) {
    struct CUctx_st *context;
    CUresult result = allocation_context(&context);
    if (result != CUDA_SUCCESS)
        return result;
    if (dptr == NULL || pPitch == NULL || WidthInBytes == 0 || Height == 0 ||
        (ElementSizeBytes != 4 && ElementSizeBytes != 8 && ElementSizeBytes != 16))
        return CUDA_ERROR_INVALID_VALUE;
    size_t pitch = (WidthInBytes + 511) & ~(size_t)511, bytes;
    if (__builtin_mul_overflow(pitch, Height, &bytes))
        return CUDA_ERROR_OUT_OF_MEMORY;
    *pPitch = pitch;
    return xs_allocate_device(context, bytes, XS_DEVICE, dptr);
}

CUresult xs_cuMemAllocManaged(CUdeviceptr *dptr, size_t bytesize, unsigned int flags) {
    struct CUctx_st *context;
    CUresult result = allocation_context(&context);
    if (result != CUDA_SUCCESS)
        return result;
    if (dptr == NULL || bytesize == 0 || (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST))
        return CUDA_ERROR_INVALID_VALUE;
    void *base = mmap(NULL, bytesize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED)
        return CUDA_ERROR_OUT_OF_MEMORY;
    struct xs_allocation allocation = {.base = (uintptr_t)base,
                                       .size = bytesize,
                                       .kind = XS_MANAGED,
                                       .device = context->device,
                                       .context = context,
                                       .flags = flags,
                                       .id = xs_next_id(),
                                       .preferred = -2};
    allocation.blocks = calloc((bytesize + XS_BLOCK_BYTES - 1) / XS_BLOCK_BYTES, sizeof(*allocation.blocks));
    if (allocation.blocks == NULL || xs_map_add(&allocation) != 0) {
        free(allocation.blocks);
        munmap(base, bytesize);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *dptr = (CUdeviceptr)base;
    xs_report_memory(&allocation, 1, 0, false);
    return CUDA_SUCCESS;
}

CUresult xs_cuMemFree_v2(CUdeviceptr dptr) {
    struct CUctx_st *context;
    CUresult result = allocation_context(&context);
    if (result != CUDA_SUCCESS || dptr == 0)
        return result;
    struct xs_range range;
    xs_map_find(dptr, 0, &range);
    if (!range.known || range.allocation.base != dptr || range.allocation.mapping != NULL ||
        range.allocation.imported || range.allocation.freeing || (range.kind != XS_DEVICE && range.kind != XS_MANAGED))
        return CUDA_ERROR_INVALID_VALUE;
    /* The implicit synchronisation that makes freeing in a loop expensive on a real device too. */
    xs_device_drain(range.device);
    struct xs_allocation removed;
    if (!xs_map_remove(dptr, 1u << XS_DEVICE | 1u << XS_MANAGED, &removed))
        return CUDA_ERROR_INVALID_VALUE;
    if (removed.pool != NULL)
        return xs_pool_take_back(&removed);
    xs_release_allocation(&removed);
    return CUDA_SUCCESS;
}

CUresult xs_cuMemGetAddressRange_v2(CUdeviceptr *pbase, size_t *psize, CUdeviceptr dptr) {
    struct xs_range range;
    xs_map_find(dptr, 0, &range);
    if (!range.known || range.kind == XS_ARRAY)
        return CUDA_ERROR_NOT_FOUND;
    if (pbase != NULL)
        *pbase = range.allocation.base;
    if (psize != NULL)
        *psize = range.allocation.size;
    return CUDA_SUCCESS;
}
