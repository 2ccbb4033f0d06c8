/* Finds the offsets at which a function's parameters may hold pointers. From CUDA 12.4 on the driver gives this
 * information; it is asked once per function.
 *
 * Functions are found by their handle in a hash table under a sequence lock. After a module was unloaded, its handles
 * may be reused for other functions. So the table is emptied whenever a module is unloaded, and also when it is full.
 * The layouts themselves are kept, because a launch may be using one. There are few of them, because functions with the
 * same parameters share a layout. */
#include <stdatomic.h>
#include <string.h>

#include "preload/capture/arguments.h"
#include "preload/core/alternate_stack.h"
#include "preload/core/lock.h"
#include "preload/core/mix.h"
#include "preload/core/notes.h"
#include "preload/driver/real.h"

#define SLOTS 8192u
#define MOST_FUNCTIONS (SLOTS / 2)
#define MOST_POSITIONS 1024u /* 8 KiB of parameters; the classic limit of CUDA is 4 KiB */
#define LAYOUT_BYTES (256u * 1024u)
#define CHAINS 256u

#define LOAD(x) atomic_load_explicit(&(x), memory_order_relaxed)
#define STORE(x, v) atomic_store_explicit(&(x), (v), memory_order_relaxed)

static _Atomic uint64_t generation; /* odd while the table is being emptied */
static struct {
    _Atomic uintptr_t function; /* 0: free */
    _Atomic(const struct xs_layout *) layout;
} slots[SLOTS];
static uint32_t function_count;
static const struct xs_layout *chains[CHAINS];
static char layouts[LAYOUT_BYTES] __attribute__((aligned(8)));
static uint32_t layout_bytes_used;
static const struct xs_layout unknown; /* for a function about which the driver gives no information */
static _Atomic bool nothing_known;     /* the driver gives no information about any function */
static struct xs_lock layouts_lock = XS_LOCK_INITIALIZER;

static uint32_t slot_of(uintptr_t function) {
    return (uint32_t)((function * UINT64_C(0x9e3779b97f4a7c15)) >> 32) % SLOTS;
}

/* A layout under construction. */
struct draft {
    uint32_t count;
    struct xs_pointer_position positions[MOST_POSITIONS];
};

/* Adds the possible pointers of a parameter. A pointer lies at a multiple of eight bytes, both within the parameter and
 * within all parameters. If the parameter's size or offset is not a multiple of eight, it can contain pointers only if
 * it is a packed structure; then all offsets that its size and offset allow are possible. False: there are too many. */
static bool add_parameter(struct draft *d, size_t index, size_t offset, size_t bytes) {
    size_t step = 8;
    while ((offset | bytes) % step != 0)
        step /= 2;
    for (size_t at = 0; at + sizeof(uint64_t) <= bytes; at += step) {
        if (d->count == MOST_POSITIONS || index > UINT16_MAX || offset + at > UINT16_MAX)
            return false;
        d->positions[d->count++] = (struct xs_pointer_position){(uint16_t)index, (uint16_t)at, (uint16_t)(offset + at)};
    }
    return true;
}

/* Asks the driver about one parameter. cuLaunchKernel also accepts a CUkernel as a CUfunction, and newer runtimes pass
 * one; other functions report an invalid handle for it. For the index after the last parameter the driver returns
 * CUDA_ERROR_INVALID_VALUE. */
static CUresult ask(CUfunction function, bool as_kernel, size_t index, size_t *offset, size_t *bytes) {
    __typeof__(&cuFuncGetParamInfo) of_function = xs_driver(cuFuncGetParamInfo);
    __typeof__(&cuKernelGetParamInfo) of_kernel = xs_driver(cuKernelGetParamInfo);
    if (as_kernel)
        return of_kernel ? of_kernel((CUkernel)function, index, offset, bytes) : CUDA_ERROR_NOT_SUPPORTED;
    return of_function ? of_function(function, index, offset, bytes) : CUDA_ERROR_NOT_SUPPORTED;
}

/* Asks the driver about all parameters. CUDA_ERROR_OUT_OF_MEMORY: there are too many. */
static CUresult ask_all(struct draft *d, CUfunction function) {
    size_t offset = 0, bytes = 0;
    d->count = 0;
    CUresult r = ask(function, false, 0, &offset, &bytes);
    bool as_kernel = r == CUDA_ERROR_INVALID_HANDLE;
    if (as_kernel)
        r = ask(function, true, 0, &offset, &bytes);
    for (size_t i = 0; r == CUDA_SUCCESS;) {
        if (!add_parameter(d, i, offset, bytes))
            return CUDA_ERROR_OUT_OF_MEMORY;
        r = ask(function, as_kernel, ++i, &offset, &bytes);
    }
    return r == CUDA_ERROR_INVALID_VALUE ? CUDA_SUCCESS : r;
}

