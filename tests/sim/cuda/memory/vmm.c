/* Virtual memory management: reserved addresses, physical allocations (memory files) and the mappings between them. */
#define _GNU_SOURCE
#include "sim.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define GRANULARITY ((size_t)2 << 20)

/* A physical allocation; its address is the handle. */
struct xs_mapping {
    int fd;
    size_t bytes;
    CUmemAllocationProp prop;
    unsigned refs; /* handles and mappings */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void unref(struct xs_mapping *physical) {
    pthread_mutex_lock(&lock);
    bool last = --physical->refs == 0;
    pthread_mutex_unlock(&lock);
    if (!last)
        return;
    if (physical->prop.location.type == CU_MEM_LOCATION_TYPE_DEVICE)
        xs_device_uncharge(physical->prop.location.id, physical->bytes);
    close(physical->fd);
    xs_handle_free(physical);
}

CUresult xs_cuMemAddressReserve(CUdeviceptr *ptr, size_t size, size_t alignment, CUdeviceptr addr,
                                unsigned long long flags) {
    if (ptr == NULL || size == 0 || size % 4096 != 0 || flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    size_t align = alignment > GRANULARITY ? alignment : GRANULARITY;
    char *base = mmap((void *)addr, size + align, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED)
        return CUDA_ERROR_OUT_OF_MEMORY;
    char *start = (char *)(((uintptr_t)base + align - 1) & ~(uintptr_t)(align - 1));
    if (start > base)
        munmap(base, (size_t)(start - base));
    if (start + size < base + size + align)
        munmap(start + size, (size_t)(base + size + align - (start + size)));
    *ptr = (CUdeviceptr)start;
    return CUDA_SUCCESS;
}

CUresult xs_cuMemAddressFree(CUdeviceptr ptr, size_t size) {
    return ptr == 0 || munmap((void *)ptr, size) != 0 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult xs_cuMemCreate(CUmemGenericAllocationHandle *handle, size_t size, const CUmemAllocationProp *prop,
                        unsigned long long flags) {
    if (handle == NULL || prop == NULL || size == 0 || size % GRANULARITY != 0 || flags != 0 ||
        prop->type != CU_MEM_ALLOCATION_TYPE_PINNED)
        return CUDA_ERROR_INVALID_VALUE;
    bool on_device = prop->location.type == CU_MEM_LOCATION_TYPE_DEVICE;
    if (on_device && !XS_DEVICE_OK(prop->location.id))
        return CUDA_ERROR_INVALID_DEVICE;
    if (on_device && !xs_device_charge(prop->location.id, size))
        return CUDA_ERROR_OUT_OF_MEMORY;
    struct xs_mapping *physical = xs_handle_new(sizeof(*physical));
    int fd = memfd_create("xferspy-sim", MFD_CLOEXEC);
    if (physical == NULL || fd < 0 || ftruncate(fd, (off_t)size) != 0) {
        if (fd >= 0)
            close(fd);
        xs_handle_free(physical);
        if (on_device)
            xs_device_uncharge(prop->location.id, size);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *physical = (struct xs_mapping){fd, size, *prop, 1};
    *handle = (CUmemGenericAllocationHandle)(uintptr_t)physical;
    return CUDA_SUCCESS;
}

static struct xs_mapping *physical_of(CUmemGenericAllocationHandle handle) {
    return (struct xs_mapping *)(uintptr_t)handle;
}

CUresult xs_cuMemRelease(CUmemGenericAllocationHandle handle) {
    if (handle == 0)
        return CUDA_ERROR_INVALID_VALUE;
    unref(physical_of(handle));
    return CUDA_SUCCESS;
}

CUresult xs_cuMemMap(CUdeviceptr ptr, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
                     unsigned long long flags) {
    struct xs_mapping *physical = physical_of(handle);
    if (ptr == 0 || size == 0 || physical == NULL || flags != 0 || offset + size > physical->bytes)
        return CUDA_ERROR_INVALID_VALUE;
    /* cppcheck-suppress leakReturnValNotUsed ; the range is the program's until it unmaps it */
    if (mmap((void *)ptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, physical->fd, (off_t)offset) !=
        (void *)ptr)
        return CUDA_ERROR_OUT_OF_MEMORY; /* MAP_FAILED: with MAP_FIXED there is no other address */
    bool on_device = physical->prop.location.type == CU_MEM_LOCATION_TYPE_DEVICE;
    struct xs_allocation allocation = {.base = ptr,
                                       .size = size,
                                       .kind = on_device ? XS_DEVICE : XS_PINNED,
                                       .device = on_device ? physical->prop.location.id : 0,
                                       .id = xs_next_id(),
                                       .mapping = physical,
                                       .preferred = -2};
    if (xs_map_add(&allocation) != 0)
        return CUDA_ERROR_OUT_OF_MEMORY;
    pthread_mutex_lock(&lock);
    physical->refs++;
    pthread_mutex_unlock(&lock);
    return CUDA_SUCCESS;
}

CUresult xs_cuMemUnmap(CUdeviceptr ptr, size_t size) {
    struct xs_range range;
    xs_map_find(ptr, 0, &range);
    if (!range.known || range.allocation.mapping == NULL || range.allocation.base != ptr)
        return CUDA_ERROR_INVALID_VALUE;
    xs_device_drain(range.device);
    for (CUdeviceptr at = ptr; at < ptr + size;) {
        struct xs_allocation removed;
        xs_map_find(at, 0, &range);
        if (!range.known || range.allocation.mapping == NULL || !xs_map_remove(at, ~0u, &removed))
            return CUDA_ERROR_INVALID_VALUE;
        void *reserved =
            mmap((void *)at, removed.size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
        if (reserved == MAP_FAILED)
            return CUDA_ERROR_OUT_OF_MEMORY;
        unref(removed.mapping);
        at += removed.size;
    }
    return CUDA_SUCCESS;
}

CUresult xs_cuMemSetAccess(CUdeviceptr ptr, size_t size, const CUmemAccessDesc *desc, size_t count) {
    struct xs_range range;
    if (desc == NULL || count == 0 || !xs_map_find(ptr, size, &range) || !range.known ||
        range.allocation.mapping == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

CUresult xs_cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location, CUdeviceptr ptr) {
    struct xs_range range;
    xs_map_find(ptr, 0, &range);
    if (flags == NULL || location == NULL || !range.known || range.allocation.mapping == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    return CUDA_SUCCESS;
}

CUresult xs_cuMemGetAllocationGranularity(size_t *granularity, const CUmemAllocationProp *prop,
                                          CUmemAllocationGranularity_flags option) {
    (void)option;
    if (granularity == NULL || prop == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *granularity = GRANULARITY;
    return CUDA_SUCCESS;
}

CUresult xs_cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *prop, CUmemGenericAllocationHandle handle) {
    if (prop == NULL || handle == 0)
        return CUDA_ERROR_INVALID_VALUE;
    *prop = physical_of(handle)->prop;
    return CUDA_SUCCESS;
}

CUresult xs_cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *addr) {
    struct xs_range range;
    xs_map_find((uintptr_t)addr, 0, &range);
    if (handle == NULL || !range.known || range.allocation.mapping == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&lock);
    range.allocation.mapping->refs++;
    pthread_mutex_unlock(&lock);
    *handle = (CUmemGenericAllocationHandle)(uintptr_t)range.allocation.mapping;
    return CUDA_SUCCESS;
}

CUresult xs_cuMemExportToShareableHandle(void *shareableHandle, CUmemGenericAllocationHandle handle,
                                         CUmemAllocationHandleType handleType, unsigned long long flags) {
    if (shareableHandle == NULL || handle == 0 || flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (handleType != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
        return CUDA_ERROR_NOT_SUPPORTED;
    int fd = dup(physical_of(handle)->fd);
    memcpy(shareableHandle, &fd, sizeof(fd));
    return fd >= 0 ? CUDA_SUCCESS : CUDA_ERROR_OPERATING_SYSTEM;
}

CUresult xs_cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle, void *osHandle,
                                           CUmemAllocationHandleType shHandleType) {
    struct CUctx_st *context;
    CUresult result = xs_need_context(&context);
    if (result != CUDA_SUCCESS)
        return result;
    if (handle == NULL || shHandleType != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
        return CUDA_ERROR_NOT_SUPPORTED;
    int fd = dup((int)(intptr_t)osHandle);
    off_t bytes = fd >= 0 ? lseek(fd, 0, SEEK_END) : -1;
    struct xs_mapping *physical = bytes > 0 ? xs_handle_new(sizeof(*physical)) : NULL;
    if (physical == NULL || !xs_device_charge(context->device, (size_t)bytes)) {
        xs_handle_free(physical);
        if (fd >= 0)
            close(fd);
        return CUDA_ERROR_INVALID_VALUE;
    }
    physical->fd = fd;
    physical->bytes = (size_t)bytes;
    physical->refs = 1;
    physical->prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    physical->prop.location = (CUmemLocation){CU_MEM_LOCATION_TYPE_DEVICE, context->device};
    *handle = (CUmemGenericAllocationHandle)(uintptr_t)physical;
    return CUDA_SUCCESS;
}
