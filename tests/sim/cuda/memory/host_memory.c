/* Pinned host memory: allocated by the driver, or the program's own, registered. */
#include "sim.h"

#include <string.h>
#include <sys/mman.h>

CUresult xs_cuMemHostAlloc(void **pp, size_t bytesize, unsigned int Flags) {
    struct CUctx_st *context;
    CUresult result = xs_need_context(&context);
    if (result == CUDA_SUCCESS)
        result = xs_capture_unsafe();
    if (result != CUDA_SUCCESS)
        return result;
    if (pp == NULL || bytesize == 0 ||
        (Flags & ~(unsigned)(CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED)) !=
            0)
        return CUDA_ERROR_INVALID_VALUE;
    void *base = mmap(NULL, bytesize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED)
        return CUDA_ERROR_OUT_OF_MEMORY;
    struct xs_allocation allocation = {.base = (uintptr_t)base,
                                       .size = bytesize,
                                       .kind = XS_PINNED,
                                       .device = context->device,
                                       .context = context,
                                       .flags = Flags | CU_MEMHOSTALLOC_DEVICEMAP,
                                       .id = xs_next_id(),
                                       .preferred = -2};
    if (xs_map_add(&allocation) != 0) {
        munmap(base, bytesize);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (xs_is_virtual())
        xs_virtual_page_lock(bytesize);
    *pp = base;
    xs_report_memory(&allocation, 1, 0, false);
    return CUDA_SUCCESS;
}

CUresult xs_cuMemAllocHost_v2(void **pp, size_t bytesize) { return xs_cuMemHostAlloc(pp, bytesize, 0); }

CUresult xs_cuMemFreeHost(void *p) {
    struct CUctx_st *context;
    struct xs_allocation removed;
    CUresult result = xs_need_context(&context);
    if (result == CUDA_SUCCESS)
        result = xs_capture_unsafe();
    if (result != CUDA_SUCCESS || p == NULL)
        return result;
    struct xs_range range;
    xs_map_find((uintptr_t)p, 0, &range);
    if (!range.known || range.kind != XS_PINNED || range.allocation.base != (uintptr_t)p)
        return CUDA_ERROR_INVALID_VALUE;
    xs_device_drain(-1);
    if (!xs_map_remove((uintptr_t)p, 1u << XS_PINNED, &removed))
        return CUDA_ERROR_INVALID_VALUE;
    xs_release_allocation(&removed);
    return CUDA_SUCCESS;
}

struct overlap {
    uintptr_t base;
    size_t size;
    bool found;
};

static void look_for_overlap(struct xs_allocation *allocation, void *data) {
    struct overlap *wanted = data;
    if (allocation->base < wanted->base + wanted->size && wanted->base < allocation->base + allocation->size)
        wanted->found = true;
}

CUresult xs_cuMemHostRegister_v2(void *p, size_t bytesize, unsigned int Flags) {
    struct CUctx_st *context;
    CUresult result = xs_need_context(&context);
    if (result == CUDA_SUCCESS)
        result = xs_capture_unsafe();
    if (result != CUDA_SUCCESS)
        return result;
    if (xs_config()->confidential)
        return CUDA_ERROR_NOT_SUPPORTED;
    if (p == NULL || bytesize == 0)
        return CUDA_ERROR_INVALID_VALUE;
    struct overlap overlap = {(uintptr_t)p, bytesize, false};
    xs_map_each(look_for_overlap, &overlap);
    if (overlap.found)
        return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    struct xs_allocation allocation = {.base = (uintptr_t)p,
                                       .size = bytesize,
                                       .kind = XS_REGISTERED,
                                       .device = context->device,
                                       .context = context,
                                       .flags = Flags,
                                       .id = xs_next_id(),
                                       .preferred = -2};
    if (xs_is_virtual())
        xs_virtual_page_lock(bytesize);
    return xs_map_add(&allocation) == 0 ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult xs_cuMemHostUnregister(void *p) {
    struct CUctx_st *context;
    struct xs_allocation removed;
    CUresult result = xs_need_context(&context);
    if (result != CUDA_SUCCESS)
        return result;
    if (p == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    xs_device_drain(-1);
    return xs_map_remove((uintptr_t)p, 1u << XS_REGISTERED, &removed) ? CUDA_SUCCESS
                                                                      : CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
}

static bool find_host(void *p, struct xs_range *range) {
    xs_map_find((uintptr_t)p, 0, range);
    return range->known && (range->kind == XS_PINNED || range->kind == XS_REGISTERED);
}

CUresult xs_cuMemHostGetDevicePointer_v2(CUdeviceptr *pdptr, void *p, unsigned int Flags) {
    struct xs_range range;
    if (pdptr == NULL || Flags != 0 || !find_host(p, &range))
        return CUDA_ERROR_INVALID_VALUE;
    *pdptr = (CUdeviceptr)p;
    return CUDA_SUCCESS;
}

CUresult xs_cuMemHostGetFlags(unsigned int *pFlags, void *p) {
    struct xs_range range;
    if (pFlags == NULL || !find_host(p, &range))
        return CUDA_ERROR_INVALID_VALUE;
    *pFlags = range.allocation.flags;
    return CUDA_SUCCESS;
}
