/* Fingerprints of what copies move: which side computes one, when, and what may be spent on it. The wrappers call this
 * before and after the real call; what comes of it is in the event, or follows it into the trace. */
#ifndef XFERSPY_PRELOAD_FINGERPRINT_H
#define XFERSPY_PRELOAD_FINGERPRINT_H

#include <stdatomic.h>

#include "preload/core/compiler.h"
#include "preload/fingerprint/aside.h"
#include "preload/fingerprint/device.h"
#include "schema/clock.h"
#include "schema/event.h"

enum xs_fingerprint_mode { XS_FINGERPRINT_OFF, XS_FINGERPRINT_AUTO, XS_FINGERPRINT_ALL };

/* Set before capture begins; afterwards constant. */
extern enum xs_fingerprint_mode xs_fingerprint_mode;

/* `mode`: "off", "auto" or "all"; `share_percent` of the wall time may be spent in auto. */
void xs_fingerprint_start(const char *mode, unsigned share_percent, const struct xs_clock *clock);

/* Of the copy that the calling thread is about to make: nothing but an address that nobody knows says that a side of it is
 * on the host. Set by whoever decodes a copy, before xs_fingerprint_before. */
extern XS_TLS bool xs_fingerprint_guessed;

/* Around the real call of a copy: decides and does what has to come before; does the rest. The second may commit `e`
 * and returns what xs_end commits. Nothing where fingerprints are off. */
void xs_fingerprint_before_copy(struct xs_event *e);
struct xs_event *xs_fingerprint_after_copy(struct xs_event *e, CUresult result);
XS_HOT void xs_fingerprint_before(struct xs_event *e) {
    if (xs_fingerprint_mode != XS_FINGERPRINT_OFF) {
        xs_fingerprint_before_copy(e);
    }
}
XS_HOT struct xs_event *xs_fingerprint_after(struct xs_event *e, CUresult result) {
    return xs_fingerprint_mode != XS_FINGERPRINT_OFF ? xs_fingerprint_after_copy(e, result) : e;
}

/* Before the real call of anything else. Work of another stream is ordered behind this one's copies only by calls that
 * name this stream, or none, or a default stream. */
XS_HOT void xs_fingerprint_join(const struct xs_event *e) {
    if (XS_UNLIKELY(atomic_load_explicit(&xs_asides_ahead, memory_order_acquire) > 0)) {
        bool own = (e->flags & (XS_FLAG_HAS_STREAM | XS_FLAG_PER_THREAD)) == XS_FLAG_HAS_STREAM;
        xs_device_join(own ? (CUstream)e->stream : NULL);
    }
}

/* Before a call that passes unrecorded: after capture ended early there may still be something to join. */
void xs_fingerprint_join_late(void);
XS_HOT void xs_fingerprint_not_recorded(void) {
    if (XS_UNLIKELY(atomic_load_explicit(&xs_asides_ahead, memory_order_acquire) > 0)) {
        xs_fingerprint_join_late();
    }
}

/* After the real call of anything else by which the application may have written device memory. */
XS_HOT void xs_fingerprint_written(void) {
    if (!(atomic_load_explicit(&xs_write_epoch, memory_order_acquire) & 1)) {
        atomic_fetch_or_explicit(&xs_write_epoch, 1, memory_order_acq_rel);
    }
}

/* Before memory goes: another thread may have its address as soon as it has gone. */
XS_HOT void xs_fingerprint_freeing(const struct xs_event *e) {
    xs_fingerprint_join(e);
    xs_fingerprint_written();
    if (XS_UNLIKELY(atomic_load_explicit(&xs_device_late, memory_order_acquire) > 0)) {
        xs_device_wait_late();
    }
}

/* After a stream memory operation, a host function or a graph, which may hold either, or where the memory may be written
 * from outside from now on: work that is already with the driver may wait for something that the application does
 * without a call. */
static inline void xs_fingerprint_gated(void) {
    xs_write_epoch_never_holds();
    xs_fingerprint_written();
}

/* Where a cooperative kernel may still be running: its stream, plus 1; UINTPTR_MAX: in several, or in one without a name of
 * its own; 0: nowhere. Such a kernel may hold the whole device and wait for copies behind which ours would wait for it. */
extern _Atomic uintptr_t xs_fingerprint_held;
void xs_fingerprint_launched_special(const struct xs_event *e, CUresult result);
XS_HOT void xs_fingerprint_launched(const struct xs_event *e, CUresult result) {
    if (XS_UNLIKELY(e->launch.kind != XS_LAUNCH_KERNEL)) {
        xs_fingerprint_launched_special(e, result);
    }
    xs_fingerprint_written();
}

/* After a wait (`e` may be NULL). */
void xs_fingerprint_let_go(const struct xs_event *e);
XS_HOT void xs_fingerprint_synchronised(const struct xs_event *e, CUresult result) {
    if (XS_UNLIKELY(atomic_load_explicit(&xs_fingerprint_held, memory_order_relaxed) != 0) && e &&
        e->kind == XS_EVENT_SYNC && result == CUDA_SUCCESS) {
        xs_fingerprint_let_go(e);
    }
}

/* A context is gone, and what ran in it. */
void xs_fingerprint_context_gone(uint64_t context);

/* After an allocation failed for want of device memory: frees what fingerprints have, which may wait for the device, so
 * not where the call itself never would. True: to be tried again. */
bool xs_fingerprint_give_back(const struct xs_event *e);

/* What the trace's meta says of the cost at the end. */
void xs_fingerprint_write_cost(struct xs_store *store);

#endif
