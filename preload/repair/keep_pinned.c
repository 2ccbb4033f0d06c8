/* The repair keep-pinned: page-locked memory that the program frees is used for its next allocation of the same size by
 * the same function with the same flags (keep.h has the rules).
 *
 * Registered memory (cuMemHostRegister) is not kept registered. It is the program's memory. After the program has
 * unregistered it, the program may unmap it and map other pages there at any time, inside of its C library and by
 * system calls that the library does not see. If the registration still existed then, the device could write to pages
 * that no longer belong to the program. */
#include "preload/repair/keep.h"

/* Below this size the time that the driver takes hardly depends on the size, so the small block would take as long. */
#define LEAST_BYTES ((size_t)64 << 10)

#define HOW_ALLOC UINT32_MAX /* means cuMemAllocHost; any other value: the flags of cuMemHostAlloc */

static __typeof__(&cuMemAllocHost_v2) real_alloc;
static __typeof__(&cuMemHostAlloc) real_alloc_flags;
static __typeof__(&cuMemFreeHost) real_free;

// NOLINTNEXTLINE(performance-no-int-to-ptr): the table has addresses
static CUresult release(uint64_t address) { return real_free((void *)(uintptr_t)address); }

static CUresult make(uint32_t how, CUdeviceptr *address, size_t bytes) {
    void *p = (void *)(uintptr_t)*address; // NOLINT(performance-no-int-to-ptr): as above
    CUresult result = how == HOW_ALLOC ? real_alloc(&p, bytes) : real_alloc_flags(&p, bytes, how);
    *address = (uintptr_t)p;
    return result;
}

static struct xs_kept kept = XS_KEPT_INITIALIZER;
static const struct xs_keeper keeper = {
    .repair = XS_REPAIR_KEEP_PINNED,
    .least_bytes = LEAST_BYTES,
    .kept = &kept,
    .release = release,
    .make = make,
};

static CUresult allocate(uint32_t how, void **out, size_t bytes) {
    CUdeviceptr address = (uintptr_t)*out; /* remains what it is if the allocation fails */
    CUresult result = xs_keep_allocate(&keeper, how, &address, bytes);
    *out = (void *)(uintptr_t)address; // NOLINT(performance-no-int-to-ptr): as above
    return result;
}

static CUresult CUDAAPI alloc(void **out, size_t bytes) {
    return out ? allocate(HOW_ALLOC, out, bytes) : real_alloc(out, bytes);
}

static CUresult CUDAAPI alloc_flags(void **out, size_t bytes, unsigned flags) {
    return out && flags != HOW_ALLOC ? allocate(flags, out, bytes) : real_alloc_flags(out, bytes, flags);
}

static CUresult CUDAAPI free_host(void *p) {
    return xs_keep_is_off() || !p ? real_free(p) : xs_keep_free(&keeper, (uint64_t)(uintptr_t)p);
}

static bool start(const char **why) {
    bool has_functions = xs_beneath(cuMemAllocHost_v2) && xs_beneath(cuMemHostAlloc) && xs_beneath(cuMemFreeHost);
    if (!xs_keep_can_start(has_functions, why))
        return false;
    real_free = XS_PUT_BENEATH(cuMemFreeHost, free_host);
    real_alloc = XS_PUT_BENEATH(cuMemAllocHost_v2, alloc);
    real_alloc_flags = XS_PUT_BENEATH(cuMemHostAlloc, alloc_flags);
    return true;
}

static void after(const struct xs_repair_call *call) { xs_keep_saw(&keeper, call); }
static bool give_back(void) { return xs_keep_give_back(&keeper, -1); }

const struct xs_repair_hooks xs_repair_keep_pinned = {.start = start, .after = after, .give_back = give_back};
