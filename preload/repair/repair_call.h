/* Defines, for the repairs, the functions and macros that the rows of the entry-point table (driver/entry_points.def)
 * call. intercept/capture_call.h defines functions of the same names for capture, so one row describes a call for both.
 *
 * While capture is off, these functions also keep the lists of memory ranges and contexts up to date, because at that
 * time no other code does so. Only around.c includes this file. */
#ifndef XFERSPY_PRELOAD_REPAIR_REPAIR_CALL_H
#define XFERSPY_PRELOAD_REPAIR_REPAIR_CALL_H

#include "preload/capture/described_call.h"
#include "preload/core/state.h"
#include "preload/driver/driver_context.h"
#include "preload/driver/real.h"
#include "preload/repair/repair_hooks_internal.h"

/* Only capture needs these functions; for the repairs they do nothing. */
#define xs_peer(...) XS_NOTHING
#define xs_copy_2d(...) XS_NOTHING
#define xs_copy_3d(...) XS_NOTHING
#define xs_copy_3d_peer(...) XS_NOTHING
#define xs_copy_3d_op(...) XS_NOTHING
#define xs_batch(...) XS_NOTHING
#define xs_batch_3d(...) XS_NOTHING
#define xs_memset(...) XS_NOTHING
#define xs_ask(...) XS_NOTHING
#define xs_array_created(...) XS_NOTHING
#define xs_arguments(...) XS_NOTHING
#define xs_sync(...) XS_NOTHING
#define xs_not_recorded(...) XS_NOTHING
#define xs_api(...) XS_NOTHING
#define xs_object(...) XS_NOTHING
#define xs_argument(...) XS_NOTHING
#define xs_bytes(...) XS_NOTHING
#define xs_functions_go(...) XS_NOTHING
#define xs_variables_gone(...) XS_NOTHING
#define xs_context_going(...) XS_NOTHING
#define xs_device_stream_going(...) XS_NOTHING
#define xs_stream_going(...) XS_NOTHING
#define xs_stream_gone(...) XS_NOTHING

/* ---- the stream ---- */

XS_HOT void xs_on(struct xs_call *call, CUstream stream) { xs_describe_stream(call, stream); }
XS_HOT void xs_blocking(struct xs_call *call) {
    xs_on(call, NULL);
    call->is_blocking = true;
}
XS_HOT void xs_async(struct xs_call *call, CUstream stream) { xs_on(call, stream); }

/* ---- copies ---- */

XS_HOT void xs_copy(struct xs_call *call, struct xs_operand dst, struct xs_operand src, size_t bytes) {
    xs_describe_copy(call, dst, src, bytes);
}

/* ---- memory; while capture is off ---- */

void xs_around_memory(uint64_t address, uint64_t bytes, enum xs_memory_kind kind, enum xs_origin origin, bool slow);
void xs_around_mapped(CUdeviceptr p, size_t bytes, CUmemGenericAllocationHandle handle);
void xs_around_context_gone(CUcontext context);

XS_HOT bool xs_around_keeps_the_map(void) {
    return atomic_load_explicit(&xs_state, memory_order_relaxed) != XS_STATE_ACTIVE;
}
XS_HOT void xs_allocated(struct xs_call *call, CUdeviceptr p, uint64_t bytes, enum xs_memory_kind kind,
                         enum xs_origin origin) {
    (void)call;
    if (origin == XS_ORIGIN_IPC || origin == XS_ORIGIN_EXTERNAL)
        atomic_store_explicit(&xs_repair_handed_out, true, memory_order_relaxed);
    if (xs_around_keeps_the_map())
        xs_around_memory(p, bytes, kind, origin, false);
}
XS_HOT void xs_page_locked(const struct xs_call *call, const void *p, size_t bytes, enum xs_memory_kind kind,
                           bool slow) {
    (void)call;
    if (xs_around_keeps_the_map())
        xs_around_memory(XS_WORD(p), bytes, kind, XS_ORIGIN_ALLOC, slow);
}
XS_HOT void xs_mapped(const struct xs_call *call, CUdeviceptr p, size_t bytes, CUmemGenericAllocationHandle handle) {
    (void)call;
    if (xs_around_keeps_the_map())
        xs_around_mapped(p, bytes, handle);
}
XS_HOT void xs_looked_up(const struct xs_call *call, const CUdeviceptr *out, const size_t *bytes,
                         enum xs_memory_kind kind) {
    if (xs_succeeded(call) && out && *out && xs_around_keeps_the_map())
        xs_around_memory(*out, bytes ? *bytes : xs_range_bytes(*out), kind, XS_ORIGIN_MODULE, false);
}

