/* The repair gather: small uploads are copied to a page-locked buffer, and then to the device in one batch.
 *
 * The program cannot notice the delay, because the batch is sent before every other call of any thread, except further
 * small uploads into the same stream and functions that cannot depend on the uploads (HARMLESS). Only network cards,
 * disks and running kernels can see device memory without a call. Nothing is gathered if network cards or disks may
 * access device memory (core/direct_access.h). If a kernel may be running in another stream, the uploads of the batch
 * are sent one by one in their order, at most about a millisecond late.
 *
 * A blocking upload waits for its stream, as CUDA specifies ("a stream sync is performed before the copy is
 * initiated"); if several such uploads follow each other, only the first has to wait. The bytes of a blocking upload
 * are on the device before any later call in another stream goes to the driver. Programs rely on this, although CUDA
 * does not promise it.
 *
 * The repair reads the source during the program's call. CUDA reads a page-locked source later, in the order of the
 * stream, and earlier work may write it until then. Therefore an upload from page-locked memory is gathered only if the
 * device got no work since the last wait for the whole context.
 *
 * If sending fails, the next upload returns the error, as CUDA returns errors of earlier asynchronous calls. The
 * destination is known memory of this context, so the only possible error is that the context is lost. */
#include <stdint.h>
#include <string.h>

#include "preload/core/alternate_stack.h"
#include "preload/core/direct_access.h"
#include "preload/driver/driver_context.h"
#include "preload/driver/real.h"
#include "preload/repair/gather_send.h"
#include "preload/repair/reasons.h"
#include "preload/repair/repair_plan.h"

#define UPLOAD_BYTES_MAX ((size_t)64 << 10) /* CUDA's limit for small uploads, which are asynchronous in any case */
#define PLACE_BYTES 16 /* alignment in the buffer of an upload that cannot be merged with the previous one */

/* Incremented before and after every call, of any thread, that may give the device work. */
static _Atomic uint64_t epoch;

/* Number of calls under way that may give the device work. While another thread waits for the device, they may give it
 * more work, so after that wait the device may not be idle. A call that a signal handler jumped out of is counted until
 * the next call of its thread has ended; until then fewer uploads are gathered. */
static _Atomic unsigned in_flight;

/* Streams in which kernels may be running: none, one stream, or several. After a wait, a thread first writes the bit
 * WAITED together with the epoch of the wait. This value means "any stream". The thread then writes NO_STREAM, but only
 * if its own value is still there: values with other epochs show it that another thread wrote meanwhile. */
#define NO_STREAM UINT64_MAX
#define SEVERAL_STREAMS (UINT64_MAX - 1)
#define WAITED (UINT64_C(1) << 63)
static _Atomic uint64_t launched = NO_STREAM;

/* What the thread knows about the device as long as the epoch does not change. */
static XS_TLS struct {
    bool is_counted;     /* counted in in_flight */
    uint64_t waiting_at; /* epoch at which a wait was called; 0: another call was under way then */
    uint64_t idle_at;    /* epoch at which nothing was under way in the whole context */
    uint64_t quiet_at;   /* epoch at which only our batches were under way in the stream: uploads need not wait */
    CUcontext context;
    CUstream stream;
} known;

/* ---- calls that are no uploads ---- */

#define GATED(name) [XS_ROW_COUNT + XS_GATED_##name] = true
static const bool HARMLESS[XS_ROW_NONE + 1] = {
    GATED(cuCtxGetApiVersion),
    GATED(cuCtxGetCurrent),
    GATED(cuCtxGetDevice),
    GATED(cuCtxGetFlags),
    GATED(cuCtxGetId),
    GATED(cuCtxGetLimit),
    GATED(cuCtxGetStreamPriorityRange),
    GATED(cuCtxPopCurrent_v2),
    GATED(cuCtxPushCurrent_v2),
    GATED(cuCtxSetCurrent),
    GATED(cuDeviceCanAccessPeer),
    GATED(cuDeviceGet),
    GATED(cuDeviceGetAttribute),
    GATED(cuDeviceGetCount),
    GATED(cuDeviceGetName),
    GATED(cuDeviceGetPCIBusId),
    GATED(cuDeviceGetUuid_v2),
    GATED(cuDevicePrimaryCtxGetState),
    GATED(cuDeviceTotalMem_v2),
    GATED(cuFuncGetAttribute),
    GATED(cuFuncGetName),
    GATED(cuFuncGetParamInfo),
    GATED(cuKernelGetFunction),
    GATED(cuKernelGetParamInfo),
    GATED(cuLibraryGetKernel),
    GATED(cuMemGetAddressRange_v2),
    GATED(cuMemHostGetDevicePointer_v2),
    GATED(cuMemHostGetFlags),
    GATED(cuModuleGetFunction),
    GATED(cuOccupancyMaxActiveBlocksPerMultiprocessor),
    GATED(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags),
    GATED(cuPointerGetAttribute),
    GATED(cuPointerGetAttributes),
    GATED(cuStreamGetCtx),
    GATED(cuStreamGetFlags),
    GATED(cuStreamGetId),
    GATED(cuStreamGetPriority),
    GATED(cuStreamIsCapturing),
    GATED(cuThreadExchangeStreamCaptureMode),
};
#undef GATED