static uint32_t hash_of(const struct draft *d) {
    uint64_t h = d->count;
    for (uint32_t i = 0; i < d->count; i++) {
        uint64_t position = (uint64_t)d->positions[i].parameter << 32 | (uint32_t)d->positions[i].offset << 16;
        h = xs_mix_word(h, position | d->positions[i].packed);
    }
    return (uint32_t)h;
}

/* Returns the layout with these offsets. Makes a new one if there is none yet and there is space. The caller holds the
 * lock. */
static const struct xs_layout *shared(const struct draft *d) {
    uint32_t hash = hash_of(d);
    size_t positions_bytes = d->count * sizeof d->positions[0];
    for (const struct xs_layout *l = chains[hash % CHAINS]; l; l = l->next)
        if (l->hash == hash && l->count == d->count && memcmp(l->positions, d->positions, positions_bytes) == 0)
            return l;
    size_t bytes = (sizeof(struct xs_layout) + positions_bytes + 7) / 8 * 8;
    if (bytes > LAYOUT_BYTES - layout_bytes_used) {
        xs_note("arguments", "not seen of some kernels: too many kinds of parameter lists");
        return &unknown;
    }
    struct xs_layout *fresh = (struct xs_layout *)(void *)(layouts + layout_bytes_used);
    *fresh = (struct xs_layout){.next = chains[hash % CHAINS], .hash = hash, .count = d->count};
    memcpy(fresh->positions, d->positions, positions_bytes);
    chains[hash % CHAINS] = fresh;
    layout_bytes_used += (uint32_t)bytes;
    return fresh;
}

static void drop_locked(void) {
    STORE(generation, LOAD(generation) | 1);
    atomic_thread_fence(memory_order_release);
    for (uint32_t s = 0; s < SLOTS && function_count > 0; s++)
        STORE(slots[s].function, 0);
    function_count = 0;
    atomic_store_explicit(&generation, LOAD(generation) + 1, memory_order_release);
}

static void remember(uintptr_t function, const struct xs_layout *layout) {
    if (function_count == MOST_FUNCTIONS)
        drop_locked();
    uint32_t s = slot_of(function);
    for (uintptr_t taken = LOAD(slots[s].function); taken != 0; taken = LOAD(slots[s].function)) {
        if (taken == function)
            return; /* another thread was faster */
        s = (s + 1) % SLOTS;
    }
    STORE(slots[s].layout, layout);
    atomic_store_explicit(&slots[s].function, function, memory_order_release);
    function_count++;
}

struct learning {
    CUfunction function;
    const struct xs_layout *layout;
};

/* The lock is not held while the driver is asked, because it is not known what the driver does meanwhile. If a module
 * was unloaded after the question, the answer is not stored. */
static void learn_on_scratch(void *arg) {
    struct learning *learning = arg;
    CUfunction function = learning->function;
    struct draft draft;
    uint64_t before = atomic_load_explicit(&generation, memory_order_acquire);
    CUresult r = ask_all(&draft, function);
    if (r == CUDA_ERROR_NOT_SUPPORTED) {
        STORE(nothing_known, true);
        xs_note("arguments", "not seen: this driver does not tell the parameters of kernels (CUDA 12.4 does)");
    } else if (r == CUDA_ERROR_OUT_OF_MEMORY) {
        xs_note("arguments", "not seen of kernels with more than %u words of parameters", MOST_POSITIONS);
    }
    if (r != CUDA_SUCCESS && r != CUDA_ERROR_OUT_OF_MEMORY)
        return;
    xs_lock(&layouts_lock);
    learning->layout = r == CUDA_SUCCESS ? shared(&draft) : &unknown;
    if (LOAD(generation) == before)
        remember((uintptr_t)function, learning->layout);
    xs_unlock(&layouts_lock);
}

static __attribute__((noinline)) const struct xs_layout *learn(CUfunction function) {
    struct learning learning = {function, NULL};
    if (function && !LOAD(nothing_known))
        xs_on_scratch(learn_on_scratch, &learning);
    return learning.layout;
}

const struct xs_layout *xs_layout_of(CUfunction function) {
    const struct xs_layout *layout = NULL;
    uint64_t before = atomic_load_explicit(&generation, memory_order_acquire);
    for (uint32_t i = 0, s = slot_of((uintptr_t)function); i < SLOTS; i++, s = (s + 1) % SLOTS) {
        uintptr_t there = atomic_load_explicit(&slots[s].function, memory_order_acquire);
        if (there == 0)
            break;
        if (there == (uintptr_t)function) {
            layout = atomic_load_explicit(&slots[s].layout, memory_order_acquire);
            break;
        }
    }
    atomic_thread_fence(memory_order_acquire);
    if (XS_UNLIKELY(!layout || before & 1 || LOAD(generation) != before))
        layout = learn(function);
    return XS_LIKELY(layout != &unknown) ? layout : NULL;
}

void xs_layouts_drop(void) {
    xs_lock(&layouts_lock);
    drop_locked();
    xs_unlock(&layouts_lock);
}

void xs_layouts_forget(void) {
    xs_lock_forget(&layouts_lock);
    drop_locked();
}