/* xs_free is called before the driver's free, because another thread may get the same address before that call returns.
 * xs_freed is called after the driver's free, and inserts the range again if the free failed. */
XS_HOT void xs_free(struct xs_call *call, uint64_t address, struct xs_memory_range *range) {
    call->freed = address;
    if (!xs_around_keeps_the_map() || !xs_map_remove(address, range))
        range->start = range->end = 0;
}
XS_HOT void xs_freed(const struct xs_call *call, const struct xs_memory_range *range) {
    if (!xs_succeeded(call) && range->end > range->start)
        xs_map_insert(range);
}
#define xs_unmap(call, p, bytes) XS_NOTHING
XS_HOT void xs_unmapped(const struct xs_call *call, CUdeviceptr p, size_t bytes) {
    struct xs_memory_range range;
    while (xs_succeeded(call) && xs_around_keeps_the_map() && xs_map_remove_within(p, p + bytes, &range)) {
    }
}

/* ---- work that may wait ---- */

XS_HOT void xs_may_hold(void) { atomic_store_explicit(&xs_repair_may_hold, true, memory_order_relaxed); }

#define xs_launch(call, kind, ...)                                                                                     \
    if ((kind) != XS_LAUNCH_KERNEL)                                                                                    \
        xs_may_hold();
XS_HOT void xs_attributes(struct xs_call *call, const CUlaunchConfig *config) {
    (void)call;
    for (unsigned i = 0; config && config->attrs && i < config->numAttrs; i++)
        if (config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE && config->attrs[i].value.cooperative)
            xs_may_hold();
}

/* Runs after memory was shared with others, or after a stream was made to wait for something outside of the process.
 */
XS_HOT void xs_fingerprint_never_holds(void) {
    atomic_store_explicit(&xs_repair_handed_out, true, memory_order_relaxed);
    xs_may_hold();
}

/* ---- stream capture ---- */

XS_HOT void xs_runs_elsewhere(const struct xs_call *call) {
    if (xs_succeeded(call))
        xs_fingerprint_never_holds();
}
XS_HOT void xs_capture_begun(const struct xs_call *call) {
    if (xs_succeeded(call))
        atomic_fetch_add(&xs_repair_captures, 1);
}
XS_HOT void xs_capture_ended(const struct xs_call *call) {
    if (xs_has_ended_capture(call) && atomic_fetch_sub(&xs_repair_captures, 1) <= 0)
        atomic_store(&xs_repair_captures, 0); /* the capture began before the repairs were on */
}

/* ---- contexts; while capture is off ---- */

XS_HOT void xs_context_made(const struct xs_call *call, CUcontext context, CUdevice device, bool primary) {
    (void)call;
    if (xs_around_keeps_the_map())
        xs_context_learn(context, device, primary);
}
XS_HOT void xs_context_gone(const struct xs_call *call, CUcontext context) {
    if (xs_succeeded(call) && xs_around_keeps_the_map())
        xs_around_context_gone(context);
}
/* Forgets a primary context that nobody retains any more: it no longer exists, and another context may get its
 * handle. */
XS_HOT void xs_primary_released(const struct xs_call *call, CUdevice device) {
    unsigned flags;
    int is_active = 1;
    __typeof__(&cuDevicePrimaryCtxGetState) ask = xs_driver(cuDevicePrimaryCtxGetState);
    if (xs_succeeded(call) && ask && ask(device, &flags, &is_active) == CUDA_SUCCESS && !is_active)
        xs_context_gone(call, xs_context_primary(device));
}
#define xs_context_detached(...) XS_NOTHING

#endif
