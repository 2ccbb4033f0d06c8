/* The repair keep-allocations: device memory that the program frees is used for its next allocation of the same size
 * (keep.h has the rules). It handles memory of cuMemAlloc and cuMemAllocPitch only, because the driver itself keeps the
 * memory of pools.
 *
 * Memory that was shared with another process or device (IPC, an export, synchronous memory operations for a network
 * adapter) is really freed. Memory that peers can access is kept, because peer access of a context applies to all its
 * memory, kept or new.
 *
 * A program may adapt its allocations to the free memory that cuMemGetInfo reports. The repair adds the idle memory to
 * this number, so the number is the same as without the repair, except for small blocks and rounded sizes. */
#include "preload/driver/real.h"
#include "preload/repair/keep.h"

/* The driver cuts smaller allocations out of chunks of 2 MiB, so they cost no more than the small blocks of keep.h. */
#define LEAST_BYTES ((size_t)1 << 20)

#define HOW_LINEAR 0u /* any other value: the element size that cuMemAllocPitch was given */

static __typeof__(&cuMemAlloc_v2) real_alloc;
static __typeof__(&cuMemAllocPitch_v2) real_alloc_pitch;
static __typeof__(&cuMemFree_v2) real_free;
static __typeof__(&cuIpcGetMemHandle) real_ipc_handle;
static __typeof__(&cuMemGetHandleForAddressRange) real_range_handle;
static __typeof__(&cuPointerSetAttribute) real_set_attribute;
static __typeof__(&cuMemGetInfo_v2) real_info;

static CUresult release(uint64_t address) { return real_free(address); }
static CUresult make(uint32_t how, CUdeviceptr *address, size_t bytes) {
    (void)how;
    return real_alloc(address, bytes);
}

static struct xs_kept kept = XS_KEPT_INITIALIZER;
static const struct xs_keeper keeper = {
    .repair = XS_REPAIR_KEEP_ALLOCATIONS,
    .least_bytes = LEAST_BYTES,
    .kept = &kept,
    .release = release,
    .make = make,
};

static CUresult CUDAAPI alloc(CUdeviceptr *out, size_t bytes) {
    return out ? xs_keep_allocate(&keeper, HOW_LINEAR, out, bytes) : real_alloc(out, bytes);
}

/* Allocates with a pitch. The size is known only after the driver has chosen the pitch. */
static CUresult CUDAAPI alloc_pitch(CUdeviceptr *out, size_t *pitch, size_t width, size_t height, unsigned element) {
    struct xs_kept_key key;
    struct xs_kept_block block;
    CUresult result;
    if (xs_keep_is_off() || !out || !pitch || !height || !xs_keep_key(&key, width, height, element))
        return real_alloc_pitch(out, pitch, width, height, element);
    if (xs_keep_serve(&keeper, &key, &block, &result)) {
        if (result == CUDA_SUCCESS) {
            *out = block.address;
            *pitch = block.pitch;
        }
        return result;
    }
    result = real_alloc_pitch(out, pitch, width, height, element);
    if (result == CUDA_SUCCESS && xs_keep_wants(&keeper, *pitch * height))
        xs_keep_lend(&keeper, &key, *out, *pitch * height, *pitch);
    return result;
}

static CUresult CUDAAPI free_device(CUdeviceptr p) {
    return xs_keep_is_off() || !p ? real_free(p) : xs_keep_free(&keeper, p);
}

static CUresult CUDAAPI ipc_handle(CUipcMemHandle *handle, CUdeviceptr p) {
    xs_keep_hand_out(&keeper, p);
    return real_ipc_handle(handle, p);
}

static CUresult CUDAAPI range_handle(void *handle, CUdeviceptr p, size_t bytes, CUmemRangeHandleType type,
                                     unsigned long long flags) {
    xs_keep_hand_out(&keeper, p);
    return real_range_handle(handle, p, bytes, type, flags);
}

static CUresult CUDAAPI set_attribute(const void *value, CUpointer_attribute attribute, CUdeviceptr p) {
    xs_keep_hand_out(&keeper, p);
    return real_set_attribute(value, attribute, p);
}

static CUresult CUDAAPI info(size_t *free_bytes, size_t *total) {
    CUresult result = real_info(free_bytes, total);
    if (result == CUDA_SUCCESS && free_bytes && !xs_keep_is_off()) {
        size_t idle = xs_kept_idle_bytes(&kept, xs_keep_device());
        *free_bytes = total && *total - *free_bytes < idle ? *total : *free_bytes + idle;
    }
    return result;
}

static bool start(const char **why) {
    if (!xs_keep_can_start(xs_beneath(cuMemAlloc_v2) && xs_beneath(cuMemFree_v2), why))
        return false;
    real_ipc_handle = XS_PUT_BENEATH(cuIpcGetMemHandle, ipc_handle);
    real_range_handle = XS_PUT_BENEATH(cuMemGetHandleForAddressRange, range_handle);
    real_set_attribute = XS_PUT_BENEATH(cuPointerSetAttribute, set_attribute);
    real_info = (__typeof__(real_info))xs_real_gated[XS_GATED_cuMemGetInfo_v2];
    xs_real_replace(XS_ROW_COUNT + XS_GATED_cuMemGetInfo_v2, (void *)info);
    real_free = XS_PUT_BENEATH(cuMemFree_v2, free_device);
    real_alloc_pitch = XS_PUT_BENEATH(cuMemAllocPitch_v2, alloc_pitch);
    real_alloc = XS_PUT_BENEATH(cuMemAlloc_v2, alloc);
    return true;
}

static void after(const struct xs_repair_call *call) { xs_keep_saw(&keeper, call); }
static bool give_back(void) { return xs_keep_give_back(&keeper, xs_keep_device()); }

const struct xs_repair_hooks xs_repair_keep_allocations = {.start = start, .after = after, .give_back = give_back};
