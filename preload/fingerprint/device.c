/* One fingerprinter a context. Making it costs some milliseconds once; whatever of it fails, copies of that context go
 * without device fingerprints from then on. */
#include "preload/fingerprint/device.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "preload/capture/thread.h"
#include "preload/cupti/cupti.h"
#include "preload/fingerprint/aside.h"
#include "preload/fingerprint/results.h"
#include "preload/intercept/real.h"
#include "preload/session/session.h"

#define CONTEXTS 32
#define SCRATCH_BYTES ((size_t)XS_SLOT_UNITS * XS_SLOT_UNIT_BYTES)
#define UNIT_TICKET_BYTES 16 /* a unit holds 128 digests: at most 2 nodes a unit stand above them */
#define TICKET_BYTES ((size_t)XS_SLOT_UNITS * UNIT_TICKET_BYTES)
#define ZERO_PATIENCE_NS UINT64_C(2000000000)
#define FAILURES 16       /* refused launches in a row, after which no more are tried */
#define WAKE_DRAIN 1024u  /* results, after which the drain thread is woken to fetch them */

struct xs_fingerprinter {
    _Atomic uintptr_t context; /* 0: of none */
    _Atomic int skip;          /* XS_SKIP_NONE, or why this context gets none */
    _Atomic unsigned failures;
    CUfunction kernel;
    CUdeviceptr memory, results_at;
    int priority; /* of launches */
    _Atomic bool has_priority;
    pthread_mutex_t lock; /* of the slots and the streams beside */
    struct xs_slots slots;
    struct xs_aside asides[XS_ASIDES];
    struct xs_results results;
};

_Atomic uint64_t xs_write_epoch = 1;
static _Atomic bool never_holds;

static struct xs_fingerprinter *table[CONTEXTS];
static _Atomic unsigned table_count; /* only ever grows: the drain thread looks without a lock */
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic uint64_t launches, start_ns;
static XS_TLS struct xs_fingerprinter *latest;

uint64_t xs_write_epoch_count(void) {
    uint64_t epoch = atomic_load_explicit(&xs_write_epoch, memory_order_acquire);
    while ((epoch & 1) && !atomic_compare_exchange_weak_explicit(&xs_write_epoch, &epoch, epoch + 1,
                                                                 memory_order_acq_rel, memory_order_acquire)) {
    }
    return epoch + (epoch & 1);
}

void xs_write_epoch_never_holds(void) { atomic_store_explicit(&never_holds, true, memory_order_relaxed); }

/* ---- making one ---- */

/* Zeroed in a stream of its own, so that the application's are not made to wait for each other. Asked, not waited for:
 * CUPTI records waits. */
static bool zero(CUdeviceptr address, size_t bytes) {
    CUstream stream = NULL;
    __typeof__(&cuStreamQuery) query = xs_real_row(cuStreamQuery);
    if (!query || xs_real_row(cuStreamCreate)(&stream, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS) {
        return false;
    }
    xs_cupti_correlation = 0;
    CUresult r = xs_real_row(cuMemsetD8Async)(address, 0, bytes, stream);
    xs_cupti_own_call(xs_cupti_correlation);
    uint64_t deadline = xs_monotonic_ns() + ZERO_PATIENCE_NS;
    for (; r == CUDA_SUCCESS && (r = query(stream)) == CUDA_ERROR_NOT_READY && xs_monotonic_ns() < deadline;) {
        r = CUDA_SUCCESS;
    }
    xs_real_row(cuStreamDestroy_v2)(stream);
    return r == CUDA_SUCCESS;
}

static enum xs_fingerprint_skip take_memory(struct xs_fingerprinter *f) {
    __typeof__(&cuMemHostGetDevicePointer_v2) device_pointer = xs_driver(cuMemHostGetDevicePointer_v2);
    void *ring = (void *)f->results.slots;
    if (xs_real_row(cuMemAlloc_v2)(&f->memory, SCRATCH_BYTES + TICKET_BYTES) != CUDA_SUCCESS) {
        f->memory = 0;
        return XS_SKIP_NO_MEMORY;
    }
    if (!device_pointer || !zero(f->memory, TICKET_BYTES) ||
        xs_real_row(cuMemHostRegister_v2)(ring, XS_RESULTS_BYTES, CU_MEMHOSTREGISTER_DEVICEMAP) != CUDA_SUCCESS ||
        device_pointer(&f->results_at, ring, 0) != CUDA_SUCCESS) {
        xs_real_row(cuMemFree_v2)(f->memory);
        f->memory = 0;
        return XS_SKIP_NO_MEMORY;
    }
    return XS_SKIP_NONE;
}

/* Ours goes first where the device is busy with kernels of other streams: a copy that did not have to wait for those
 * without it should not wait for them because of it. */
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
        get(&f->kernel, module, XS_FINGERPRINT_KERNEL) != CUDA_SUCCESS) {
        return XS_SKIP_NO_KERNEL;
    }
    if (load_function) {
        load_function(f->kernel); /* now rather than at the first launch, which may be in the middle of something */
    }
    learn_priority(f);
    return XS_SKIP_NONE;
}