static uint64_t word_of(CUstream stream) { return (uint64_t)(uintptr_t)stream; }

/* Returns the handle of the call's stream; NULL: it may be any stream, or the thread's own default stream. */
static CUstream stream_of(const struct xs_repair_call *call) {
    return call->has_stream && !call->is_per_thread ? xs_stream_handle(call->stream, false) : NULL;
}

static void note_launch(CUstream stream) {
    uint64_t before = NO_STREAM, now = stream ? word_of(stream) : SEVERAL_STREAMS;
    if (!atomic_compare_exchange_strong(&launched, &before, now) && before != now)
        atomic_store(&launched, SEVERAL_STREAMS);
}

static bool ends_stream(const struct xs_repair_call *call) {
    return call->row == XS_ROW_cuStreamDestroy || call->row == XS_ROW_cuStreamDestroy_v2 ||
           call->row == XS_ROW_COUNT + XS_GATED_cuGreenCtxDestroy || xs_ends_context(call);
}

/* True if calls of other threads are under way. */
static bool are_others_in_flight(void) { return atomic_load(&in_flight) != (known.is_counted ? 1 : 0); }

/* A jump out of begin_call or end_call leaves the count too high, never too low. */
static uint64_t begin_call(void) {
    if (!known.is_counted) {
        atomic_fetch_add(&in_flight, 1);
        known.is_counted = true;
    }
    return atomic_fetch_add(&epoch, 1) + 1;
}
static uint64_t end_call(void) {
    const uint64_t now = atomic_fetch_add(&epoch, 1) + 1;
    if (known.is_counted) {
        known.is_counted = false;
        atomic_fetch_sub(&in_flight, 1);
    }
    return now;
}

static void before(const struct xs_repair_call *call) {
    if (HARMLESS[call->row] || xs_gather_is_watch)
        return;
    const uint64_t now = begin_call();
    const bool ends = ends_stream(call);
    CUstream stream = ends ? NULL : stream_of(call);
    if (call->category == XS_CAT_LAUNCH)
        note_launch(stream);
    else if (call->category == XS_CAT_SYNC)
        known.waiting_at = are_others_in_flight() ? 0 : now;
    if (atomic_load(&xs_gather.is_open) || atomic_load(&xs_gather.owed))
        xs_gather_flush(stream);
    if (XS_UNLIKELY(ends)) {
        xs_gather_leave_stream();
        if (xs_ends_context(call))
            xs_gather_leave_context();
    }
}

/* Notes that the host has waited for the whole context, and that no other call was under way during that time. */
static void note_idle(uint64_t now) {
    int8_t device;
    CUcontext context = xs_context_ask(&device);
    known.context = context;
    known.stream = NULL; /* any */
    known.idle_at = known.quiet_at = now;
    if (context == atomic_load(&xs_gather.context)) {
        /* A launch first increments the epoch and then writes `launched`. So either the changed epoch shows us the
         * launch, or the launch writes `launched` after our mark. */
        uint64_t mark = WAITED | now;
        atomic_store(&launched, mark);
        if (atomic_load(&epoch) == now)
            atomic_compare_exchange_strong(&launched, &mark, NO_STREAM);
    }
}

/* Runs after a call. If the epoch is waiting_at + 1, no other call began or ended since this call began. Calls that
 * were under way at its beginning were counted in in_flight then. */
static void after(const struct xs_repair_call *call) {
    if (HARMLESS[call->row] || xs_gather_is_watch)
        return;
    const uint64_t now = end_call();
    if (call->row == XS_ROW_cuCtxSynchronize && call->result == CUDA_SUCCESS && known.waiting_at &&
        known.waiting_at + 1 == now)
        note_idle(now);
}

static void settle(void) {
    atomic_fetch_add(&epoch, 1);
    xs_gather_flush(NULL);
}

static void finish(void) {
    xs_lock(&xs_gather.lock);
    xs_gather.is_over = true;
    xs_unlock(&xs_gather.lock);
}

