/* The wrappers expand the table of entry points. Each wrapper begins an event, makes the real call and ends the
 * event. */
#include "preload/callsite/callsite.h"
#include "preload/core/outside.h"
#include "preload/core/own_cost.h"
#include "preload/cupti/device_failure.h"
#include "preload/driver/real.h"
#include "preload/intercept/call.h"
#include "preload/intercept/step_end.h"

/* The functions below are inlined into every wrapper, where the category is a constant: only one case of each switch
 * remains. */

/* Does the event record its call site? */
XS_HOT bool has_callsite(const struct xs_call *call, enum xs_category category) {
    switch (category) {
    case XS_CAT_TRANSFER:
    case XS_CAT_MEMSET:
    case XS_CAT_ALLOCATE:
    case XS_CAT_FREE:
        return xs_callsite_wanted();
    case XS_CAT_SYNC:
        return call->event->kind == XS_EVENT_SYNC && xs_callsite_wanted(); /* waits alone */
    case XS_CAT_LAUNCH:
    case XS_CAT_MANAGED:
    case XS_CAT_STREAM_MEMOP:
    case XS_CAT_CAPTURE:
    case XS_CAT_GRAPH:
    case XS_CAT_CONTEXT:
    case XS_CAT_STREAM:
    case XS_CAT_LOOKUP:
        return false;
    }
    return false;
}

/* Prepares content fingerprints before the real call. */
XS_HOT void prepare_contents(const struct xs_call *call, enum xs_category category) {
    switch (category) {
    case XS_CAT_TRANSFER:
        xs_fingerprint_before(call->event);
        break;
    case XS_CAT_FREE:
        xs_fingerprint_freeing(call->event);
        break;
    case XS_CAT_MEMSET:
    case XS_CAT_ALLOCATE:
    case XS_CAT_LAUNCH:
    case XS_CAT_SYNC:
    case XS_CAT_MANAGED:
    case XS_CAT_STREAM_MEMOP:
    case XS_CAT_CAPTURE:
    case XS_CAT_GRAPH:
    case XS_CAT_CONTEXT:
    case XS_CAT_STREAM:
    case XS_CAT_LOOKUP:
        xs_fingerprint_join(call->event);
        break;
    }
}

/* Updates content fingerprints after the real call. */
XS_HOT void follow_contents(struct xs_call *call, enum xs_category category) {
    switch (category) {
    case XS_CAT_TRANSFER:
        call->event = xs_fingerprint_after(call->event, call->result);
        break;
    case XS_CAT_MEMSET:
    case XS_CAT_FREE:
    case XS_CAT_MANAGED: /* includes cuMemBatchDecompressAsync */
        xs_fingerprint_written();
        break;
    case XS_CAT_LAUNCH:
        xs_fingerprint_launched(call->event, call->result);
        break;
    case XS_CAT_SYNC:
        xs_fingerprint_synchronised(call->event, call->result);
        break;
    case XS_CAT_STREAM_MEMOP:
        xs_fingerprint_gated();
        break;
    case XS_CAT_ALLOCATE:
    case XS_CAT_CAPTURE:
    case XS_CAT_GRAPH:
    case XS_CAT_CONTEXT:
    case XS_CAT_STREAM:
    case XS_CAT_LOOKUP:
        break;
    }
}

/* An allocation that ran out of memory is repeated if fingerprints could give back theirs. */
XS_HOT bool deserves_another_try(const struct xs_call *call, enum xs_category category) {
    return category == XS_CAT_ALLOCATE && XS_UNLIKELY(call->result == CUDA_ERROR_OUT_OF_MEMORY) &&
           xs_fingerprint_give_back(call->event);
}

/* Has the host just waited for the device? Then CUPTI can be attached or detached, if that is due. The moment lasts
 * until the thread gives the device new work. */