/* A capture of another thread must not be broken by what is done once: the calling thread alone is let off. */
static enum xs_fingerprint_skip make(struct xs_fingerprinter *f) {
    uint64_t began = xs_monotonic_ns();
    uint32_t correlation = xs_cupti_correlation;
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    __typeof__(&cuThreadExchangeStreamCaptureMode) exchange = xs_driver(cuThreadExchangeStreamCaptureMode);
    bool exchanged = exchange && exchange(&mode) == CUDA_SUCCESS;
    enum xs_fingerprint_skip skip = load_kernel(f);
    skip = skip == XS_SKIP_NONE ? take_memory(f) : skip;
    if (exchanged) {
        exchange(&mode);
    }
    xs_cupti_correlation = correlation;
    atomic_fetch_add(&start_ns, xs_monotonic_ns() - began);
    if (skip == XS_SKIP_NO_MEMORY) {
        xs_note("fingerprint", "no device memory for fingerprints; copies that only the device could see have none");
    } else if (skip == XS_SKIP_NO_KERNEL) {
        xs_note("fingerprint", "the driver did not load the fingerprint kernel; copies that only the device could see "
                               "have none");
    }
    return skip;
}

/* The place of a context that is new: a context's that is gone, or another one. */
static struct xs_fingerprinter *new_place(void) {
    unsigned n = atomic_load(&table_count);
    for (unsigned i = 0; i < n; i++) {
        if (atomic_load(&table[i]->context) == 0) {
            return table[i];
        }
    }
    struct xs_fingerprinter *f =
        n == CONTEXTS ? MAP_FAILED : mmap(NULL, sizeof *f, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (f == MAP_FAILED) {
        return NULL;
    }
    if (!xs_results_make(&f->results)) {
        munmap(f, sizeof *f);
        return NULL;
    }
    pthread_mutex_init(&f->lock, NULL);
    table[n] = f;
    atomic_store(&table_count, n + 1);
    return f;
}

static struct xs_fingerprinter *find(CUcontext context) {
    unsigned n = atomic_load_explicit(&table_count, memory_order_acquire);
    for (unsigned i = 0; context && i < n; i++) {
        if (atomic_load_explicit(&table[i]->context, memory_order_acquire) == (uintptr_t)context) {
            return table[i];
        }
    }
    return NULL;
}

static struct xs_fingerprinter *find_or_make(CUcontext context) {
    struct xs_fingerprinter *f = latest;
    if (XS_LIKELY(f && atomic_load_explicit(&f->context, memory_order_acquire) == (uintptr_t)context)) {
        return f;
    }
    f = find(context);
    if (!f) {
        pthread_mutex_lock(&table_lock);
        f = find(context);
        if (!f && (f = new_place()) != NULL) {
            xs_slots_reset(&f->slots);
            memset(f->asides, 0, sizeof f->asides);
            atomic_store(&f->failures, 0);
            f->has_priority = false;
            atomic_store(&f->skip, (int)make(f));
            atomic_store_explicit(&f->context, (uintptr_t)context, memory_order_release);
        }
        pthread_mutex_unlock(&table_lock);
    }
    latest = f;
    return f;
}

/* ---- a job ---- */

static bool is_idle(const struct xs_slot *slot, const void *arg) { return xs_results_arrived(arg, slot->ticket); }

/* The default stream of a thread has one name in all of them. */
static uint64_t stream_name(CUstream stream) {
    return (uint64_t)(uintptr_t)stream | (stream == CU_STREAM_PER_THREAD ? (uint64_t)xs_thread.id << 32 : 0);
}

static enum xs_fingerprint_skip reserve(struct xs_device_job *job, const struct xs_fingerprint_region *region,
                                        uint32_t id, bool writes) {
    struct xs_fingerprinter *f = job->by;
    struct xs_fingerprint_slot layout = xs_fingerprint_slot_of(region->length);
    uint64_t units = (layout.bytes + XS_SLOT_UNIT_BYTES - 1) / XS_SLOT_UNIT_BYTES, stream = stream_name(job->stream);
    int skip = atomic_load_explicit(&f->skip, memory_order_acquire);
    if (skip != XS_SKIP_NONE || units > XS_SLOT_UNITS) {
        return skip != XS_SKIP_NONE ? (enum xs_fingerprint_skip)skip : XS_SKIP_TOO_LARGE;
    }
    struct xs_slot *slot = xs_slots_find(&f->slots, region, writes);
    if (slot && slot->stream != stream && !is_idle(slot, &f->results)) {
        xs_slots_forget(slot);
        slot = NULL;
    }
    if (!slot) {
        slot = xs_slots_take(&f->slots, region, (uint32_t)units, is_idle, &f->results);
    }
    uint64_t ticket = slot ? xs_results_take(&f->results, id) : 0;
    if (!ticket) {
        return XS_SKIP_NO_SLOT;
    }
    uint64_t epoch = atomic_load_explicit(&xs_write_epoch, memory_order_acquire);
    job->known = slot->epoch == epoch && !atomic_load_explicit(&never_holds, memory_order_relaxed);
    slot->epoch = 0;
    slot->ticket = job->ticket = ticket;
    slot->stream = stream;
    job->slot = slot;
    xs_fingerprint_use_slot(&job->parameters, &layout,
                            f->memory + TICKET_BYTES + (uint64_t)slot->first * XS_SLOT_UNIT_BYTES);
    job->parameters.tickets = f->memory + (uint64_t)slot->first * UNIT_TICKET_BYTES;
    return XS_SKIP_NONE;
}

enum xs_fingerprint_skip xs_device_prepare(struct xs_device_job *job, CUcontext context, CUstream stream,
                                           const struct xs_fingerprint_region *region, uint32_t id, bool writes) {
    struct xs_fingerprinter *f = find_or_make(context);
    if (!f) {
        return XS_SKIP_NO_MEMORY;
    }
    job->by = f;
    job->stream = stream ? stream : CU_STREAM_LEGACY;
    pthread_mutex_lock(&f->lock);
    enum xs_fingerprint_skip skip = reserve(job, region, id, writes);
    pthread_mutex_unlock(&f->lock);
    if (skip == XS_SKIP_NONE) {
        job->parameters.region = *region;
        job->parameters.sequence = job->ticket;
        job->parameters.result =
            f->results_at + xs_results_index(job->ticket) * sizeof(struct xs_fingerprint_result);
        if (job->ticket % WAKE_DRAIN == 0) {
            xs_drain_wake();
        }
    }
    return skip;
}

static CUresult launch_first(struct xs_fingerprinter *f, CUstream stream, unsigned blocks, void **parameters) {
    CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_PRIORITY, .value = {.priority = f->priority}};
    CUlaunchConfig config = {.gridDimX = blocks,
                             .gridDimY = 1,
                             .gridDimZ = 1,
                             .blockDimX = XS_FINGERPRINT_THREADS,
                             .blockDimY = 1,
                             .blockDimZ = 1,
                             .hStream = stream,
                             .attrs = &attribute,
                             .numAttrs = 1};
    return xs_real_row(cuLaunchKernelEx)(&config, f->kernel, parameters, NULL);
}

