/* Makes fingerprinters, and ends them when a context is destroyed or when the application needs their memory. */
#include "preload/fingerprint/fingerprinter.h"

#include <string.h>
#include <sys/mman.h>

#include "preload/core/alternate_stack.h"
#include "preload/core/compiler.h"
#include "preload/core/futex.h"
#include "preload/core/notes.h"
#include "preload/core/thread.h"
#include "preload/cupti/cupti.h"
#include "preload/driver/capture_mode.h"
#include "preload/driver/real.h"
#include "preload/fingerprint/fingerprint_device.h"

#define CONTEXTS 32
#define ZERO_PATIENCE_NS UINT64_C(2000000000)
/* The application's work before the kernels may take long, and without the memory its allocation fails. If a wait was
 * in vain, that work may be waiting for the calling thread, so later waits are short. */
#define GIVE_BACK_PATIENCE_MS 2000u
#define IN_VAIN_PATIENCE_MS 100u

static struct xs_fingerprinter *table[CONTEXTS];
static _Atomic unsigned table_count; /* never decreases, because the drain thread reads the table without a lock */
static struct xs_lock table_lock = XS_LOCK_INITIALIZER;
static _Atomic uint64_t start_ns;
static XS_TLS struct xs_fingerprinter *latest;

uint64_t xs_fingerprinter_start_ns(void) { return atomic_load(&start_ns); }

struct xs_fingerprinter *xs_fingerprinter_at(unsigned i) {
    return i < atomic_load_explicit(&table_count, memory_order_acquire) ? table[i] : NULL;
}

/* ---- making one ---- */

/* Zeroes memory in a separate stream, so that the application's streams do not wait for each other. Polls instead of
 * calling a wait function, because CUPTI would record that call. */