/* ---- uploads ---- */

static bool is_idle(const struct xs_repair_copy *copy) {
    return known.idle_at == atomic_load(&epoch) && known.context == copy->context && known.idle_at;
}

static bool is_quiet(const struct xs_repair_copy *copy, CUstream stream) {
    return known.quiet_at == atomic_load(&epoch) && known.quiet_at && known.context == copy->context &&
           (!known.stream || known.stream == stream);
}

/* The wait of a blocking upload for all earlier work of its stream. A buffer is taken only for its event. */
struct waiting {
    CUcontext context;
    CUstream stream;
    struct xs_ring_buffer *buffer; /* its event is recorded after that work; NULL: there is no buffer */
};

static void mark_stream(void *argument) {
    struct waiting *w = argument;
    w->buffer = xs_ring_take(&xs_gather_ring, w->context);
    if (w->buffer && xs_ring_mark(w->buffer, w->stream) != CUDA_SUCCESS) {
        xs_ring_put(w->buffer);
        w->buffer = NULL;
    }
}

/* Waits outside of the scratch stack, because the wait may be long, and signals must be handled meanwhile. */
static bool wait_for_stream(const struct xs_repair_copy *copy, CUstream stream) {
    struct waiting w = {.context = copy->context, .stream = stream};
    CUresult result;
    if (!xs_on_scratch(mark_stream, &w) || !w.buffer)
        return false;
    result = xs_ring_wait(w.buffer);
    xs_ring_put(w.buffer);
    return result == CUDA_SUCCESS;
}

static bool make_quiet(const struct xs_repair_copy *copy, CUstream stream) {
    const uint64_t now = atomic_fetch_add(&epoch, 1) + 1;
    const bool others = are_others_in_flight(); /* they may give the stream more work during this wait */
    if (!wait_for_stream(copy, stream))
        return false;
    known.quiet_at = others ? 0 : now;
    known.context = copy->context;
    known.stream = stream;
    return true;
}

static void take_buffer(void *context) {
    if (!atomic_load(&xs_gather.context) && !xs_gather_enter_context(context))
        return;
    if (atomic_load(&xs_gather.context) == context) {
        xs_gather.buffer = xs_ring_take(&xs_gather_ring, context);
        xs_gather.used = 0;
    }
}

/* Returns the address in the buffer for the upload's content. The buffer has uploads of one stream only. Sends the
 * batch if necessary. NULL: there is no buffer. The caller holds the lock. */
static char *room_for(const struct xs_repair_copy *copy, CUstream stream) {
    struct xs_gather *g = &xs_gather;
    const bool is_same = atomic_load(&g->stream) == stream;
    const uint64_t end = g->batch.count ? g->batch.to[g->batch.count - 1] + g->batch.bytes[g->batch.count - 1] : 0;
    size_t at = copy->device == end ? g->used : (g->used + PLACE_BYTES - 1) / PLACE_BYTES * PLACE_BYTES;
    const bool fits = g->buffer && is_same && at + copy->bytes <= XS_GATHER_BUFFER_BYTES;
    if (!fits || xs_batch_is_full(&g->batch) || xs_batch_overlaps(&g->batch, copy->device, copy->bytes))
        xs_gather_send();
    if (!fits) {
        xs_gather_retire();
        atomic_store(&g->stream, stream);
        if (!xs_on_scratch(take_buffer, copy->context) || !g->buffer)
            return NULL;
        at = 0;
    }
    g->used = at + copy->bytes;
    return g->buffer->memory + at;
}

/* The caller holds the lock. */
static const char *append(const struct xs_repair_copy *copy, CUstream stream) {
    struct xs_gather *g = &xs_gather;
    char *to;
    if (g->is_over)
        return "the process ends";
    to = room_for(copy, stream);
    if (!to)
        return "no page-locked buffer";
    if (!atomic_load(&g->is_open)) {
        const uint64_t running = atomic_load(&launched);
        g->is_in_order = running != NO_STREAM && running != word_of(stream);
        g->has_blocking = false;
    }
    memcpy(to, (const void *)(uintptr_t)copy->host, copy->bytes); // NOLINT(*-no-int-to-ptr): the program's memory
    /* The driver refuses a copy whose destination is in more than one allocation. */
    const bool may_join = !g->is_in_order && g->latest_allocation == copy->range.start;
    xs_batch_add(&g->batch, copy->device, (uint64_t)(uintptr_t)to, copy->bytes, may_join);
    g->latest_allocation = copy->range.start;
    g->has_blocking |= copy->is_blocking;
    if (!atomic_load(&g->is_open)) {
        atomic_fetch_add(&g->opened, 1);
        atomic_store(&g->is_open, true);
        xs_gather_wake();
    }
    return NULL;
}

