/* Carries out fingerprint jobs: reserves a slot and a result, launches the kernel, and settles the slot. */
#include "preload/fingerprint/fingerprint_device.h"

#include <sched.h>
#include <string.h>

#include "preload/core/alternate_stack.h"
#include "preload/core/drain_bell.h"
#include "preload/core/notes.h"
#include "preload/core/thread.h"
#include "preload/driver/real.h"
#include "preload/fingerprint/fingerprinter.h"

#define FAILURES 16      /* limit of refused launches in a row */
#define SPINS 256u       /* checks of a wait, about 10 microseconds, between two calls of sched_yield */
#define WAKE_DRAIN 1024u /* number of results between wake-ups of the drain thread */
#define LATE_PATIENCE_NS UINT64_C(100000000)

_Atomic uint64_t xs_write_epoch = 1;
static _Atomic bool never_holds;

static _Atomic uint64_t launches;

uint64_t xs_write_epoch_count(void) {
    uint64_t epoch = atomic_load_explicit(&xs_write_epoch, memory_order_acquire);
    while ((epoch & 1) && !atomic_compare_exchange_weak_explicit(&xs_write_epoch, &epoch, epoch + 1,
                                                                 memory_order_acq_rel, memory_order_acquire)) {
    }
    return epoch + (epoch & 1);
}

void xs_write_epoch_never_holds(void) {
    if (!atomic_load_explicit(&never_holds, memory_order_relaxed))
        atomic_store_explicit(&never_holds, true, memory_order_relaxed);
}

/* ---- a job ---- */

/* True if the slot is idle. It is not idle while work that uses it runs, or will be queued by a job. */
static bool is_idle(const struct xs_slot *slot, const void *arg) {
    return !slot->busy && xs_results_arrived(arg, slot->ticket);
}

/* Returns a unique number of a stream. All per-thread default streams have the same handle, so the thread's number is
 * added. */
static uint64_t stream_name(CUstream stream) {
    return (uint64_t)(uintptr_t)stream | (stream == CU_STREAM_PER_THREAD ? (uint64_t)xs_thread.id << 32 : 0);
}

static enum xs_fingerprint_skip reserve(struct xs_device_job *job, const struct xs_fingerprint_region *region,
                                        uint32_t id, bool writes) {
    struct xs_fingerprinter *f = job->by;
    struct xs_fingerprint_slot layout = xs_fingerprint_slot_of(region->length);
    uint64_t units = (layout.bytes + XS_SLOT_UNIT_BYTES - 1) / XS_SLOT_UNIT_BYTES, stream = stream_name(job->stream);
    int skip = atomic_load_explicit(&f->skip, memory_order_acquire);
    if (skip != XS_SKIP_NONE || units > XS_SLOT_UNITS)
        return skip != XS_SKIP_NONE ? (enum xs_fingerprint_skip)skip : XS_SKIP_TOO_LARGE;
    struct xs_slot *slot = xs_slots_find(&f->slots, region, writes);
    if (slot && (slot->busy || slot->stream != stream) && !is_idle(slot, &f->results)) {
        xs_slots_forget(slot);
        slot = NULL;
    }
    if (!slot)
        slot = xs_slots_take(&f->slots, region, (uint32_t)units, is_idle, &f->results);
    uint64_t ticket = slot ? xs_results_take(&f->results, id) : 0;
    if (!ticket)
        return XS_SKIP_NO_SLOT;
    uint64_t epoch = atomic_load_explicit(&xs_write_epoch, memory_order_acquire);
    job->known = slot->epoch == epoch && !atomic_load_explicit(&never_holds, memory_order_relaxed);
    slot->epoch = 0;
    slot->ticket = job->ticket = ticket;
    slot->stream = stream;
    slot->busy = true;
    job->slot = slot;
    xs_fingerprint_use_slot(&job->parameters, &layout,
                            f->memory + XS_TICKET_BYTES + (uint64_t)slot->first * XS_SLOT_UNIT_BYTES);
    job->parameters.tickets = f->memory + (uint64_t)slot->first * XS_UNIT_TICKET_BYTES;
    return XS_SKIP_NONE;
}