static bool zero(CUdeviceptr address, size_t bytes) {
    CUstream stream = NULL;
    __typeof__(&cuStreamQuery) query = xs_real_row(cuStreamQuery);
    if (!query || xs_real_row(cuStreamCreate)(&stream, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS)
        return false;
    xs_cupti_correlation = 0;
    CUresult r = xs_real_row(cuMemsetD8Async)(address, 0, bytes, stream);
    xs_cupti_own_call(xs_cupti_correlation);
    uint64_t deadline = xs_monotonic_ns() + ZERO_PATIENCE_NS;
    for (; r == CUDA_SUCCESS && (r = query(stream)) == CUDA_ERROR_NOT_READY && xs_monotonic_ns() < deadline;)
        r = CUDA_SUCCESS;
    xs_real_row(cuStreamDestroy_v2)(stream);
    return r == CUDA_SUCCESS;
}

/* Allocates the memory. If this fails half-way, the memory is not freed, because a free could wait for a kernel that
 * never ends. */
static enum xs_fingerprint_skip take_memory(struct xs_fingerprinter *f) {
    __typeof__(&cuMemHostGetDevicePointer_v2) device_pointer = xs_driver(cuMemHostGetDevicePointer_v2);
    void *ring = (void *)f->results.slots;
    bool taken =
        device_pointer &&
        xs_real_row(cuMemHostRegister_v2)(ring, XS_RESULTS_BYTES, CU_MEMHOSTREGISTER_DEVICEMAP) == CUDA_SUCCESS &&
        device_pointer(&f->results_at, ring, 0) == CUDA_SUCCESS &&
        xs_real_row(cuMemAlloc_v2)(&f->memory, XS_SCRATCH_BYTES + XS_TICKET_BYTES) == CUDA_SUCCESS &&
        zero(f->memory, XS_TICKET_BYTES);
    return taken ? XS_SKIP_NONE : XS_SKIP_NO_MEMORY;
}

/* Finds the highest priority, which the fingerprint kernel gets. When kernels of other streams keep the device busy, a
 * copy does not wait for them; with this priority, the fingerprint kernel does not make it wait either. */
static void learn_priority(struct xs_fingerprinter *f) {
    int least = 0, greatest = 0;
    __typeof__(&cuCtxGetStreamPriorityRange) range = xs_driver(cuCtxGetStreamPriorityRange);
    if (range && xs_real_row(cuLaunchKernelEx) && range(&least, &greatest) == CUDA_SUCCESS && greatest < least) {
        f->priority = greatest;
        f->has_priority = true;
    }
}

static bool load_image(__typeof__(&cuModuleLoadData) load, CUmodule *module) {
    return (xs_fingerprint_fatbin_bytes && load(module, xs_fingerprint_fatbin) == CUDA_SUCCESS) ||
           (xs_fingerprint_ptx[0] && load(module, xs_fingerprint_ptx) == CUDA_SUCCESS);
}

static enum xs_fingerprint_skip load_kernel(struct xs_fingerprinter *f) {
    CUmodule module;
    __typeof__(&cuModuleLoadData) load = xs_driver(cuModuleLoadData);
    __typeof__(&cuModuleGetFunction) get = xs_driver(cuModuleGetFunction);
    __typeof__(&cuFuncLoad) load_function = xs_driver(cuFuncLoad);
    if (!load || !get || !xs_real_row(cuLaunchKernel) || !load_image(load, &module) ||
        get(&f->kernel, module, XS_FINGERPRINT_KERNEL) != CUDA_SUCCESS)
        return XS_SKIP_NO_KERNEL;
    if (load_function)
        load_function(f->kernel); /* loaded now, because the first launch may come at a time when loading would wait for
                                     other work */
    learn_priority(f);
    return XS_SKIP_NONE;
}

/* Loads the kernel and allocates the memory. Relaxes the capture mode of the calling thread, so that this does not end
 * a stream capture of another thread. */
static enum xs_fingerprint_skip make(struct xs_fingerprinter *f) {
    uint64_t began = xs_monotonic_ns();
    uint32_t correlation = xs_cupti_correlation;
    struct xs_capture_mode mode = xs_capture_mode_relax();
    enum xs_fingerprint_skip skip = load_kernel(f);
    skip = skip == XS_SKIP_NONE ? take_memory(f) : skip;
    xs_capture_mode_restore(mode);
    xs_cupti_correlation = correlation;
    atomic_fetch_add(&start_ns, xs_monotonic_ns() - began);
    if (skip == XS_SKIP_NO_MEMORY)
        xs_note("fingerprint", "no device memory for fingerprints; copies that only the device could see have none");
    else if (skip == XS_SKIP_NO_KERNEL)
        xs_note("fingerprint",
                "the driver did not load the fingerprint kernel; copies that only the device could see have none");
    return skip;
}

/* Returns an entry for a new context: the entry of a destroyed context, or a new one. NULL: there is no room, or no
 * memory. */
static struct xs_fingerprinter *new_slot(void) {
    unsigned n = atomic_load(&table_count);
    for (unsigned i = 0; i < n; i++)
        if (atomic_load(&table[i]->context) == 0)
            return table[i];
    struct xs_fingerprinter *f =
        n == CONTEXTS ? MAP_FAILED : mmap(NULL, sizeof *f, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (f == MAP_FAILED)
        return NULL;
    if (!xs_results_make(&f->results)) {
        munmap(f, sizeof *f);
        return NULL;
    }
    xs_open_lock_make(&f->lock);
    table[n] = f;
    atomic_store(&table_count, n + 1);
    return f;
}

struct xs_fingerprinter *xs_fingerprinter_find(CUcontext context) {
    struct xs_fingerprinter *f;
    for (unsigned i = 0; context && (f = xs_fingerprinter_at(i)) != NULL; i++)
        if (atomic_load_explicit(&f->context, memory_order_acquire) == (uintptr_t)context)
            return f;
    return NULL;
}

static struct xs_fingerprinter *make_locked(CUcontext context) {
    struct xs_fingerprinter *f = xs_fingerprinter_find(context);
    if (!f && (f = new_slot()) != NULL) {
        xs_slots_reset(&f->slots);
        atomic_store(&f->failures, 0);
        f->has_priority = false;
        atomic_store(&f->skip, (int)make(f));
        atomic_store_explicit(&f->context, (uintptr_t)context, memory_order_release);
    }
    return f;
}

struct making {
    CUcontext context;
    struct xs_fingerprinter *made;
};

static void make_on_scratch(void *arg) {
    struct making *m = arg;
    xs_lock(&table_lock);
    m->made = make_locked(m->context);
    xs_unlock(&table_lock);
}

/* Runs on a scratch stack, because the driver may have to compile the kernel. If there is no memory for that stack, the
 * next copy tries again. */
static struct xs_fingerprinter *find_or_make(CUcontext context) {
    CUcontext current = NULL;
    struct making m = {context, NULL};
    __typeof__(&cuCtxGetCurrent) get_current = xs_driver(cuCtxGetCurrent);
    if (!get_current || get_current(&current) != CUDA_SUCCESS || current != context)
        return NULL; /* the process may have only one context, but it need not be current on this thread */
    xs_on_scratch(make_on_scratch, &m);
    return m.made;
}

struct xs_fingerprinter *xs_fingerprinter_of(CUcontext context, enum xs_fingerprint_skip *why) {
    struct xs_fingerprinter *f = latest;
    if (XS_UNLIKELY(!f || atomic_load_explicit(&f->context, memory_order_acquire) != (uintptr_t)context)) {
        f = xs_fingerprinter_find(context);
        latest = f = f ? f : find_or_make(context);
    }
    *why = f ? (enum xs_fingerprint_skip)atomic_load_explicit(&f->skip, memory_order_acquire) : XS_SKIP_CONTEXT;
    return *why == XS_SKIP_NONE ? f : NULL;
}

/* ---- the ends of contexts, memory and the process ---- */

void xs_device_wait_all(CUcontext only, unsigned timeout_ms) {
    uint64_t deadline = xs_monotonic_ns() + (uint64_t)timeout_ms * 1000000;
    struct xs_fingerprinter *f;
    for (unsigned i = 0; (f = xs_fingerprinter_at(i)) != NULL; i++) {
        uintptr_t context = atomic_load(&f->context);
        bool wanted = context != 0 && (!only || context == (uintptr_t)only);
        while (wanted && xs_results_awaited(&f->results) > 0 && xs_monotonic_ns() < deadline) {
            static _Atomic uint32_t never;
            xs_futex_wait(&never, 0, 1); /* this is no cancellation point; nanosleep is one */
        }
    }
}

void xs_device_context_gone(CUcontext context) {
    xs_lock(&table_lock);
    struct xs_fingerprinter *f = xs_fingerprinter_find(context);
    if (f) {
        atomic_store(&f->skip, XS_SKIP_CONTEXT);
        for (int k = 0; k < XS_ASIDES; k++)
            xs_aside_forget(&f->asides[k]); /* their streams were destroyed with the context */
        xs_results_abandon(&f->results);
        atomic_store(&f->context, 0);
    }
    xs_unlock(&table_lock);
}

bool xs_device_give_back(CUcontext context) {
    static _Atomic bool in_vain;
    struct xs_fingerprinter *f = xs_fingerprinter_find(context);
    int none = XS_SKIP_NONE;
    if (!f)
        return false;
    if (!xs_open_lock(&f->lock)) /* reservations made before this get a result, which is awaited below */
        return false;
    bool mine = atomic_compare_exchange_strong(&f->skip, &none, XS_SKIP_NO_MEMORY);
    xs_open_unlock(&f->lock);
    if (!mine)
        return false;
    xs_device_wait_all(context, atomic_load(&in_vain) ? IN_VAIN_PATIENCE_MS : GIVE_BACK_PATIENCE_MS);
    atomic_store(&in_vain, xs_results_awaited(&f->results) > 0);
    if (atomic_load(&in_vain)) { /* a kernel still uses the memory; a later call may succeed */
        atomic_store(&f->skip, XS_SKIP_NONE);
        return false;
    }
    xs_note("fingerprint", "the application ran out of device memory: fingerprints gave theirs back");
    struct xs_capture_mode mode = xs_capture_mode_relax(); /* a capture may forbid a free */
    bool freed = xs_real_row(cuMemFree_v2)(f->memory) == CUDA_SUCCESS;
    xs_capture_mode_restore(mode);
    return freed;
}

int64_t xs_device_drain(struct xs_store *store) {
    int64_t total = 0;
    struct xs_fingerprinter *f;
    for (unsigned i = 0; (f = xs_fingerprinter_at(i)) != NULL; i++) {
        int64_t written = xs_results_drain(&f->results, store);
        if (written < 0)
            return written;
        total += written;
    }
    return total;
}