XS_HOT bool has_waited(const struct xs_call *call, enum xs_category category) {
    const int turn = atomic_load_explicit(&xs_cupti_turn_due, memory_order_relaxed);
    if (XS_LIKELY(turn == XS_CUPTI_NO_TURN) || !xs_succeeded(call))
        return false;
    const struct xs_event *e = call->event;
    switch (category) {
    case XS_CAT_SYNC:
        xs_cupti_moment |= e->kind == XS_EVENT_SYNC;
        return turn == XS_CUPTI_TURN_DUE && e->kind == XS_EVENT_SYNC;
    case XS_CAT_TRANSFER:
        xs_cupti_moment =
            e->kind == XS_EVENT_TRANSFER && e->transfer.direction == XS_DIR_D2H && !(e->flags & XS_FLAG_ASYNC);
        return turn == XS_CUPTI_TURN_DUE && xs_cupti_moment;
    case XS_CAT_LAUNCH:
    case XS_CAT_MEMSET:
    case XS_CAT_MANAGED:
    case XS_CAT_STREAM_MEMOP:
        xs_cupti_moment = false;
        return false;
    default:
        return false;
    }
}

/* Does the wrapper read the clock again after the call? Not for kernel launches: they are the most frequent call by
 * far, and reading the clock is a third of a wrapper's cost. */
XS_HOT bool has_return_tick(const struct xs_call *call, enum xs_category category) {
    return category != XS_CAT_LAUNCH || call->event->launch.kind != XS_LAUNCH_KERNEL;
}

/* ---- calls that are left out (core/outside.h) ---- */

/* Returns the kind of a left-out call. XS_LEFT_OUT_KINDS: the call is always recorded, because it gives addresses,
 * contents or handles their meaning. */
XS_HOT enum xs_left_out_kind left_out_kind(enum xs_category category) {
    switch (category) {
    case XS_CAT_TRANSFER:
        return XS_LEFT_OUT_TRANSFER;
    case XS_CAT_MEMSET:
        return XS_LEFT_OUT_MEMSET;
    case XS_CAT_LAUNCH:
        return XS_LEFT_OUT_LAUNCH;
    case XS_CAT_SYNC:
    case XS_CAT_MANAGED:
    case XS_CAT_STREAM_MEMOP:
        return XS_LEFT_OUT_OTHER;
    case XS_CAT_ALLOCATE:
    case XS_CAT_FREE:
    case XS_CAT_CAPTURE:
    case XS_CAT_GRAPH:
    case XS_CAT_CONTEXT:
    case XS_CAT_STREAM:
    case XS_CAT_LOOKUP:
        return XS_LEFT_OUT_KINDS;
    }
    return XS_LEFT_OUT_KINDS;
}

XS_HOT bool may_be_left_out(enum xs_category category) {
    return left_out_kind(category) != XS_LEFT_OUT_KINDS &&
           XS_UNLIKELY(atomic_load_explicit(&xs_outside, memory_order_relaxed));
}

/* Launches and waits are decoded even if left out, because fingerprints need their parameters. */
XS_HOT bool is_decoded_outside(enum xs_category category) {
    return category == XS_CAT_LAUNCH || category == XS_CAT_SYNC;
}

/* Keeps known contents true around a left-out call: the work is that of a recorded call, except that a copy is not
 * fingerprinted. */
XS_HOT void prepare_left_out(const struct xs_call *call) { xs_fingerprint_join(call->event); }

XS_HOT void follow_left_out(struct xs_call *call, enum xs_category category) {
    if (category == XS_CAT_TRANSFER)
        xs_fingerprint_written();
    else
        follow_contents(call, category);
}

/* ---- waits that may end a step (core/step_waits.h) ---- */

XS_HOT bool may_end_step(const struct xs_call *call, enum xs_category category) {
    return category == XS_CAT_SYNC && XS_UNLIKELY(atomic_load_explicit(&xs_step_waits_on, memory_order_relaxed)) &&
           call->event->kind == XS_EVENT_SYNC;
}

