/* Takes fingerprints of the content that copies move. Decides whether the host or the device computes a fingerprint,
 * when, and how much time may be spent on it. The wrappers call these functions before and after the real call, on the
 * application's thread between xs_begin and xs_end. The fingerprint is written into the trace with the event or after
 * it. */
#ifndef XFERSPY_PRELOAD_FINGERPRINT_FINGERPRINT_H
#define XFERSPY_PRELOAD_FINGERPRINT_FINGERPRINT_H

#include <stdatomic.h>

#include "preload/core/compiler.h"
#include "preload/fingerprint/fingerprint_device.h"
#include "preload/fingerprint/side_stream.h"
#include "schema/clock.h"
#include "schema/format/event.h"

enum xs_fingerprint_mode { XS_FINGERPRINT_OFF, XS_FINGERPRINT_AUTO, XS_FINGERPRINT_ALL };

/* The mode is set before capture begins, and does not change afterwards. */
extern enum xs_fingerprint_mode xs_fingerprint_mode;

/* Starts fingerprints. `mode` is the option's value ("off", "auto" or "all"); in "auto" fingerprints may spend
 * `share_permille` of the wall time. This function is called once, before capture begins. */
void xs_fingerprint_start(const char *mode, unsigned share_permille, const struct xs_clock *clock);

/* True if a call that copies from or into pageable memory returns only when the driver no longer needs this memory.
 * xs_fingerprint_start finds this out; before, the result is false. */
bool xs_fingerprint_pageable_is_staged(void);

/* Returns the time that fingerprints have cost the program so far. Any thread. */
uint64_t xs_fingerprint_cost_ns(void);

/* Tells the budget of fingerprints how much time the wrappers have spent so far (xs_budget_others). This function is
 * called by one thread only. */
void xs_fingerprint_others_cost(uint64_t ns);

/* True if one side of the copy is assumed to be in host memory, although neither a parameter's type nor a known address
 * shows this. The decoder of a copy sets this before xs_fingerprint_before is called. */
extern XS_TLS bool xs_fingerprint_guessed;

/* These two functions are called before and after the real call of a copy. xs_fingerprint_before decides how the
 * content is fingerprinted, and does what has to be done before the call; `stack` identifies the calling thread's own
 * stack (xs_callsite_number). xs_fingerprint_after does the rest; it may commit `e`, and returns the event that xs_end
 * must commit. Both do nothing while fingerprints are off. */
void xs_fingerprint_before_copy(struct xs_event *e, uint32_t stack);
struct xs_event *xs_fingerprint_after_copy(struct xs_event *e, CUresult result);
XS_HOT void xs_fingerprint_before(struct xs_event *e, uint32_t stack) {
    if (xs_fingerprint_mode != XS_FINGERPRINT_OFF)
        xs_fingerprint_before_copy(e, stack);
}
XS_HOT struct xs_event *xs_fingerprint_after(struct xs_event *e, CUresult result) {
    return xs_fingerprint_mode != XS_FINGERPRINT_OFF ? xs_fingerprint_after_copy(e, result) : e;
}

/* Runs before the real call of every function that is not a copy. Makes the application's streams wait for
 * fingerprint kernels that run at the same time as their copies (side_stream.h), because the call may order other work
 * after these copies. A call that names a stream (other than a default stream) can order work only after the copies of
 * this stream, so only this stream is made to wait. Any other call makes all streams wait. */
XS_HOT void xs_fingerprint_join(const struct xs_event *e) {
    if (XS_UNLIKELY(atomic_load_explicit(&xs_asides_ahead, memory_order_acquire) > 0)) {
        bool own = (e->flags & (XS_FLAG_HAS_STREAM | XS_FLAG_PER_THREAD)) == XS_FLAG_HAS_STREAM;
        xs_device_join(own ? (CUstream)e->stream : NULL);
    }
}

/* Runs before a call that is not recorded. If capture ended early, some streams may still have to wait for
 * fingerprint kernels; this function makes them wait. */
void xs_fingerprint_join_late(void);
XS_HOT void xs_fingerprint_not_recorded(void) {
    if (XS_UNLIKELY(atomic_load_explicit(&xs_asides_ahead, memory_order_acquire) > 0))
        xs_fingerprint_join_late();
}

/* Runs after the real call of a function that is not a copy, if this call may write device memory. */
XS_HOT void xs_fingerprint_written(void) {
    if (!(atomic_load_explicit(&xs_write_epoch, memory_order_acquire) & 1))
        atomic_fetch_or_explicit(&xs_write_epoch, 1, memory_order_acq_rel);
}

/* Runs before memory is freed, because another thread may get the same address immediately afterwards. */
XS_HOT void xs_fingerprint_freeing(const struct xs_event *e) {
    xs_fingerprint_join(e);
    xs_fingerprint_written();
    if (XS_UNLIKELY(atomic_load_explicit(&xs_device_late, memory_order_acquire) > 0))
        xs_device_wait_late();
}

/* Runs after a stream memory operation, a host function, or a graph that may contain one of these. It also runs after a
 * call that lets other processes or devices write the memory. From then on, work that the driver already has may start
 * because of something that the application does without a call, so memory may change at any time. */
static inline void xs_fingerprint_never_holds(void) {
    xs_write_epoch_never_holds();
    xs_fingerprint_written();
}

/* The handle, plus 1, of the stream in which a cooperative kernel may still be running. UINTPTR_MAX means several
 * streams or a default stream, and 0 means no stream. Such a kernel may occupy the whole device and wait for later
 * copies. A fingerprint kernel would wait for the cooperative kernel, and delay the copies. */
extern _Atomic uintptr_t xs_fingerprint_held;
void xs_fingerprint_launched_special(const struct xs_event *e, CUresult result);
XS_HOT void xs_fingerprint_launched(const struct xs_event *e, CUresult result) {
    if (XS_UNLIKELY(e->launch.kind != XS_LAUNCH_KERNEL))
        xs_fingerprint_launched_special(e, result);
    xs_fingerprint_written();
}

/* xs_fingerprint_synchronised is called after a wait of the application; if the wait shows that the cooperative kernel
 * has ended, xs_fingerprint_let_go resets xs_fingerprint_held. `e` may be NULL. */
void xs_fingerprint_let_go(const struct xs_event *e);
XS_HOT void xs_fingerprint_synchronised(const struct xs_event *e, CUresult result) {
    if (XS_UNLIKELY(atomic_load_explicit(&xs_fingerprint_held, memory_order_relaxed) != 0) && e &&
        e->kind == XS_EVENT_SYNC && result == CUDA_SUCCESS)
        xs_fingerprint_let_go(e);
}

/* Runs when a context, and with it all its work, has been destroyed. */
void xs_fingerprint_context_gone(uint64_t context);

/* Runs after an allocation failed for lack of device memory. Frees the memory that fingerprints have in the context
 * of the failed call. Freeing may wait for the device, so nothing is freed if the failed call is asynchronous. True:
 * memory was freed, and the call must be repeated. */
bool xs_fingerprint_give_back(const struct xs_event *e);

/* Writes the cost of fingerprints into the trace's table meta, inside the caller's batch. Drain thread only. */
void xs_fingerprint_write_cost(struct xs_store *store);

#endif
