/* Device memory: an address range of its own for every device, handed out first fit, and the count of what is in use.
 * The range is reserved without being backed, so that a device costs only the pages that a program touches. */
#include "sim.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define GRANULE ((size_t)512)
#define PAGE ((uintptr_t)4096)

struct extent {
    uintptr_t base;
    size_t size;
    struct extent *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    _Atomic uintptr_t base;
    _Atomic size_t span;
    size_t used;
    struct extent *free_extents; /* by address, never adjoining */
} devices[XS_MAX_DEVICES];

static bool reserve_locked(int device) {
    if (atomic_load(&devices[device].base) != 0)
        return true;
    /* The address space is twice the memory, so that no allocation fails because of fragments. */
    size_t span = (xs_config()->memory_bytes * 2 + PAGE - 1) & ~(size_t)(PAGE - 1);
    void *base = mmap(NULL, span, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    struct extent *all = malloc(sizeof(*all));
    if (base == MAP_FAILED || all == NULL) {
        free(all);
        return false;
    }
    *all = (struct extent){(uintptr_t)base, span, NULL};
    devices[device].free_extents = all;
    atomic_store(&devices[device].span, span);
    atomic_store(&devices[device].base, (uintptr_t)base);
    return true;
}

bool xs_is_device_address(uintptr_t address) {
    for (int i = 0; i < xs_config()->devices; i++) {
        uintptr_t base = atomic_load(&devices[i].base);
        if (base != 0 && address >= base && address - base < atomic_load(&devices[i].span))
            return true;
    }
    return false;
}

/* Cuts [start, start + size) out of the extent that *link points at. */
static bool cut(struct extent **link, uintptr_t start, size_t size) {
    struct extent *extent = *link;
    size_t before = start - extent->base, after = extent->size - before - size;
    if (before > 0 && after > 0) {
        struct extent *rest = malloc(sizeof(*rest));
        if (rest == NULL)
            return false;
        *rest = (struct extent){start + size, after, extent->next};
        extent->next = rest;
        extent->size = before;
    } else if (before > 0) {
        extent->size = before;
    } else if (after > 0) {
        extent->base = start + size;
        extent->size = after;
    } else {
        *link = extent->next;
        free(extent);
    }
    return true;
}

CUresult xs_device_take(int device, size_t bytes, size_t alignment, uintptr_t *address) {
    size_t size = (bytes + GRANULE - 1) & ~(GRANULE - 1);
    CUresult result = CUDA_ERROR_OUT_OF_MEMORY;
    if (size < bytes)
        return result;
    pthread_mutex_lock(&lock);
    if (reserve_locked(device) && size <= xs_config()->memory_bytes - devices[device].used) {
        for (struct extent **link = &devices[device].free_extents; *link != NULL; link = &(*link)->next) {
            uintptr_t start = ((*link)->base + alignment - 1) & ~(uintptr_t)(alignment - 1);
            if (start - (*link)->base > (*link)->size || (*link)->size - (start - (*link)->base) < size)
                continue;
            if (!cut(link, start, size))
                break;
            devices[device].used += size;
            *address = start;
            result = CUDA_SUCCESS;
            break;
        }
    }
    pthread_mutex_unlock(&lock);
    return result;
}

void xs_device_give(int device, uintptr_t address, size_t bytes) {
    size_t size = (bytes + GRANULE - 1) & ~(GRANULE - 1);
    uintptr_t first = (address + PAGE - 1) & ~(PAGE - 1), last = (address + size) & ~(PAGE - 1);
    if (last > first)
        madvise((void *)first, last - first, MADV_DONTNEED);
    struct extent *extent = malloc(sizeof(*extent));
    pthread_mutex_lock(&lock);
    devices[device].used -= size;
    if (extent != NULL) {
        struct extent **link = &devices[device].free_extents;
        struct extent *before = NULL;
        while (*link != NULL && (*link)->base < address) {
            before = *link;
            link = &(*link)->next;
        }
        *extent = (struct extent){address, size, *link};
        *link = extent;
        if (extent->next != NULL && address + size == extent->next->base) {
            struct extent *next = extent->next;
            extent->size += next->size;
            extent->next = next->next;
            free(next);
        }
        if (before != NULL && before->base + before->size == address) {
            before->size += extent->size;
            before->next = extent->next;
            free(extent);
        }
    }
    pthread_mutex_unlock(&lock);
}

/* Used for memory that lies elsewhere (cuMemCreate) but counts as memory of the device. */
bool xs_device_charge(int device, size_t bytes) {
    pthread_mutex_lock(&lock);
    bool fits = bytes <= xs_config()->memory_bytes - devices[device].used;
    if (fits)
        devices[device].used += bytes;
    pthread_mutex_unlock(&lock);
    return fits;
}

void xs_device_uncharge(int device, size_t bytes) {
    pthread_mutex_lock(&lock);
    devices[device].used -= bytes;
    pthread_mutex_unlock(&lock);
}

void xs_device_usage(int device, size_t *free_bytes, size_t *total_bytes) {
    pthread_mutex_lock(&lock);
    *total_bytes = xs_config()->memory_bytes;
    *free_bytes = *total_bytes - devices[device].used;
    pthread_mutex_unlock(&lock);
}

CUresult xs_allocate_device(struct CUctx_st *context, size_t bytes, enum xs_memory_kind kind, CUdeviceptr *out) {
    uintptr_t address;
    CUresult result = xs_device_take(context->device, bytes, bytes >= (1u << 21) ? 1u << 21 : GRANULE, &address);
    if (result != CUDA_SUCCESS)
        return result;
    struct xs_allocation allocation = {.base = address,
                                       .size = bytes,
                                       .kind = kind,
                                       .device = context->device,
                                       .context = context,
                                       .id = xs_next_id(),
                                       .preferred = -2};
    if (xs_map_add(&allocation) != 0) {
        xs_device_give(context->device, address, bytes);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *out = address;
    if (kind != XS_ARRAY)
        xs_report_memory(&allocation, 1, 0, false);
    return CUDA_SUCCESS;
}

/* Gives back what lies behind an allocation that has left the map. */
void xs_release_allocation(const struct xs_allocation *allocation) {
    if (allocation->pool != NULL) {
        xs_pool_take_back(allocation);
        return;
    }
    if (allocation->mapping != NULL || allocation->kind == XS_REGISTERED || allocation->imported)
        return;
    if (allocation->kind != XS_ARRAY)
        xs_report_memory(allocation, 2, 0, false);
    switch (allocation->kind) {
    case XS_DEVICE:
    case XS_ARRAY:
    case XS_STATIC:
        if (allocation->device >= 0 && xs_is_device_address(allocation->base)) {
            xs_device_give(allocation->device, allocation->base, allocation->size);
            break;
        }
        /* fall through */
    case XS_PINNED:
    case XS_MANAGED:
        munmap((void *)allocation->base, (allocation->size + PAGE - 1) & ~(size_t)(PAGE - 1));
        free(allocation->blocks);
        break;
    case XS_PAGEABLE:
    case XS_REGISTERED:
        break;
    }
}