/* A driver that knows cuLaunchKernelEx but not the attribute refuses it each time, so it is not asked again. */
static CUresult launch(struct xs_fingerprinter *f, CUstream stream, unsigned blocks, void **parameters) {
    if (f->has_priority) {
        CUresult r = launch_first(f, stream, blocks, parameters);
        if (r != CUDA_ERROR_INVALID_VALUE && r != CUDA_ERROR_NOT_SUPPORTED) {
            return r;
        }
        f->has_priority = false;
    }
    return xs_real_row(cuLaunchKernel)(f->kernel, blocks, 1, 1, XS_FINGERPRINT_THREADS, 1, 1, 0, stream, parameters, NULL);
}

static bool launch_job(CUstream stream, void *arg) {
    struct xs_device_job *job = arg;
    struct xs_fingerprinter *f = job->by;
    uint32_t correlation = xs_cupti_correlation;
    void *parameters[] = {&job->parameters};
    CUresult r = launch(f, stream, xs_fingerprint_blocks(job->parameters.region.length), parameters);
    xs_cupti_correlation = correlation;
    if (XS_LIKELY(r == CUDA_SUCCESS)) { /* else the stream may be another context's, in which copies are allowed */
        atomic_store_explicit(&f->failures, 0, memory_order_relaxed);
        atomic_fetch_add_explicit(&launches, 1, memory_order_relaxed);
    } else if (r != CUDA_ERROR_INVALID_HANDLE && atomic_fetch_add(&f->failures, 1) + 1 == FAILURES) {
        atomic_store(&f->skip, XS_SKIP_NO_KERNEL);
        xs_note("fingerprint", "the driver refused the fingerprint kernel %d times in a row: error %d", FAILURES, r);
    }
    return r == CUDA_SUCCESS;
}