enum xs_fingerprint_skip xs_device_prepare(struct xs_device_job *job, CUcontext context, CUstream stream,
                                           const struct xs_fingerprint_region *region, uint32_t id, bool writes) {
    enum xs_fingerprint_skip skip;
    job->made = xs_fingerprinter_find(context) == NULL;
    struct xs_fingerprinter *f = xs_fingerprinter_of(context, &skip);
    if (!f)
        return skip;
    job->by = f;
    job->stream = stream ? stream : CU_STREAM_LEGACY;
    if (!xs_open_lock(&f->lock))
        return XS_SKIP_NO_SLOT;
    skip = reserve(job, region, id, writes);
    xs_open_unlock(&f->lock);
    if (skip == XS_SKIP_NONE) {
        job->parameters.region = *region;
        job->parameters.sequence = job->ticket;
        job->parameters.result = f->results_at + xs_results_index(job->ticket) * sizeof(struct xs_fingerprint_result);
        if (job->ticket % WAKE_DRAIN == 0)
            xs_drain_wake();
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

/* Launches the kernel. If the driver has cuLaunchKernelEx but refuses the attribute, the attribute is not used again.
 */
static CUresult launch(struct xs_fingerprinter *f, CUstream stream, unsigned blocks, void **parameters) {
    if (f->has_priority) {
        CUresult r = launch_first(f, stream, blocks, parameters);
        if (r != CUDA_ERROR_INVALID_VALUE && r != CUDA_ERROR_NOT_SUPPORTED)
            return r;
        f->has_priority = false;
    }
    return xs_real_row(cuLaunchKernel)(f->kernel, blocks, 1, 1, XS_FINGERPRINT_THREADS, 1, 1, 0, stream, parameters,
                                       NULL);
}

static bool launch_job(CUstream stream, void *arg) {
    struct xs_device_job *job = arg;
    struct xs_fingerprinter *f = job->by;
    uint32_t correlation = xs_cupti_correlation;
    void *parameters[] = {&job->parameters};
    CUresult r = launch(f, stream, xs_fingerprint_blocks(job->parameters.region.length), parameters);
    xs_cupti_correlation = correlation;
    if (XS_LIKELY(r == CUDA_SUCCESS)) { /* an invalid handle: the stream may belong to another context, in which copies
                                           are allowed */
        atomic_store_explicit(&f->failures, 0, memory_order_relaxed);
        atomic_fetch_add_explicit(&launches, 1, memory_order_relaxed);
    } else if (r != CUDA_ERROR_INVALID_HANDLE && r != CUDA_ERROR_INVALID_CONTEXT &&
               atomic_fetch_add(&f->failures, 1) + 1 == FAILURES) {
        atomic_store(&f->skip, XS_SKIP_NO_KERNEL);
        xs_note("fingerprint", "the driver refused the fingerprint kernel %d times in a row: error %d", FAILURES, r);
    }
    return r == CUDA_SUCCESS;
}

/* The driver's launch may need more stack than the copy itself, so kernels are launched on the scratch stack. Calls
 * that make streams wait are made even if there is no scratch stack. */
struct measuring {
    struct xs_device_job *job;
    bool writes, may_follow; /* arguments of xs_device_make_way */
    bool is_done;
};

static void measure(void *arg) {
    struct measuring *m = arg;
    m->is_done = launch_job(m->job->stream, m->job);
}

bool xs_device_measure(struct xs_device_job *job, uint32_t mode) {
    struct measuring m = {.job = job};
    job->parameters.mode = mode;
    xs_on_scratch(measure, &m);
    return m.is_done;
}

/* ---- kernels in the side stream ---- */

static void make_way(void *arg) {
    struct measuring *m = arg;
    struct xs_device_job *job = m->job;
    struct xs_aside *aside = xs_aside_of(job->by->asides, job->stream);
    if (!aside)
        return;
    m->is_done =
        m->may_follow && atomic_load(&aside->epoch) == atomic_load_explicit(&xs_write_epoch, memory_order_acquire);
    pthread_mutex_lock(&aside->lock);
    if (m->writes)
        xs_aside_make_way(aside, &job->parameters.region);
    if (!m->is_done)
        xs_aside_join(aside);
    pthread_mutex_unlock(&aside->lock);
}

bool xs_device_make_way(struct xs_device_job *job, bool writes, bool may_follow) {
    struct measuring m = {.job = job, .writes = writes, .may_follow = may_follow};
    xs_on_scratch_or_here(make_way, &m);
    return m.is_done;
}

static void measure_aside(void *arg) {
    struct measuring *m = arg;
    struct xs_device_job *job = m->job;
    struct xs_fingerprinter *f = job->by;
    struct xs_aside *aside = xs_aside_of(f->asides, job->stream);
    bool queued = false;
    if (aside) {
        pthread_mutex_lock(&aside->lock);
        queued = xs_aside_run(aside, &job->parameters.region, f->has_priority ? f->priority : 0, launch_job, job);
        if (!queued)
            xs_aside_join(aside);
        pthread_mutex_unlock(&aside->lock);
    }
    m->is_done = queued || launch_job(job->stream, job);
}

bool xs_device_measure_aside(struct xs_device_job *job, uint32_t mode) {
    struct measuring m = {.job = job};
    job->parameters.mode = mode;
    xs_on_scratch_or_here(measure_aside, &m);
    return m.is_done;
}

static void join(void *arg) {
    CUstream stream = *(CUstream *)arg;
    struct xs_fingerprinter *f;
    for (unsigned i = 0; (f = xs_fingerprinter_at(i)) != NULL; i++) {
        for (int k = 0; k < XS_ASIDES; k++)
            if (atomic_load(&f->asides[k].ahead) && (!stream || atomic_load(&f->asides[k].theirs) == stream))
                xs_aside_join_from_outside(&f->asides[k]);
    }
}

void xs_device_join(CUstream stream) { xs_on_scratch_or_here(join, &stream); }

void xs_device_stream_going(CUstream stream) {
    struct xs_fingerprinter *f;
    for (unsigned i = 0; (f = xs_fingerprinter_at(i)) != NULL; i++) {
        for (int k = 0; stream && k < XS_ASIDES; k++) {
            if (atomic_load(&f->asides[k].theirs) == stream) {
                uint64_t signals;
                xs_signals_hold(&signals); /* so that no signal handler jumps away while the lock is held */
                xs_aside_release(&f->asides[k]);
                xs_signals_let(&signals);
            }
        }
    }
}

/* ---- settling ---- */

/* Releases the slot. `epoch`: the epoch for which the slot's digests are valid; 0: they are not valid. */
static void release(const struct xs_device_job *job, uint64_t epoch) {
    if (xs_open_lock(&job->by->lock)) {
        job->slot->busy = false;
        job->slot->epoch = epoch;
        xs_open_unlock(&job->by->lock);
    }
}

/* Work of other threads can be ordered after this copy only by the application, after this call. Such work changes the
 * epoch again. */
void xs_device_settle(struct xs_device_job *job) {
    uint64_t epoch = xs_write_epoch_count();
    struct xs_aside *aside = xs_aside_of(job->by->asides, job->stream);
    release(job, epoch);
    if (aside)
        atomic_store(&aside->epoch, epoch);
}

bool xs_device_disown(const struct xs_device_job *job) {
    release(job, 0);
    return xs_results_rename(&job->by->results, job->ticket, XS_RESULT_OF_NOBODY);
}

/* Runs the kernel over no bytes, so that its result tells when the slot is free. It must not read the region: the copy
 * may have failed because the region is invalid, and reading it would then make the context unusable. */
void xs_device_abandon(struct xs_device_job *job) {
    xs_results_rename(&job->by->results, job->ticket, XS_RESULT_OF_NOBODY);
    job->parameters.region = xs_fingerprint_linear(0, 0);
    if (!xs_device_measure(job, 0)) /* no result will come, so the result's slot is freed here */
        xs_results_give_back(&job->by->results, job->ticket);
    release(job, 0);
}

/* Waits actively, because the wait mostly takes some microseconds, but yields now and then, because there may be more
 * waiting threads than processors. */
bool xs_device_await(const struct xs_device_job *job, uint64_t ticks) {
    unsigned rounds = 0;
    for (uint64_t began = xs_now(); !xs_results_arrived(&job->by->results, job->ticket);) {
        if (xs_now() - began > ticks)
            return false;
        if (++rounds % SPINS == 0)
            sched_yield();
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
    }
    return true;
}

/* ---- kernels that are late ---- */

_Atomic unsigned xs_device_late;
static struct {
    struct xs_fingerprinter *by;
    uint64_t ticket;
} late[16];
static struct xs_lock late_lock = XS_LOCK_INITIALIZER;

void xs_device_note_late(const struct xs_device_job *job) {
    xs_lock(&late_lock);
    unsigned i = atomic_load(&xs_device_late) % (sizeof late / sizeof late[0]); /* the oldest are overwritten */
    late[i].by = job->by;
    late[i].ticket = job->ticket;
    atomic_fetch_add(&xs_device_late, 1);
    xs_unlock(&late_lock);
}

void xs_device_wait_late(void) {
    uint64_t deadline = xs_monotonic_ns() + LATE_PATIENCE_NS;
    __typeof__(late) taken;
    xs_lock(&late_lock);
    memcpy(taken, late, sizeof taken);
    memset(late, 0, sizeof late);
    atomic_store(&xs_device_late, 0);
    xs_unlock(&late_lock);
    for (unsigned i = 0; i < sizeof taken / sizeof taken[0]; i++)
        while (taken[i].by && !xs_results_arrived(&taken[i].by->results, taken[i].ticket) &&
               xs_monotonic_ns() < deadline)
            sched_yield();
}

/* ---- what it cost ---- */

struct xs_device_cost xs_device_cost(void) {
    struct xs_device_cost cost = {.launches = atomic_load(&launches), .start_ns = xs_fingerprinter_start_ns()};
    struct xs_fingerprinter *f;
    for (unsigned i = 0; (f = xs_fingerprinter_at(i)) != NULL; i++) {
        cost.host_bytes += sizeof *f + XS_RESULTS_BYTES;
        cost.device_bytes += atomic_load(&f->skip) == XS_SKIP_NONE ? XS_SCRATCH_BYTES + XS_TICKET_BYTES : 0;
    }
    return cost;
}
