/* Sends batches: by cuMemcpyBatchAsync (since CUDA 12.8) if nobody can see the order of the copies, else one by one. */
#define _GNU_SOURCE
#include "preload/repair/gather_send.h"

#include <pthread.h>
#include <time.h>

#include "preload/core/alternate_stack.h"
#include "preload/core/futex.h"
#include "preload/core/own_thread.h"
#include "preload/core/quiescence.h"
#include "preload/driver/capture_mode.h"
#include "preload/driver/driver_context.h"
#include "preload/driver/real.h"

#define LOOK_NS 1000000
#define IDLE_LOOKS 20
#define SLEEP_MS 60000u
/* Fewer copies in the legacy stream are sent one by one, because a batch there costs two more events. */
#define LEAST_BATCH 4u

struct xs_gather xs_gather = {.lock = XS_LOCK_INITIALIZER};
struct xs_ring xs_gather_ring = {.bytes = XS_GATHER_BUFFER_BYTES};

static _Atomic uint32_t bell;
static _Atomic bool is_asleep, is_watching;
XS_TLS bool xs_gather_is_watch;

bool xs_gather_enter_context(CUcontext context) {
    CUevent sent;
    CUstream own = NULL;
    if (xs_driver(cuEventCreate)(&sent, CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS)
        return false;
    /* A blocking stream is ordered with the legacy stream in the same way as work in the legacy stream. */
    if (xs_beneath(cuStreamCreate)(&own, CU_STREAM_DEFAULT) != CUDA_SUCCESS)
        own = NULL;
    xs_gather.sent = sent;
    xs_gather.own = own;
    atomic_store(&xs_gather.context, context);
    return true;
}

/* Gives the buffer back. Its event tells when the device no longer needs it. */
void xs_gather_retire(void) {
    if (xs_gather.buffer) {
        if (xs_gather.used && xs_ring_mark(xs_gather.buffer, atomic_load(&xs_gather.stream)) != CUDA_SUCCESS)
            xs_gather.buffer->context = NULL; /* without the event, no copy may take the buffer again */
        xs_ring_put(xs_gather.buffer);
        xs_gather.buffer = NULL;
    }
}

static bool push(void) { return xs_driver(cuCtxPushCurrent_v2)(atomic_load(&xs_gather.context)) == CUDA_SUCCESS; }
static void pop(void) {
    CUcontext popped;
    xs_driver(cuCtxPopCurrent_v2)(&popped);
}

void xs_gather_leave_stream(void) {
    xs_lock(&xs_gather.lock);
    if (xs_gather.buffer && push()) {
        xs_gather_retire();
        pop();
    }
    atomic_store(&xs_gather.stream, NULL);
    xs_unlock(&xs_gather.lock);
}

void xs_gather_leave_context(void) {
    xs_lock(&xs_gather.lock);
    if (atomic_load(&xs_gather.context) && push()) {
        xs_gather_retire();
        xs_driver(cuEventDestroy_v2)(xs_gather.sent);
        if (xs_gather.own)
            xs_beneath(cuStreamDestroy_v2)(xs_gather.own);
        pop();
        xs_gather.own = NULL;
    }
    xs_gather.buffer = NULL;
    atomic_store(&xs_gather.context, NULL);
    atomic_store(&xs_gather.owed, 0);
    xs_unlock(&xs_gather.lock);
    xs_ring_drop(&xs_gather_ring);
}

static CUresult send_batch_in(CUstream stream) {
    CUmemcpyAttributes attributes = {.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};
    struct xs_batch *b = &xs_gather.batch;
    size_t first = 0, failed;
    if (xs_beneath(cuMemcpyBatchAsync_v2))
        return xs_beneath(cuMemcpyBatchAsync_v2)(b->to, b->from, b->bytes, b->count, &attributes, &first, 1, stream);
    if (xs_beneath(cuMemcpyBatchAsync)) {
        return xs_beneath(cuMemcpyBatchAsync)(b->to, b->from, b->bytes, b->count, &attributes, &first, 1, &failed,
                                              stream);
    }
    return CUDA_ERROR_NOT_SUPPORTED;
}

/* The driver accepts no batches in the legacy stream. So the batch is sent in the library's blocking stream, between
 * two event records in the legacy stream: the batch begins after all work before the first record, and all work after
 * the second record begins after the batch. */
static CUresult send_batch(CUstream stream) {
    __typeof__(&cuEventRecord) record = xs_beneath(cuEventRecord);
    CUresult result;
    if (stream != CU_STREAM_LEGACY)
        return send_batch_in(stream);
    if (!xs_gather.own || xs_gather.batch.count < LEAST_BATCH ||
        record(xs_gather.sent, CU_STREAM_LEGACY) != CUDA_SUCCESS)
        return CUDA_ERROR_NOT_SUPPORTED;
    result = send_batch_in(xs_gather.own);
    return result == CUDA_SUCCESS ? record(xs_gather.sent, CU_STREAM_LEGACY) : result;
}

static CUresult send_one_by_one(CUstream stream) {
    const struct xs_batch *b = &xs_gather.batch;
    CUresult result = CUDA_SUCCESS;
    for (unsigned i = 0; i < b->count && result == CUDA_SUCCESS; i++) {
        // NOLINTNEXTLINE(performance-no-int-to-ptr): in one of our buffers
        result = xs_beneath(cuMemcpyHtoDAsync_v2)(b->to[i], (const void *)(uintptr_t)b->from[i], b->bytes[i], stream);
    }
    return result;
}

/* Sends the open batch. If sending fails half-way, the batch is sent again from its beginning. That is harmless,
 * because nobody has used the data yet. */
void xs_gather_send(void) {
    const CUstream stream = atomic_load(&xs_gather.stream);
    CUresult result = CUDA_ERROR_NOT_SUPPORTED;
    if (!atomic_load(&xs_gather.is_open))
        return;
    bool pushed = push();
    if (!xs_gather.is_in_order && xs_gather.batch.count > 1)
        result = send_batch(stream);
    if (result != CUDA_SUCCESS)
        result = send_one_by_one(stream);
    if (result == CUDA_SUCCESS && xs_gather.has_blocking) {
        result = xs_beneath(cuEventRecord)(xs_gather.sent, stream);
        atomic_store(&xs_gather.owed, atomic_load(&xs_gather.opened));
    }
    if (pushed)
        pop();
    if (result != CUDA_SUCCESS) {
        xs_gather.failed = result;
        xs_repair_refused(XS_REPAIR_GATHER, "an upload failed when it was sent");
    }
    xs_pace_sent(&xs_gather.pace, xs_gather.batch.uploads);
    xs_batch_clear(&xs_gather.batch);
    xs_gather.has_blocking = false;
    atomic_store(&xs_gather.is_open, false);
}

/* Waits without the lock, so that other threads need not wait as well. xs_gather.stream does not change while `owed` is
 * not 0. */
static void wait_for_owed(CUstream next) {
    int8_t device;
    uint64_t owed = atomic_load(&xs_gather.owed);
    if (!owed || (next == atomic_load(&xs_gather.stream) && xs_context_ask(&device) == atomic_load(&xs_gather.context)))
        return;
    struct xs_capture_mode mode = xs_capture_mode_relax();
    xs_beneath(cuEventSynchronize)(xs_gather.sent);
    xs_capture_mode_restore(mode);
    atomic_compare_exchange_strong(&xs_gather.owed, &owed, 0);
}

void xs_gather_flush(CUstream next) {
    if (atomic_load(&xs_gather.is_open)) {
        xs_lock(&xs_gather.lock);
        xs_gather_send();
        xs_unlock(&xs_gather.lock);
    }
    wait_for_owed(next);
}

/* ---- the thread that watches ---- */

static void send_stale(uint64_t opened) {
    xs_gate_enter();
    xs_lock(&xs_gather.lock);
    if (atomic_load(&xs_gather.opened) == opened)
        xs_gather_send();
    xs_unlock(&xs_gather.lock);
    xs_gate_leave();
}

static void watch_main(void) {
    const struct timespec look = {0, LOOK_NS};
    unsigned idle = 0;
    xs_gather_is_watch = true;
    for (;;) {
        const uint32_t heard = atomic_load(&bell);
        const bool was_open = atomic_load(&xs_gather.is_open);
        const uint64_t opened = atomic_load(&xs_gather.opened);
        if (!was_open && ++idle > IDLE_LOOKS) {
            atomic_store(&is_asleep, true);
            if (!atomic_load(&xs_gather.is_open)) /* from here on, a thread that opens a batch sees that it must wake
                                                     this thread */
                xs_futex_wait(&bell, heard, SLEEP_MS);
            atomic_store(&is_asleep, false);
            idle = 0;
            continue;
        }
        nanosleep(&look, NULL);
        if (was_open) {
            idle = 0;
            send_stale(opened);
        }
    }
}

static void start_watch(void) { atomic_store(&is_watching, xs_own_thread(watch_main) == 0); }

static void start_watch_once(void *unused) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)unused;
    pthread_once(&once, start_watch);
}

/* Starts the thread on a scratch stack, because the caller's stack may be too small for it. */
bool xs_gather_watch(void) {
    if (XS_UNLIKELY(!atomic_load_explicit(&is_watching, memory_order_relaxed)))
        xs_on_scratch(start_watch_once, NULL);
    return atomic_load_explicit(&is_watching, memory_order_relaxed);
}

void xs_gather_wake(void) {
    if (atomic_load(&is_asleep)) {
        atomic_fetch_add(&bell, 1);
        xs_futex_wake(&bell);
    }
}