bool xs_device_measure(struct xs_device_job *job, uint32_t mode) {
    job->parameters.mode = mode;
    return launch_job(job->stream, job);
}

/* ---- beside the next copies ---- */

bool xs_device_make_way(struct xs_device_job *job, bool writes, bool may_follow) {
    struct xs_fingerprinter *f = job->by;
    pthread_mutex_lock(&f->lock);
    struct xs_aside *aside = xs_aside_of(f->asides, job->stream);
    bool follows = may_follow && aside && aside->epoch == atomic_load_explicit(&xs_write_epoch, memory_order_acquire);
    if (aside && writes) {
        xs_aside_make_way(aside, &job->parameters.region);
    }
    if (aside && !follows) {
        xs_aside_join(aside);
    }
    pthread_mutex_unlock(&f->lock);
    return follows;
}

bool xs_device_measure_aside(struct xs_device_job *job, uint32_t mode) {
    struct xs_fingerprinter *f = job->by;
    job->parameters.mode = mode;
    pthread_mutex_lock(&f->lock);
    struct xs_aside *aside = xs_aside_of(f->asides, job->stream);
    bool queued =
        aside && xs_aside_run(aside, &job->parameters.region, f->has_priority ? f->priority : 0, launch_job, job);
    if (aside && !queued) {
        xs_aside_join(aside);
    }
    pthread_mutex_unlock(&f->lock);
    return queued || xs_device_measure(job, mode);
}

void xs_device_join(CUstream stream) {
    unsigned n = atomic_load_explicit(&table_count, memory_order_acquire);
    for (unsigned i = 0; i < n; i++) {
        pthread_mutex_lock(&table[i]->lock);
        for (int k = 0; k < XS_ASIDES; k++) {
            if (!stream || table[i]->asides[k].theirs == stream) {
                xs_aside_join(&table[i]->asides[k]);
            }
        }
        pthread_mutex_unlock(&table[i]->lock);
    }
}

/* ---- settling ---- */

/* What other threads hand to the driver from now on is ordered behind this copy only by the application's own means, and
 * then it is counted after this. */
void xs_device_settle(struct xs_device_job *job) {
    uint64_t epoch = xs_write_epoch_count();
    pthread_mutex_lock(&job->by->lock);
    if (job->slot->ticket == job->ticket) {
        job->slot->epoch = epoch;
    }
    struct xs_aside *aside = xs_aside_of(job->by->asides, job->stream);
    if (aside) {
        aside->epoch = epoch;
    }
    pthread_mutex_unlock(&job->by->lock);
}

