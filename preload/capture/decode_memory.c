/* Decodes allocations and frees: updates the map of memory ranges, and gives every allocation a number. */
#include <stdatomic.h>

#include "preload/capture/decode.h"
#include "preload/cupti/flusher.h"
#include "preload/driver/real.h"
#include "preload/fingerprint/fingerprint.h"

static _Atomic uint32_t allocation_count;

size_t xs_range_bytes(CUdeviceptr p) {
    CUdeviceptr base;
    size_t bytes = 0;
    __typeof__(&cuMemGetAddressRange_v2) get_range = xs_driver(cuMemGetAddressRange_v2);
    return get_range && get_range(&base, &bytes, p) == CUDA_SUCCESS ? bytes : 0;
}

size_t xs_sum_of_sizes(const size_t *sizes, size_t count) {
    size_t sum = 0;
    for (size_t i = 0; sizes && i < count; i++)
        sum += sizes[i];
    return sum;
}

int64_t xs_location(const CUmemLocation *location) {
    switch (location->type) {
    case CU_MEM_LOCATION_TYPE_DEVICE:
        return location->id;
    case CU_MEM_LOCATION_TYPE_HOST_NUMA:
        return -2 - location->id;
    default:
        return -1;
    }
}

void xs_decode_ask(struct xs_event *e, size_t bytes) {
    e->kind = XS_EVENT_ALLOC;
    e->alloc.bytes = bytes;
    e->alloc.device = -1;
    xs_decode_context(e);
}

static void put_allocation(struct xs_event *e, struct xs_memory_range *range) {
    range->id = atomic_fetch_add_explicit(&allocation_count, 1, memory_order_relaxed) + 1;
    range->context = e->context;
    e->alloc = (struct xs_event_alloc){.address = range->start,
                                       .bytes = range->bytes,
                                       .id = range->id,
                                       .kind = range->kind,
                                       .origin = range->origin,
                                       .device = range->device};
    xs_map_insert(range);
}

/* Returns the device of a pool's memory. It need not be the current device, and a kernel on the current device must not
 * treat the memory as its own. */
static int8_t device_of_pool_memory(uint64_t address) {
    int device = -1;
    __typeof__(&cuPointerGetAttribute) ask = xs_driver(cuPointerGetAttribute);
    bool known = ask && ask(&device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, address) == CUDA_SUCCESS;
    return known ? (int8_t)device : (int8_t)-1;
}

void xs_decode_allocated(struct xs_event *e, uint64_t address, uint64_t bytes, enum xs_memory_kind kind,
                         enum xs_origin origin) {
    int8_t device;
    e->context = XS_WORD(xs_context_current(&device));
    if (origin == XS_ORIGIN_POOL)
        device = device_of_pool_memory(address);
    struct xs_memory_range range = {.start = address,
                                    .end = address + (bytes ? bytes : 1),
                                    .bytes = bytes,
                                    .kind = (uint8_t)kind,
                                    .origin = (uint8_t)origin,
                                    .device = kind == XS_MEM_DEVICE || kind == XS_MEM_MANAGED ? device : (int8_t)-1};
    put_allocation(e, &range);
    if (kind == XS_MEM_MANAGED)
        xs_flusher_managed_memory();
}

void xs_decode_page_locked(struct xs_event *e, uint64_t address, uint64_t bytes, enum xs_memory_kind kind,
                           bool slow_to_read) {
    xs_decode_context(e);
    struct xs_memory_range range = {.start = address,
                                    .end = address + (bytes ? bytes : 1),
                                    .bytes = bytes,
                                    .kind = (uint8_t)kind,
                                    .origin = XS_ORIGIN_ALLOC,
                                    .device = -1,
                                    .slow_to_read = slow_to_read};
    put_allocation(e, &range);
}

void xs_decode_mapped(struct xs_event *e, CUdeviceptr p, size_t bytes, CUmemGenericAllocationHandle handle) {
    struct xs_memory_range range = {
        .start = p, .end = p + bytes, .bytes = bytes, .origin = XS_ORIGIN_VMM, .device = -1};
    CUmemAllocationProp prop = {0};
    __typeof__(&cuMemGetAllocationPropertiesFromHandle) get_prop = xs_driver(cuMemGetAllocationPropertiesFromHandle);
    if (get_prop && get_prop(&prop, handle) == CUDA_SUCCESS && prop.location.type == CU_MEM_LOCATION_TYPE_DEVICE)
        range.device = (int8_t)prop.location.id;
    bool on_host = get_prop && prop.location.type != CU_MEM_LOCATION_TYPE_DEVICE &&
                   prop.location.type != CU_MEM_LOCATION_TYPE_INVALID;
    range.kind = on_host ? XS_MEM_PINNED : XS_MEM_DEVICE;
    put_allocation(e, &range);
}

static unsigned format_bytes(unsigned format) {
    switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT8:
        return 1;
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_HALF:
        return 2;
    case CU_AD_FORMAT_UNSIGNED_INT32:
    case CU_AD_FORMAT_SIGNED_INT32:
    case CU_AD_FORMAT_FLOAT:
        return 4;
    default:
        return 0; /* block-compressed and video formats: their size is not a multiple of an element's */
    }
}