/* Returns the reason why the upload cannot be gathered; NULL: it can be gathered. */
static const char *unfit(const struct xs_repair_copy *copy) {
    const char *why = xs_repair_unfit(copy);
    CUcontext home = atomic_load(&xs_gather.context);
    if (why)
        return why;
    if (copy->is_per_thread)
        return "the per-thread default stream"; /* no other thread could send the batch */
    if (copy->range.start == copy->range.end || copy->range.context != (uint64_t)(uintptr_t)copy->context)
        return "memory that is not known, or of another context";
    if (home && home != copy->context)
        return "another context is gathered in";
    if (atomic_load_explicit(&xs_repair_handed_out, memory_order_relaxed))
        return XS_WHY_HANDED_OUT;
    if (atomic_load_explicit(&xs_repair_may_hold, memory_order_relaxed))
        return "work may wait for the program";
    /* Direct access is not checked while a batch is open, because the batch is sent within a millisecond, before a
     * library that is loaded now can register memory. */
    if (!atomic_load_explicit(&xs_gather.is_open, memory_order_relaxed) && xs_direct_access_is_possible())
        return XS_WHY_DIRECT;
    if (copy->host_kind != XS_MEM_PAGEABLE && (copy->is_blocking || !is_idle(copy)))
        return "the device may write the page-locked source";
    return xs_gather_watch() ? NULL : "no thread";
}

/* Takes the lock at a time when no uploads of another stream wait to be sent or are under way. */
static void lock_for(CUstream stream) {
    for (;;) {
        if (atomic_load(&xs_gather.stream) != stream)
            xs_gather_flush(stream);
        xs_lock(&xs_gather.lock);
        if (atomic_load(&xs_gather.stream) == stream ||
            (!atomic_load(&xs_gather.is_open) && !atomic_load(&xs_gather.owed)))
            return;
        xs_unlock(&xs_gather.lock); /* another thread was faster */
    }
}

/* Reads a byte of each page of the source, so that a wrong pointer of the program faults here and not under the lock.
 */
static void touch(const struct xs_repair_copy *copy) {
    const volatile char *source = (const char *)(uintptr_t)copy->host; // NOLINT(*-no-int-to-ptr): the program's memory
    for (size_t i = 0; i < copy->bytes; i += 4096)
        (void)source[i];
    (void)source[copy->bytes - 1];
}

/* Gathers the upload. If it cannot, sets *why to the reason. Else *why is NULL, and the result is for the program:
 * CUDA_SUCCESS, or the error of an earlier upload. */
static CUresult gather(const struct xs_repair_copy *copy, CUstream stream, const char **why) {
    CUresult failed;
    if (xs_pace_passes(&xs_gather.pace)) {
        *why = "nothing to gather it with";
        return CUDA_SUCCESS;
    }
    if (copy->is_blocking && !is_quiet(copy, stream) && !make_quiet(copy, stream)) {
        *why = "the driver refused";
        return CUDA_SUCCESS;
    }
    touch(copy);
    lock_for(stream);
    failed = xs_gather.failed;
    xs_gather.failed = CUDA_SUCCESS;
    *why = failed == CUDA_SUCCESS ? append(copy, stream) : NULL;
    xs_unlock(&xs_gather.lock);
    return failed;
}

static bool gather_copy(const struct xs_repair_copy *copy, CUresult *result) {
    const char *why;
    if ((xs_plan_mode != XS_PLAN_ABSENT && !xs_plan_of_copy(XS_REPAIR_GATHER, copy)) || !copy->is_upload ||
        copy->bytes > UPLOAD_BYTES_MAX)
        return false;
    why = unfit(copy);
    if (!why)
        *result = gather(copy, xs_stream_handle(copy->stream, false), &why);
    if (why) {
        xs_repair_refused(XS_REPAIR_GATHER, why);
        return false;
    }
    if (*result == CUDA_SUCCESS)
        xs_repair_applied(XS_REPAIR_GATHER, copy->bytes);
    return true;
}

static bool start(const char **why) {
    *why = XS_WHY_LACKS;
    return xs_ring_start(&xs_gather_ring) && xs_beneath(cuStreamCreate) && xs_beneath(cuStreamDestroy_v2) &&
           xs_driver(cuThreadExchangeStreamCaptureMode);
}

const struct xs_repair_hooks xs_repair_gather = {
    .start = start, .copy = gather_copy, .before = before, .after = after, .settle = settle, .finish = finish};