void xs_device_disown(const struct xs_device_job *job) {
    xs_results_rename(&job->by->results, job->ticket, XS_RESULT_OF_NOBODY);
}

void xs_device_abandon(struct xs_device_job *job) {
    xs_device_disown(job);
    if (!xs_device_measure(job, 0)) { /* whose result would say when the slot is free */
        xs_results_give_back(&job->by->results, job->ticket);
    }
}

bool xs_device_wait(const struct xs_device_job *job, uint64_t ticks) {
    for (uint64_t began = xs_now(); !xs_results_arrived(&job->by->results, job->ticket);) {
        if (xs_now() - began > ticks) {
            return false;
        }
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
    }
    return true;
}

/* ---- the ends of contexts, memory and the process ---- */

void xs_device_wait_all(CUcontext only, unsigned timeout_ms) {
    uint64_t deadline = xs_monotonic_ns() + (uint64_t)timeout_ms * 1000000;
    unsigned n = atomic_load_explicit(&table_count, memory_order_acquire);
    for (unsigned i = 0; i < n; i++) {
        uintptr_t context = atomic_load(&table[i]->context);
        bool wanted = context != 0 && (!only || context == (uintptr_t)only);
        while (wanted && xs_results_awaited(&table[i]->results) > 0 && xs_monotonic_ns() < deadline) {
            static _Atomic uint32_t never;
            xs_futex_wait(&never, 0, 1); /* no cancellation point, unlike nanosleep */
        }
    }
}

void xs_device_context_gone(CUcontext context) {
    pthread_mutex_lock(&table_lock);
    struct xs_fingerprinter *f = find(context);
    if (f) {
        pthread_mutex_lock(&f->lock);
        for (int k = 0; k < XS_ASIDES; k++) { /* their streams went with it */
            atomic_fetch_sub(&xs_asides_ahead, f->asides[k].ahead);
            f->asides[k] = (struct xs_aside){0};
        }
        pthread_mutex_unlock(&f->lock);
        xs_results_abandon(&f->results);
        atomic_store(&f->skip, XS_SKIP_CONTEXT);
        atomic_store(&f->context, 0);
    }
    pthread_mutex_unlock(&table_lock);
}

bool xs_device_give_back(CUcontext context) {
    struct xs_fingerprinter *f = find(context);
    int none = XS_SKIP_NONE;
    if (!f) {
        return false;
    }
    pthread_mutex_lock(&f->lock); /* whoever reserved something before has its result awaited */
    bool mine = atomic_compare_exchange_strong(&f->skip, &none, XS_SKIP_NO_MEMORY);
    pthread_mutex_unlock(&f->lock);
    if (!mine) {
        return false;
    }
    xs_device_wait_all(context, 1000);
    if (xs_results_awaited(&f->results) > 0) {
        return false; /* a kernel still uses it */
    }
    xs_note("fingerprint", "the application ran out of device memory: fingerprints gave theirs back");
    return xs_real_row(cuMemFree_v2)(f->memory) == CUDA_SUCCESS;
}

int64_t xs_device_drain(struct xs_store *store) {
    int64_t total = 0;
    unsigned n = atomic_load_explicit(&table_count, memory_order_acquire);
    for (unsigned i = 0; i < n; i++) {
        int64_t written = xs_results_drain(&table[i]->results, store);
        if (written < 0) {
            return written;
        }
        total += written;
    }
    return total;
}

struct xs_device_cost xs_device_cost(void) {
    struct xs_device_cost cost = {.launches = atomic_load(&launches), .start_ns = atomic_load(&start_ns)};
    unsigned n = atomic_load_explicit(&table_count, memory_order_acquire);
    for (unsigned i = 0; i < n; i++) {
        cost.host_bytes += sizeof *table[i] + XS_RESULTS_BYTES;
        cost.device_bytes += atomic_load(&table[i]->skip) == XS_SKIP_NONE ? SCRATCH_BYTES + TICKET_BYTES : 0;
    }
    return cost;
}
