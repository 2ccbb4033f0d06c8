/* The repair drop-uploads: an upload is left out if the destination already holds its content.
 *
 * Unchanged behaviour:
 * - A blocking upload returns when all earlier work of its stream is done, also if the upload is left out. Programs
 *   rely on this: after it they read page-locked memory that a kernel wrote, or give work to a non-blocking stream.
 * - An operation in the legacy default stream keeps the blocking streams in order with each other. To keep this order,
 *   one byte of the upload is still copied once more than one stream has got work. Changed behaviour: a later call may
 *   return an error of earlier work that this upload would have returned. CUDA allows this.
 *
 * Without a plan, contents are compared each time, in the order of the stream (compare.h), at the point where the
 * upload would be made. With a plan of mode apply they are not compared, because the trace has shown that they are
 * equal for this copy. */
#include <stdatomic.h>

#include "preload/core/thread.h"
#include "preload/repair/compare.h"
#include "preload/repair/origins.h"
#include "preload/repair/reasons.h"
#include "preload/repair/repair_plan.h"
#include "preload/repair/stream_order.h"

static struct xs_back_off back_off;

static void refuse(const char *why) { xs_repair_refused(XS_REPAIR_DROP_UPLOADS, why); }

static bool start(const char **why) {
    *why = XS_WHY_NO_FUNCTION;
    return xs_beneath(cuMemcpyHtoDAsync_v2) && xs_beneath(cuMemcpyDtoHAsync_v2) && xs_beneath(cuStreamSynchronize);
}

/* Keeps the order of the streams as the upload would, and waits as the upload would. False: the driver returned an
 * error; the upload must be made, so that it returns the error to the program. */
static bool keep_order(const struct xs_repair_copy *copy) {
    bool has_marker = xs_streams_is_legacy(copy) && xs_streams_are_several();
    CUstream stream = xs_stream_handle(copy->stream, copy->is_per_thread);
    CUresult r = CUDA_SUCCESS;
    if (has_marker || copy->is_blocking)
        xs_repair_settle();
    if (has_marker) {
        // NOLINTNEXTLINE(performance-no-int-to-ptr): the program's own pointer
        r = xs_beneath(cuMemcpyHtoDAsync_v2)(copy->device, (const void *)(uintptr_t)copy->host, 1, stream);
    }
    if (r == CUDA_SUCCESS && copy->is_blocking)
        r = xs_beneath(cuStreamSynchronize)(stream);
    return r == CUDA_SUCCESS;
}

static bool done(const struct xs_repair_copy *copy, CUresult *result) {
    xs_origins_saw(copy, xs_streams_now());
    xs_repair_applied(XS_REPAIR_DROP_UPLOADS, copy->bytes);
    xs_cupti_correlation = 0; /* no device work belongs to this upload */
    *result = CUDA_SUCCESS;
    return true;
}

static bool by_plan(const struct xs_repair_copy *copy, CUresult *result) {
    if (!xs_plan_of_copy(XS_REPAIR_DROP_UPLOADS, copy))
        return false;
    const char *why = xs_contents_untouchable(copy);
    if (why)
        refuse(why);
    else if (xs_plan_mode == XS_PLAN_VERIFY)
        xs_contents_verify(XS_REPAIR_DROP_UPLOADS, copy, copy->device);
    else if (keep_order(copy))
        return done(copy, result);
    else
        refuse(XS_WHY_DRIVER_ERROR);
    return false;
}

/* Leaves the upload out if a comparison shows equal contents. The comparison is itself an operation in the copy's
 * stream, and the host waits for it, so the order of the streams is kept. */
static bool by_content(const struct xs_repair_copy *copy, CUresult *result) {
    if (!copy->is_upload)
        return false;
    const char *why = xs_contents_untouchable(copy);
    why = why ? why : xs_contents_unfit(copy);
    why = why ? why : xs_contents_differ(&back_off, copy, copy->device);
    if (!why)
        return done(copy, result);
    refuse(why);
    return false;
}

static bool offer(const struct xs_repair_copy *copy, CUresult *result) {
    xs_streams_saw_stream(copy);
    return xs_plan_mode == XS_PLAN_ABSENT ? by_content(copy, result) : by_plan(copy, result);
}

static void before(const struct xs_repair_call *call) {
    xs_streams_saw(call);
    xs_contents_saw(call);
}

const struct xs_repair_hooks xs_repair_drop_uploads = {.start = start, .copy = offer, .before = before};
