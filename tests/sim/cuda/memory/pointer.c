/* What cuPointerGetAttribute says about an address. */
#include "sim.h"

#include <string.h>

static bool is_host(enum xs_memory_kind kind) { return kind == XS_PINNED || kind == XS_REGISTERED; }

#define PUT(type, value) (memcpy(data, &(type){value}, sizeof(type)), CUDA_SUCCESS)

static CUresult attribute_of(void *data, CUpointer_attribute attribute, CUdeviceptr ptr, const struct xs_range *range) {
    const struct xs_allocation *allocation = &range->allocation;
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
        return PUT(CUcontext, range->kind == XS_MANAGED ? NULL : allocation->context);
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        return PUT(unsigned, is_host(range->kind) ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        return PUT(CUdeviceptr, ptr);
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        if (!is_host(range->kind) && range->kind != XS_MANAGED)
            return CUDA_ERROR_INVALID_VALUE;
        return PUT(CUdeviceptr, ptr);
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
        return PUT(unsigned, allocation->sync_memops);
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
        return PUT(unsigned long long, allocation->id);
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        return PUT(unsigned, range->kind == XS_MANAGED);
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        return PUT(int, allocation->device);
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
        return PUT(unsigned, range->kind == XS_DEVICE && allocation->pool == NULL && allocation->mapping == NULL);
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
        return PUT(CUdeviceptr, allocation->base);
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
        return PUT(size_t, allocation->size);
    case CU_POINTER_ATTRIBUTE_MAPPED:
        return PUT(unsigned, 1);
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
        return PUT(unsigned long long, 0);
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
        return PUT(unsigned, CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE);
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
        return PUT(CUmemoryPool, allocation->pool);
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
        return PUT(unsigned long long, allocation->id);
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE:
        return PUT(unsigned, 0);
    default:
        return CUDA_ERROR_NOT_SUPPORTED;
    }
}

CUresult xs_cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr ptr) {
    struct xs_range range;
    if (data == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    xs_map_find(ptr, 0, &range);
    if (!range.known && attribute == CU_POINTER_ATTRIBUTE_MAPPED)
        return PUT(unsigned, 0);
    return range.known ? attribute_of(data, attribute, ptr, &range) : CUDA_ERROR_INVALID_VALUE;
}

/* The plural form succeeds for any address: what does not apply is zero. */
CUresult xs_cuPointerGetAttributes(unsigned int numAttributes, CUpointer_attribute *attributes, void **data,
                                   CUdeviceptr ptr) {
    struct xs_range range;
    if (numAttributes == 0 || attributes == NULL || data == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    xs_map_find(ptr, 0, &range);
    for (unsigned i = 0; i < numAttributes; i++) {
        if (range.known && attribute_of(data[i], attributes[i], ptr, &range) == CUDA_SUCCESS)
            continue;
        switch (attributes[i]) {
        case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
            memcpy(data[i], &(int){-2}, sizeof(int));
            break;
        case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
        case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
        case CU_POINTER_ATTRIBUTE_MAPPED:
        case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
        case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
        case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE:
            memset(data[i], 0, sizeof(unsigned));
            break;
        case CU_POINTER_ATTRIBUTE_HOST_POINTER:
            memcpy(data[i], &(CUdeviceptr){range.known ? 0 : ptr}, sizeof(CUdeviceptr));
            break;
        default:
            memset(data[i], 0, sizeof(CUdeviceptr));
        }
    }
    return CUDA_SUCCESS;
}

static void set_sync_memops(struct xs_allocation *allocation, void *data) {
    allocation->sync_memops = *(const unsigned *)data != 0;
}

CUresult xs_cuPointerSetAttribute(const void *value, CUpointer_attribute attribute, CUdeviceptr ptr) {
    if (value == NULL || attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS)
        return CUDA_ERROR_INVALID_VALUE;
    unsigned flag;
    memcpy(&flag, value, sizeof(flag));
    return xs_map_update(ptr, set_sync_memops, &flag) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
