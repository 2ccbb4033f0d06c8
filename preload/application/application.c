/* Defines the functions that the application itself may call; see xferspy.h. */
#define XFERSPY_CALL /* defined here, so not weak */
#include "preload/application/xferspy.h"

#include <stdatomic.h>
#include <string.h>

#include "preload/core/alternate_stack.h"
#include "preload/core/compiler.h"
#include "preload/core/guard.h"
#include "preload/core/quiescence.h"
#include "preload/core/state.h"
#include "preload/nvtx/nvtx.h"
#include "preload/nvtx/open.h"
#include "preload/session/complete.h"
#include "preload/session/drain.h"

static bool is_recorded(void) { return atomic_load(&xs_state) == XS_STATE_ACTIVE; }

/* ---- ranges ---- */

static _Atomic bool is_prepared;

XS_EXPORT uint64_t xferspy_range_start(const char *name) {
    if (!atomic_load_explicit(&is_prepared, memory_order_acquire)) {
        if (!xs_nvtx_prepare())
            return 0;
        atomic_store_explicit(&is_prepared, true, memory_order_release);
    }
    return xs_range_start(0, (struct xs_range_label){name ? name : "", 0});
}

XS_EXPORT void xferspy_range_end(uint64_t range) {
    if (range && atomic_load_explicit(&is_prepared, memory_order_acquire))
        xs_range_end(range);
}

/* ---- counts ---- */

XS_EXPORT int xferspy_count(struct xferspy_counts *counts, size_t bytes) {
    if (!counts || !is_recorded())
        return 0;
    struct xs_gate_counts gate = xs_gate_counts();
    struct xferspy_counts all = {.h2d = gate.moved[XS_DIR_H2D],
                                 .h2d_bytes = gate.moved_bytes[XS_DIR_H2D],
                                 .d2h = gate.moved[XS_DIR_D2H],
                                 .d2h_bytes = gate.moved_bytes[XS_DIR_D2H],
                                 .waits = gate.waits,
                                 .not_counted = gate.left_out[XS_LEFT_OUT_TRANSFER] + gate.left_out[XS_LEFT_OUT_OTHER]};
    for (unsigned i = 0; i < XS_DIRECTION_COUNT; i++) {
        bool is_other = i != XS_DIR_H2D && i != XS_DIR_D2H;
        all.other += is_other ? gate.moved[i] : 0;
        all.other_bytes += is_other ? gate.moved_bytes[i] : 0;
    }
    memset(counts, 0, bytes);
    memcpy(counts, &all, bytes < sizeof all ? bytes : sizeof all);
    return 1;
}

/* ---- the trace ---- */

static void make_complete(void *is_complete) { *(bool *)is_complete = xs_make_complete() == NULL; }

XS_EXPORT int xferspy_snapshot(void) {
    bool is_complete = false;
    struct xs_guard_own own;
    if (!is_recorded())
        return 0;
    xs_guard_enter(&own);
    xs_on_scratch(make_complete, &is_complete);
    xs_guard_leave(&own);
    return is_complete;
}

XS_EXPORT const char *xferspy_trace(void) { return is_recorded() ? xs_drain_path() : NULL; }
