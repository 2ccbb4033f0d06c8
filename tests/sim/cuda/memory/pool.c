/* Stream-ordered allocation from memory pools. A block that a stream freed may serve that stream again at once, and the
 * others when the stream got there. */
#include "sim.h"

#include <stdlib.h>
#include <string.h>

struct block {
    CUdeviceptr address;
    size_t bytes;
    uint64_t id; /* id of the allocation whose cuMemFreeAsync is still queued; 0: none */
    struct CUstream_st *stream;
    struct block *next;
};

struct CUmemPoolHandle_st {
    int device;
    CUmemPoolProps props;
    struct block *blocks;
    uint64_t threshold, reserved, reserved_high, used, used_high;
    int reuse[3];
    bool destroyed;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct CUmemPoolHandle_st defaults[XS_MAX_DEVICES];
static struct CUmemPoolHandle_st *current[XS_MAX_DEVICES];

static struct CUmemPoolHandle_st *default_pool(int device) {
    struct CUmemPoolHandle_st *pool = &defaults[device];
    pthread_mutex_lock(&lock);
    if (current[device] == NULL) {
        pool->device = device;
        pool->props.location = (CUmemLocation){CU_MEM_LOCATION_TYPE_DEVICE, device};
        current[device] = pool;
    }
    pthread_mutex_unlock(&lock);
    return pool;
}

static struct CUmemPoolHandle_st *current_pool(int device) {
    default_pool(device);
    pthread_mutex_lock(&lock);
    struct CUmemPoolHandle_st *pool = current[device];
    pthread_mutex_unlock(&lock);
    return pool;
}

static size_t rounded(size_t bytes) { return (bytes + 511) & ~(size_t)511; }

static void count_used_locked(struct CUmemPoolHandle_st *pool, size_t bytes) {
    pool->used += bytes;
    if (pool->used > pool->used_high)
        pool->used_high = pool->used;
}

struct revival {
    uint64_t id, new_id;
    size_t bytes;
};

static void revive(struct xs_allocation *allocation, void *data) {
    const struct revival *revival = data;
    allocation->freeing = false;
    allocation->id = revival->new_id;
    allocation->size = revival->bytes;
}

/* A free block of the right size that this stream may have now. */
static CUresult reuse_locked(struct CUmemPoolHandle_st *pool, struct CUstream_st *stream, size_t bytes,
                             struct xs_allocation *allocation) {
    for (struct block **link = &pool->blocks; *link != NULL; link = &(*link)->next) {
        struct block *block = *link;
        if (block->bytes != rounded(bytes) || (block->id != 0 && block->stream != stream))
            continue;
        allocation->base = block->address;
        bool pending = block->id != 0;
        *link = block->next;
        free(block);
        if (!pending)
            return xs_map_add(allocation) == 0 ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
        struct revival revival = {.new_id = allocation->id, .bytes = bytes};
        xs_map_update(allocation->base, revive, &revival);
        return CUDA_SUCCESS;
    }
    return CUDA_ERROR_NOT_FOUND;
}

static void trim_locked(struct CUmemPoolHandle_st *pool, uint64_t keep) {
    for (struct block **link = &pool->blocks; *link != NULL && pool->reserved > keep;) {
        struct block *block = *link;
        if (block->id != 0) {
            link = &block->next;
            continue;
        }
        *link = block->next;
        pool->reserved -= block->bytes;
        xs_device_give(pool->device, block->address, block->bytes);
        free(block);
    }
}

static CUresult fresh_locked(struct CUmemPoolHandle_st *pool, size_t bytes, struct xs_allocation *allocation) {
    uintptr_t address;
    CUresult result = xs_device_take(pool->device, rounded(bytes), 512, &address);
    if (result != CUDA_SUCCESS) {
        trim_locked(pool, 0);
        result = xs_device_take(pool->device, rounded(bytes), 512, &address);
    }
    if (result != CUDA_SUCCESS)
        return result;
    allocation->base = address;
    if (xs_map_add(allocation) != 0) {
        xs_device_give(pool->device, address, rounded(bytes));
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    pool->reserved += rounded(bytes);
    if (pool->reserved > pool->reserved_high)
        pool->reserved_high = pool->reserved;
    return CUDA_SUCCESS;
}

static CUresult allocate(CUdeviceptr *out, size_t bytes, struct CUmemPoolHandle_st *pool, CUstream handle) {
    struct CUstream_st *stream;
    CUresult result = xs_stream_of(handle, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    if (pool == NULL)
        pool = current_pool(stream->context->device);
    if (out == NULL || bytes == 0)
        return CUDA_ERROR_INVALID_VALUE;
    struct xs_op *op = xs_op_new(XS_OP_ALLOC);
    if (op == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    struct xs_allocation allocation = {.size = bytes,
                                       .kind = XS_DEVICE,
                                       .device = pool->device,
                                       .context = stream->context,
                                       .pool = pool,
                                       .id = xs_next_id(),
                                       .preferred = -2};
    pthread_mutex_lock(&lock);
    result = pool->destroyed ? CUDA_ERROR_INVALID_VALUE : reuse_locked(pool, stream, bytes, &allocation);
    if (result == CUDA_ERROR_NOT_FOUND)
        result = fresh_locked(pool, bytes, &allocation);
    if (result == CUDA_SUCCESS)
        count_used_locked(pool, rounded(bytes));
    pthread_mutex_unlock(&lock);
    if (result != CUDA_SUCCESS) {
        xs_op_free(op);
        return result;
    }
    *out = allocation.base;
    op->memory.address = allocation.base;
    op->memory.id = allocation.id;
    xs_report_memory(&allocation, 1, stream->id, true);
    return xs_submit(stream, op, false);
}

CUresult xs_cuMemAllocAsync(CUdeviceptr *dptr, size_t bytesize, CUstream hStream) {
    return allocate(dptr, bytesize, NULL, hStream);
}

CUresult xs_cuMemAllocFromPoolAsync(CUdeviceptr *dptr, size_t bytesize, CUmemoryPool pool, CUstream hStream) {
    return pool == NULL ? CUDA_ERROR_INVALID_VALUE : allocate(dptr, bytesize, pool, hStream);
}

static void mark_freeing(struct xs_allocation *allocation, void *data) {
    (void)data;
    allocation->freeing = true;
}

static CUresult add_block_locked(struct CUmemPoolHandle_st *pool, const struct xs_allocation *allocation,
                                 struct CUstream_st *stream, uint64_t id) {
    struct block *block = malloc(sizeof(*block));
    if (block == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *block = (struct block){allocation->base, rounded(allocation->size), id, stream, pool->blocks};
    pool->blocks = block;
    pool->used -= block->bytes;
    return CUDA_SUCCESS;
}

CUresult xs_cuMemFreeAsync(CUdeviceptr dptr, CUstream hStream) {
    struct CUstream_st *stream;
    struct xs_range range;
    CUresult result = xs_stream_of(hStream, &stream);
    if (result != CUDA_SUCCESS || dptr == 0)
        return result;
    xs_map_find(dptr, 0, &range);
    if (!range.known || range.kind != XS_DEVICE || range.allocation.base != dptr || range.allocation.freeing ||
        range.allocation.mapping != NULL)
        return CUDA_ERROR_INVALID_VALUE;
    struct xs_op *op = xs_op_new(XS_OP_FREE);
    if (op == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    op->memory.address = dptr;
    op->memory.id = range.allocation.id;
    xs_queue_lock();
    bool captured = stream->capture != NULL;
    xs_queue_unlock();
    if (captured)
        return xs_submit(stream, op, false);
    xs_map_update(dptr, mark_freeing, NULL);
    xs_report_memory(&range.allocation, 2, stream->id, true);
    if (range.allocation.pool != NULL) {
        pthread_mutex_lock(&lock);
        (void)add_block_locked(range.allocation.pool, &range.allocation, stream,
                               range.allocation.id); /* else not reused */
        pthread_mutex_unlock(&lock);
    }
    return xs_submit(stream, op, false);
}

void xs_pool_settle(CUdeviceptr address, uint64_t id) {
    struct xs_allocation removed;
    struct xs_range range;
    pthread_mutex_lock(&lock);
    xs_map_find(address, 0, &range);
    /* Another id: the stream has allocated the block anew since. */
    if (!range.known || range.allocation.id != id || !xs_map_remove(address, 1u << XS_DEVICE, &removed)) {
        pthread_mutex_unlock(&lock);
        return;
    }
    struct CUmemPoolHandle_st *pool = removed.pool;
    for (struct block *block = pool != NULL ? pool->blocks : NULL; block != NULL; block = block->next) {
        if (block->id == id) {
            block->id = 0;
            block->stream = NULL;
        }
    }
    if (pool != NULL && pool->destroyed)
        trim_locked(pool, 0);
    pthread_mutex_unlock(&lock);
    if (pool == NULL)
        xs_device_give(removed.device, removed.base, removed.size);
}

CUresult xs_pool_take_back(const struct xs_allocation *allocation) {
    pthread_mutex_lock(&lock);
    CUresult result = add_block_locked(allocation->pool, allocation, NULL, 0);
    if (allocation->pool->destroyed)
        trim_locked(allocation->pool, 0);
    pthread_mutex_unlock(&lock);
    return result;
}

/* ---- the pools themselves ---- */

CUresult xs_cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *poolProps) {
    if (pool == NULL || poolProps == NULL || poolProps->allocType != CU_MEM_ALLOCATION_TYPE_PINNED)
        return CUDA_ERROR_INVALID_VALUE;
    if (poolProps->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
        return CUDA_ERROR_NOT_SUPPORTED;
    if (!XS_DEVICE_OK(poolProps->location.id))
        return CUDA_ERROR_INVALID_DEVICE;
    struct CUmemPoolHandle_st *made = xs_handle_new(sizeof(*made));
    if (made == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    made->device = poolProps->location.id;
    made->props = *poolProps;
    *pool = made;
    return CUDA_SUCCESS;
}

/* The structure stays for as long as the process: allocations may outlive their pool. */
CUresult xs_cuMemPoolDestroy(CUmemoryPool pool) {
    if (pool == NULL || pool == &defaults[pool->device])
        return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&lock);
    pool->destroyed = true;
    if (current[pool->device] == pool)
        current[pool->device] = &defaults[pool->device];
    trim_locked(pool, 0);
    pthread_mutex_unlock(&lock);
    return CUDA_SUCCESS;
}

CUresult xs_cuMemPoolTrimTo(CUmemoryPool pool, size_t minBytesToKeep) {
    if (pool == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&lock);
    trim_locked(pool, minBytesToKeep);
    pthread_mutex_unlock(&lock);
    return CUDA_SUCCESS;
}

static void *wide_attribute(struct CUmemPoolHandle_st *pool, CUmemPool_attribute attr) {
    switch (attr) {
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
        return &pool->threshold;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
        return &pool->reserved;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
        return &pool->reserved_high;
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
        return &pool->used;
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
        return &pool->used_high;
    default:
        return NULL;
    }
}

static CUresult pool_attribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value, bool set) {
    if (pool == NULL || value == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = CUDA_SUCCESS;
    pthread_mutex_lock(&lock);
    void *wide = wide_attribute(pool, attr);
    bool narrow = attr >= CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES &&
                  attr <= CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES;
    if (wide != NULL)
        memcpy(set ? wide : value, set ? value : wide, sizeof(uint64_t));
    else if (narrow)
        memcpy(set ? (void *)&pool->reuse[attr - 1] : value, set ? value : (void *)&pool->reuse[attr - 1], sizeof(int));
    else
        result = CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_unlock(&lock);
    return result;
}

CUresult xs_cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value) {
    return pool_attribute(pool, attr, value, true);
}

CUresult xs_cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value) {
    return pool_attribute(pool, attr, value, false);
}

CUresult xs_cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *map, size_t count) {
    return pool == NULL || (map == NULL && count > 0) ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult xs_cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool memPool, CUmemLocation *location) {
    if (flags == NULL || memPool == NULL || location == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    return CUDA_SUCCESS;
}

CUresult xs_cuDeviceGetDefaultMemPool(CUmemoryPool *pool_out, CUdevice dev) {
    if (pool_out == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (!XS_DEVICE_OK(dev))
        return CUDA_ERROR_INVALID_DEVICE;
    *pool_out = default_pool(dev);
    return CUDA_SUCCESS;
}

CUresult xs_cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice dev) {
    if (pool == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (!XS_DEVICE_OK(dev))
        return CUDA_ERROR_INVALID_DEVICE;
    *pool = current_pool(dev);
    return CUDA_SUCCESS;
}

CUresult xs_cuDeviceSetMemPool(CUdevice dev, CUmemoryPool pool) {
    if (!XS_DEVICE_OK(dev))
        return CUDA_ERROR_INVALID_DEVICE;
    if (pool == NULL || pool->device != dev)
        return CUDA_ERROR_INVALID_VALUE;
    default_pool(dev);
    pthread_mutex_lock(&lock);
    current[dev] = pool;
    pthread_mutex_unlock(&lock);
    return CUDA_SUCCESS;
}

static bool of_device(const CUmemLocation *location, CUmemAllocationType type) {
    return location != NULL && location->type == CU_MEM_LOCATION_TYPE_DEVICE && type == CU_MEM_ALLOCATION_TYPE_PINNED;
}

CUresult xs_cuMemGetDefaultMemPool(CUmemoryPool *pool_out, CUmemLocation *location, CUmemAllocationType type) {
    return of_device(location, type) ? xs_cuDeviceGetDefaultMemPool(pool_out, location->id) : CUDA_ERROR_NOT_SUPPORTED;
}

CUresult xs_cuMemGetMemPool(CUmemoryPool *pool, CUmemLocation *location, CUmemAllocationType type) {
    return of_device(location, type) ? xs_cuDeviceGetMemPool(pool, location->id) : CUDA_ERROR_NOT_SUPPORTED;
}

CUresult xs_cuMemSetMemPool(CUmemLocation *location, CUmemAllocationType type, CUmemoryPool pool) {
    return of_device(location, type) ? xs_cuDeviceSetMemPool(location->id, pool) : CUDA_ERROR_NOT_SUPPORTED;
}
