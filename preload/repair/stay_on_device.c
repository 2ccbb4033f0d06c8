/* The repair stay-on-device: an upload is replaced by a copy on the device, in the same stream, if other memory of the
 * device, the *origin*, already has its content. The origin is the device side of the earlier copy that a plan's line
 * names, or of the latest copy from or to the same host memory.
 *
 * Unchanged behaviour: the copy on the device is an operation in the same stream. A blocking upload still returns when
 * the copy and all earlier work of the stream are done.
 *
 * New danger: the program may write the origin at any time, because it does not know that the upload reads the origin.
 * - Before the copy: work that other streams or threads began after the origin's copy, and that may write the origin,
 *   could run before or after our copy. If there was such work, the upload is made unchanged. The check is repeated
 *   after the copy was queued; if it fails then, the upload is made as well, and overwrites the copy.
 * - After the copy: later work of the same stream runs after the copy, and a blocking copy is done when the call
 *   returns. An asynchronous copy is made only as long as a single stream has ever got work, and no work can wait for
 *   the program. A thread that gives work to a second stream first waits for the copy.
 *
 * Without a plan, the origin is compared with the source before each copy, in the order of the stream (compare.h). */
#include <sched.h>
#include <stdatomic.h>

#include "preload/core/thread.h"
#include "preload/driver/real.h"
#include "preload/repair/compare.h"
#include "preload/repair/origins.h"
#include "preload/repair/reasons.h"
#include "preload/repair/repair_plan.h"
#include "preload/repair/stream_order.h"

static struct xs_back_off back_off;

/* Our asynchronous copies: how many threads are queuing one, how many copies were queued, and how many of the queued
 * copies are known to be done. All are in one stream. */
static _Atomic unsigned queuing, left; /* left: those of `queuing` that never end, because of a jump */
static _Atomic uint64_t queued, over;
static _Atomic(CUstream) their_stream;
static _Atomic(CUcontext) their_context;
#define QUEUING_ROUNDS 100000 /* rounds of waiting for a thread that is queuing a copy */

static void refuse(const char *why) { xs_repair_refused(XS_REPAIR_STAY_ON_DEVICE, why); }

static bool start(const char **why) {
    *why = XS_WHY_NO_FUNCTION;
    if (!xs_beneath(cuMemcpyDtoDAsync_v2) || !xs_beneath(cuMemcpyDtoHAsync_v2) || !xs_beneath(cuStreamSynchronize) ||
        !xs_driver(cuCtxPushCurrent_v2) || !xs_driver(cuCtxPopCurrent_v2))
        return false;
    *why = "no memory for the plan";
    return xs_origins_start();
}

/* ---- asynchronous copies that may still run ---- */

/* Waits for the copies. The copies end without the program's help: when they were queued, no work could wait for the
 * program, and later work runs after them. */
static void wait_for_copies(void) {
    CUcontext popped;
    for (int i = 0; atomic_load(&queuing) > atomic_load(&left); i++) {
        if (i == QUEUING_ROUNDS)
            atomic_store(&left, atomic_load(&queuing));
        sched_yield();
    }
    uint64_t waited_for = atomic_load(&queued);
    if (xs_driver(cuCtxPushCurrent_v2)(atomic_load(&their_context)) == CUDA_SUCCESS) {
        xs_beneath(cuStreamSynchronize)(atomic_load(&their_stream));
        xs_driver(cuCtxPopCurrent_v2)(&popped);
    }
    atomic_store(&over, waited_for);
}

static void before(const struct xs_repair_call *call) {
    xs_streams_saw(call);
    xs_contents_saw(call);
    if (XS_LIKELY(atomic_load(&queuing) <= atomic_load(&left) && atomic_load(&queued) == atomic_load(&over)))
        return;
    bool ends_something = call->category == XS_CAT_STREAM || call->category == XS_CAT_CONTEXT ||
                          (call->category == XS_CAT_FREE && !call->has_stream);
    if (ends_something || xs_streams_are_several() || atomic_load(&xs_repair_may_hold))
        wait_for_copies();
}

static void after(const struct xs_repair_call *call) {
    if (call->copy && call->result != CUDA_SUCCESS)
        xs_origins_failed(call->copy);
}

/* ---- the copy on the device ---- */

static bool overlap(const struct xs_repair_copy *copy, const struct xs_repair_origin *origin) {
    return origin->device < copy->device + copy->bytes && copy->device < origin->device + copy->bytes;
}

/* Returns NULL if the origin still has its content, in whatever order other work runs; else the reason why that is not
 * certain. */
static const char *disturbed(const struct xs_repair_copy *copy, const struct xs_repair_origin *origin) {
    if (overlap(copy, origin))
        return "the origin overlaps the destination";
    return xs_streams_others_since(origin->moment, copy) ? "other work may change the origin" : NULL;
}