#define XS_ENTRY(symbol, row_category, row_default_stream, params, args, before, after)                                \
    XS_EXPORT CUresult CUDAAPI symbol params {                                                                         \
        const enum xs_category category = XS_CAT_##row_category;                                                       \
        struct xs_range range __attribute__((unused));                                                                 \
        struct xs_guard_note note;                                                                                     \
        struct xs_call begun, *const call = &begun;                                                                    \
        struct xs_step_end step = {.is_wait = false};                                                                  \
        __typeof__(&symbol) real = (__typeof__(&symbol))xs_real_of(XS_ROW_##symbol);                                   \
        if (may_be_left_out(category) && real && xs_left_out_begin(&note, XS_GUARD_HERE(), left_out_kind(category))) { \
            call->event = &xs_scratch_event;                                                                           \
            call->result = CUDA_SUCCESS;                                                                               \
            call->default_stream = row_default_stream;                                                                 \
            if (is_decoded_outside(category)) {                                                                        \
                before;                                                                                                \
            }                                                                                                          \
            if (may_end_step(call, category)) {                                                                        \
                step = xs_step_end_of(call->event, XS_ROW_##symbol, xs_callsite_number(XS_CALLER));                    \
            }                                                                                                          \
            prepare_left_out(call);                                                                                    \
            call->result = real args;                                                                                  \
            const bool is_moment = has_waited(call, category);                                                         \
            follow_left_out(call, category);                                                                           \
            xs_left_out_end();                                                                                         \
            xs_device_failure_look((int)call->result, #symbol);                                                        \
            if (XS_UNLIKELY(is_moment)) {                                                                              \
                xs_cupti_turn_here();                                                                                  \
            }                                                                                                          \
            xs_step_end(&step, call->result);                                                                          \
            return call->result;                                                                                       \
        }                                                                                                              \
        const uint64_t measured_from = xs_own_cost_begin();                                                            \
        call->event = XS_LIKELY(real != NULL) ? xs_begin(XS_ROW_##symbol, &note) : NULL;                               \
        real = xs_real_row(symbol); /* the first call starts the repairs, which are to see it */                       \
        call->result = CUDA_SUCCESS;                                                                                   \
        call->default_stream = row_default_stream;                                                                     \
        if (XS_UNLIKELY(!call->event)) {                                                                               \
            const bool is_gated = real && xs_passes_the_gate(XS_GUARD_HERE());                                         \
            xs_fingerprint_not_recorded();                                                                             \
            if (is_gated) {                                                                                            \
                xs_gate_enter_outer(&note, XS_GUARD_HERE());                                                           \
            }                                                                                                          \
            call->result = real ? real args : XS_NO_DRIVER;                                                            \
            if (is_gated) {                                                                                            \
                xs_gate_leave_outer();                                                                                 \
            }                                                                                                          \
            return call->result;                                                                                       \
        }                                                                                                              \
        before;                                                                                                        \
        if (has_callsite(call, category)) {                                                                            \
            call->event = xs_callsite_take(call->event, XS_CALLER);                                                    \
        }                                                                                                              \
        if (may_end_step(call, category)) {                                                                            \
            step = xs_step_end_of(call->event, XS_ROW_##symbol, call->event->stack);                                   \
        }                                                                                                              \
        prepare_contents(call, category);                                                                              \
        const uint64_t entered = call->event->enter_tick = xs_now();                                                   \
        call->result = real args;                                                                                      \
        if (deserves_another_try(call, category)) {                                                                    \
            call->result = real args;                                                                                  \
        }                                                                                                              \
        const uint64_t returned = measured_from || has_return_tick(call, category) ? xs_now() : 0;                     \
        if (has_return_tick(call, category)) {                                                                         \
            call->event->return_tick = returned;                                                                       \
        }                                                                                                              \
        const bool is_moment = has_waited(call, category);                                                             \
        after;                                                                                                         \
        follow_contents(call, category);                                                                               \
        xs_end(call->event, (int32_t)call->result);                                                                    \
        xs_device_failure_look((int)call->result, #symbol);                                                            \
        if (XS_UNLIKELY(measured_from)) {                                                                              \
            xs_own_cost_end(measured_from, entered, returned);                                                         \
        }                                                                                                              \
        if (XS_UNLIKELY(is_moment)) {                                                                                  \
            xs_cupti_turn_here();                                                                                      \
        }                                                                                                              \
        xs_step_end(&step, call->result);                                                                              \
        return call->result;                                                                                           \
    }
#include "preload/driver/entry_points.def"
#undef XS_ENTRY