void xs_decode_array(struct xs_event *e, uint64_t handle, size_t width, size_t height, size_t depth, unsigned format,
                     unsigned channels) {
    int8_t device;
    unsigned element = format_bytes(format) * channels;
    e->context = XS_WORD(xs_context_current(&device));
    struct xs_memory_range range = {.start = handle,
                                    .end = handle + 1,
                                    .bytes = (uint64_t)width * (height ? height : 1) * (depth ? depth : 1) * element,
                                    .kind = XS_MEM_ARRAY,
                                    .origin = XS_ORIGIN_ALLOC,
                                    .device = device,
                                    .element_bytes = (uint8_t)element};
    put_allocation(e, &range);
}

/* Runs before the real call, because after that call another thread may already have got the address. */
void xs_decode_free(struct xs_event *e, uint64_t address, struct xs_memory_range *range) {
    e->kind = XS_EVENT_FREE;
    e->alloc.address = address;
    e->alloc.device = -1;
    xs_decode_context(e);
    *range = (struct xs_memory_range){0};
    if (address != 0 && xs_map_remove(address, range)) {
        e->alloc.id = range->id;
        e->alloc.bytes = range->bytes;
    }
}

void xs_decode_free_failed(const struct xs_memory_range *range) {
    if (range->id)
        xs_map_insert(range);
}

/* Changes `e` into the event for the end of `range`. If the same call ends another range, another event is needed. */
static void put_free(struct xs_event *e, const struct xs_memory_range *range) {
    e->kind = XS_EVENT_FREE;
    e->alloc = (struct xs_event_alloc){.address = range->start, .bytes = range->bytes, .id = range->id, .device = -1};
}

struct xs_event *xs_decode_unmapped(struct xs_event *e, CUresult r, CUdeviceptr p, size_t bytes) {
    struct xs_memory_range range;
    xs_decode_context(e);
    e->result = (int32_t)r;
    if (r != CUDA_SUCCESS || !xs_map_remove_within(p, p + bytes, &range))
        return e;
    put_free(e, &range);
    while (xs_map_remove_within(p, p + bytes, &range)) {
        e = xs_another(e);
        put_free(e, &range);
    }
    return e;
}

/* Records the address of a variable. Programs look up the same variable again and again, so only the first look-up is
 * recorded. */
struct xs_event *xs_decode_looked_up(struct xs_event *e, CUresult r, const CUdeviceptr *out, const size_t *bytes,
                                     enum xs_memory_kind kind) {
    struct xs_memory_range range;
    if (r != CUDA_SUCCESS || !out || !bytes || (xs_map_find(*out, &range) && range.origin == XS_ORIGIN_MODULE))
        return NULL;
    xs_decode_allocated(e, *out, *bytes, kind, XS_ORIGIN_MODULE);
    return e;
}

/* True if the range ends with the context. These are the context's own memory, and memory of pools and modules on its
 * device. Mappings and imports still exist afterwards. */
static bool goes_with_context(const struct xs_memory_range *range, const void *arg) {
    if (range->origin == XS_ORIGIN_VMM || range->origin == XS_ORIGIN_EXTERNAL)
        return false;
    return range->context == *(const uint64_t *)arg;
}

/* True if the range is a variable that the driver no longer knows. */
static bool goes_with_module(const struct xs_memory_range *range, const void *arg) {
    unsigned type = 0;
    __typeof__(&cuPointerGetAttribute) ask = xs_driver(cuPointerGetAttribute);
    (void)arg;
    return range->origin == XS_ORIGIN_MODULE && ask &&
           ask(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, range->start) != CUDA_SUCCESS;
}

/* Records the end of all ranges for which `goes` returns true, after the event of the call itself. */
static struct xs_event *
put_frees(struct xs_event *e, bool (*goes)(const struct xs_memory_range *range, const void *arg), uint64_t context) {
    struct xs_memory_range range;
    while (xs_map_remove_if(goes, &context, &range)) {
        e = xs_another(e);
        e->flags |= XS_FLAG_IMPLICIT;
        put_free(e, &range);
    }
    return e;
}

struct xs_event *xs_decode_variables_gone(struct xs_event *e, CUresult r) {
    e->result = (int32_t)r;
    return r == CUDA_SUCCESS ? put_frees(e, goes_with_module, e->context) : e;
}

struct xs_event *xs_decode_context_gone(struct xs_event *e, CUresult r, CUcontext context) {
    e->result = (int32_t)r;
    if (r != CUDA_SUCCESS || !context)
        return e;
    e = put_frees(e, goes_with_context, XS_WORD(context));
    bool was_last = xs_context_drop(context);
    xs_captures_end_with(XS_WORD(context), was_last);
    xs_device_context_gone(context);
    xs_fingerprint_context_gone(XS_WORD(context));
    return e;
}

struct xs_event *xs_decode_primary_released(struct xs_event *e, CUresult r, CUdevice device) {
    unsigned flags;
    int active = 1;
    __typeof__(&cuDevicePrimaryCtxGetState) get_state = xs_driver(cuDevicePrimaryCtxGetState);
    bool gone = r == CUDA_SUCCESS && get_state && get_state(device, &flags, &active) == CUDA_SUCCESS && !active;
    return gone ? xs_decode_context_gone(e, r, xs_context_primary(device)) : e;
}