static CUresult queue(const struct xs_repair_copy *copy, const struct xs_repair_origin *origin) {
    xs_streams_saw_copy(copy);
    return xs_beneath(cuMemcpyDtoDAsync_v2)(copy->device, origin->device, copy->bytes,
                                            xs_stream_handle(copy->stream, copy->is_per_thread));
}

static const char *copy_and_wait(const struct xs_repair_copy *copy, const struct xs_repair_origin *origin) {
    CUresult r = queue(copy, origin);
    r = r == CUDA_SUCCESS ? xs_beneath(cuStreamSynchronize)(xs_stream_handle(copy->stream, copy->is_per_thread)) : r;
    return r == CUDA_SUCCESS ? disturbed(copy, origin) : XS_WHY_DRIVER_ERROR;
}

/* Makes the copy without waiting. A thread that gives work to another stream first notes that there are several
 * streams, and then checks whether one of our copies may be running. This function first notes its copy, and then
 * checks whether there are several streams. So at least one of the two threads sees the other. */
static const char *copy_without_wait(const struct xs_repair_copy *copy, const struct xs_repair_origin *origin) {
    if (copy->is_per_thread)
        return "asynchronous, in a thread's own stream";
    atomic_fetch_add(&queuing, 1);
    const char *why = NULL;
    if (xs_streams_are_several()) {
        why = "asynchronous, beside other streams";
    } else if (atomic_load(&xs_repair_may_hold)) {
        why = XS_WHY_MAY_HOLD;
    } else {
        atomic_store(&their_context, copy->context);
        atomic_store(&their_stream, xs_stream_handle(copy->stream, copy->is_per_thread));
        why = queue(copy, origin) == CUDA_SUCCESS ? disturbed(copy, origin) : XS_WHY_DRIVER_ERROR;
        atomic_fetch_add(&queued, 1);
    }
    atomic_fetch_sub(&queuing, 1);
    return why;
}

/* Makes the copy on the device. NULL: the copy was made. Else returns the reason why it was not made; the upload must
 * then be made, and overwrites whatever the copy wrote. */
static const char *copy_on_device(const struct xs_repair_copy *copy, const struct xs_repair_origin *origin, bool wait) {
    const char *why = disturbed(copy, origin);
    if (why)
        return why;
    xs_repair_settle();
    return wait || copy->is_blocking ? copy_and_wait(copy, origin) : copy_without_wait(copy, origin);
}

/* ---- choosing copies ---- */

static const char *by_plan(const struct xs_repair_copy *copy, const struct xs_plan_line *line, bool *is_made) {
    struct xs_repair_origin origin;
    const char *why = line->has_from ? xs_contents_untouchable(copy) : "the plan names no origin";
    why = why ? why : xs_origins_at(&line->from, copy, &origin);
    if (!why && xs_plan_mode == XS_PLAN_VERIFY) {
        why = disturbed(copy, &origin);
        if (!why)
            xs_contents_verify(XS_REPAIR_STAY_ON_DEVICE, copy, origin.device);
        return why;
    }
    why = why ? why : copy_on_device(copy, &origin, false);
    *is_made = !why;
    return why;
}

static const char *by_content(const struct xs_repair_copy *copy, bool *is_made) {
    struct xs_repair_origin origin;
    const char *why = xs_contents_untouchable(copy);
    why = why ? why : xs_contents_unfit(copy);
    why = why ? why : xs_origins_of_host(copy, &origin);
    why = why ? why : disturbed(copy, &origin);
    why = why ? why : xs_contents_differ(&back_off, copy, origin.device);
    why = why ? why : copy_on_device(copy, &origin, true);
    *is_made = !why;
    return why;
}

static bool offer(const struct xs_repair_copy *copy, CUresult *result) {
    const struct xs_plan_line *line =
        xs_plan_mode == XS_PLAN_ABSENT ? NULL : xs_plan_of_copy(XS_REPAIR_STAY_ON_DEVICE, copy);
    uint64_t moment = xs_streams_now();
    bool is_made = false;
    const char *why = NULL;
    if (line)
        why = by_plan(copy, line, &is_made);
    else if (xs_plan_mode == XS_PLAN_ABSENT && copy->is_upload)
        why = by_content(copy, &is_made);
    xs_origins_saw(copy, moment);
    if (is_made) {
        xs_repair_applied(XS_REPAIR_STAY_ON_DEVICE, copy->bytes);
        xs_cupti_correlation = 0; /* the device has no record of an upload */
        *result = CUDA_SUCCESS;
        return true;
    }
    if (why)
        refuse(why);
    xs_streams_saw_copy(copy);
    return false;
}

const struct xs_repair_hooks xs_repair_stay_on_device = {
    .start = start, .copy = offer, .before = before, .after = after};
