/* The wrappers expand the table of entry points. Each wrapper begins an event, makes the real call and ends the
 * event. */
#include "preload/callsite/callsite.h"
#include "preload/capture/guard_rules_see.h"
#include "preload/core/call_windows.h"
#include "preload/core/counts.h"
#include "preload/core/hooks.h"
#include "preload/core/own_cost.h"
#include "preload/cupti/device_failure.h"
#include "preload/driver/real.h"
#include "preload/hostreads/watcher.h"
#include "preload/intercept/capture_call.h"
#include "preload/intercept/step_end.h"

/* The functions below are inlined into every wrapper. There the category is a constant, so only one case of each
 * decision is compiled. */

/* True if the call site is recorded for this call: copies, memsets, allocations, frees and waits. */
XS_HOT bool has_callsite(const struct xs_call *call, enum xs_category category) {
    bool is_memory = category == XS_CAT_TRANSFER || category == XS_CAT_MEMSET || category == XS_CAT_ALLOCATE ||
                     category == XS_CAT_FREE;
    return (is_memory || (category == XS_CAT_SYNC && call->event->kind == XS_EVENT_SYNC)) && xs_callsite_wanted();
}

/* True if this call is a launch whose call site may be recorded. Few launches get a call site, because a launch takes
 * little time: only calls that are measured anyway (core/own_cost.h) check whether the next call site is due. */
XS_HOT bool may_have_launch_site(uint64_t measured_from, enum xs_category category) {
    return category == XS_CAT_LAUNCH && XS_UNLIKELY(measured_from) && xs_callsite_wanted();
}

/* Prepares content fingerprints before the real call. `stack`: the number of the thread's own frames. */
XS_HOT void prepare_contents(const struct xs_call *call, enum xs_category category, uint32_t stack) {
    if (category == XS_CAT_TRANSFER) {
        xs_host_watch_copies(call->event, stack);
        xs_fingerprint_before(call->event, stack);
    } else if (category == XS_CAT_FREE) {
        xs_host_watch_frees(call->event);
        xs_fingerprint_freeing(call->event);
    } else {
        xs_fingerprint_join(call->event);
    }
}

/* Updates content fingerprints after the real call, and computes the fingerprints of copies. */
XS_HOT void follow_contents(struct xs_call *call, enum xs_category category) {
    switch (category) {
    case XS_CAT_TRANSFER:
        call->event = xs_fingerprint_after(call->event, call->result);
        xs_host_watch_copied(xs_succeeded(call));
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
        xs_fingerprint_never_holds();
        break;
    case XS_CAT_ALLOCATE:
    case XS_CAT_CAPTURE:
    case XS_CAT_GRAPH:
    case XS_CAT_CONTEXT:
    case XS_CAT_STREAM:
    case XS_CAT_LOOKUP:
    case XS_CAT_LOAD:
        break;
    }
}

/* True if an allocation failed because there is no memory, and the fingerprints have freed memory, so that the call is
 * repeated. */
XS_HOT bool deserves_another_try(const struct xs_call *call, enum xs_category category) {
    return category == XS_CAT_ALLOCATE && XS_UNLIKELY(call->result == CUDA_ERROR_OUT_OF_MEMORY) &&
           xs_fingerprint_give_back(call->event);
}

/* True if CUPTI must be attached or detached and this call has just waited for the device. Also updates
 * xs_cupti_moment, which stays true until the thread gives the device new work. */
XS_HOT bool has_waited(const struct xs_call *call, enum xs_category category) {
    const int due = atomic_load_explicit(&xs_cupti_switch_due, memory_order_relaxed);
    if (XS_LIKELY(due == XS_CUPTI_NO_SWITCH) || !xs_succeeded(call))
        return false;
    const struct xs_event *e = call->event;
    switch (category) {
    case XS_CAT_SYNC:
        xs_cupti_moment |= e->kind == XS_EVENT_SYNC;
        return due == XS_CUPTI_SWITCH_DUE && e->kind == XS_EVENT_SYNC;
    case XS_CAT_TRANSFER:
        xs_cupti_moment =
            e->kind == XS_EVENT_TRANSFER && e->transfer.direction == XS_DIR_D2H && !(e->flags & XS_FLAG_ASYNC);
        return due == XS_CUPTI_SWITCH_DUE && xs_cupti_moment;
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

/* True if the wrapper reads the clock again after the call. The clock is not read after kernel launches, because they
 * are by far the most frequent calls, and reading the clock is a third of a wrapper's cost. */
XS_HOT bool has_return_tick(const struct xs_call *call, enum xs_category category) {
    return category != XS_CAT_LAUNCH || call->event->launch.kind != XS_LAUNCH_KERNEL;
}

/* ---- calls that are left out (core/call_windows.h) ---- */

/* Returns the kind of a left-out call. XS_LEFT_OUT_KINDS: the call is always recorded, because without it later
 * addresses, contents or handles could not be understood. Loads of code are always recorded, too: they are few, and
 * they may hold the program for long. */
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
    default:
        return XS_LEFT_OUT_KINDS;
    }
}

XS_HOT bool may_be_left_out(enum xs_category category) {
    return left_out_kind(category) != XS_LEFT_OUT_KINDS &&
           XS_UNLIKELY(atomic_load_explicit(&xs_outside, memory_order_relaxed));
}

/* True for launches and waits: they are decoded even if they are left out, because fingerprints need their
 * parameters. */
XS_HOT bool is_decoded_outside(enum xs_category category) {
    return category == XS_CAT_LAUNCH || category == XS_CAT_SYNC;
}

/* ---- waits that may end a step (core/step_waits.h) ---- */

XS_HOT bool may_end_step(const struct xs_call *call, enum xs_category category) {
    return category == XS_CAT_SYNC && XS_UNLIKELY(atomic_load_explicit(&xs_step_waits_on, memory_order_relaxed)) &&
           call->event->kind == XS_EVENT_SYNC;
}

/* ---- calls that may break a rule (core/guard_rules.h) ---- */

XS_HOT bool may_break_rule(enum xs_category category) {
    return (category == XS_CAT_TRANSFER || category == XS_CAT_SYNC) && xs_guard_rules_wanted();
}

/* Runs after the real call, while the event still has the call. True: the call breaks a rule. */
XS_HOT bool breaks_rule(const struct xs_call *call, enum xs_category category) {
    if (!may_break_rule(category) || !call->event)
        return false;
    xs_guard_rules_see(call->event, call->result);
    return xs_rule_broken.rule != 0;
}

/* ---- the wrapper ---- */

/* The state of a call inside its wrapper. The compiler keeps it in registers, because all functions that get its
 * address are inlined. The guard's note and the step's end are separate variables, because their addresses are passed
 * on. */
struct wrapped {
    struct xs_call call;
    unsigned row; /* a constant, like the next two fields */
    enum xs_category category;
    const char *name;
    void *real;                                /* the function to call; NULL: there is none */
    bool is_gated;                             /* the call is not recorded but has entered the gate */
    bool is_in_load;                           /* the call is not recorded, because it is made inside a load of code */
    bool is_break;                             /* the call breaks a rule, which has to be told */
    bool is_moment;                            /* CUPTI can be attached or detached after the call */
    uint64_t measured_from, entered, returned; /* ticks; 0: not measured */
};

/* Runs at the end of each wrapper, after it has left the gate: reports the call's result and cost, and attaches or
 * detaches CUPTI if that is due. Returns the result for the program. */
XS_HOT CUresult finish(const struct wrapped *w, const struct xs_step_end *step) {
    xs_device_failure_look((int)w->call.result, w->name);
    if (XS_UNLIKELY(w->measured_from))
        xs_own_cost_end(w->measured_from, w->entered, w->returned);
    if (XS_UNLIKELY(w->is_moment))
        xs_cupti_switch_here();
    xs_step_end(step, w->call.result);
    if (XS_UNLIKELY(w->is_break))
        xs_hooks.rule_broken();
    return w->call.result;
}

/* Finds the function to call. If the call is left out, begins it. False: the call is not left out. */
XS_HOT bool begin_left_out(struct wrapped *w, struct xs_guard_note *note) {
    w->real = xs_real_of(w->row);
    w->call.result = CUDA_SUCCESS;
    w->call.event = &xs_scratch_event;
    return may_be_left_out(w->category) && w->real &&
           xs_left_out_begin(note, XS_GUARD_HERE(), left_out_kind(w->category));
}

/* Runs right before the real call of a left-out call. Fingerprints treat it like a recorded call, except that a copy
 * gets no fingerprint. */
XS_HOT void enter_left_out(const struct wrapped *w, struct xs_step_end *step) {
    if (may_end_step(&w->call, w->category))
        *step = xs_step_end_of(w->call.event, w->row, xs_callsite_number(XS_CALLER), 0);
    xs_fingerprint_join(w->call.event);
}

XS_HOT CUresult end_left_out(struct wrapped *w, const struct xs_step_end *step) {
    w->is_moment = has_waited(&w->call, w->category);
    if (w->category == XS_CAT_TRANSFER)
        xs_fingerprint_written();
    else
        follow_contents(&w->call, w->category);
    xs_left_out_end();
    return finish(w, step);
}

/* Begins the event of a call. False: the call is not recorded. */
XS_HOT bool begin(struct wrapped *w, struct xs_guard_note *note) {
    w->measured_from = xs_own_cost_begin();
    w->call.event = XS_LIKELY(w->real != NULL) ? xs_begin(w->row, note) : NULL;
    /* read again, because the first call starts the repairs, which may have replaced the function */
    w->real = __atomic_load_n(&xs_real[w->row], __ATOMIC_RELAXED);
    return XS_LIKELY(w->call.event != NULL);
}

/* ---- calls inside a load of code ---- */

/* The note of the thread's latest load. While the load lasts, the guard points to it. */
static XS_TLS const struct xs_guard_note *load_note;

/* Notes what a call inside a load of code may do to device memory. A signal handler or a callback makes such a call.
 * The call is not in the trace, so contents that were known before it count as unknown. Such calls are rare, so
 * launches and copies are not told apart. */
static void note_inside_load(enum xs_category category) {
    switch (category) {
    case XS_CAT_TRANSFER:
    case XS_CAT_MEMSET:
    case XS_CAT_FREE:
        xs_contents_unknown_from_here(XS_CONTENTS_UNKNOWN_ONCE);
        xs_fingerprint_written();
        break;
    case XS_CAT_MANAGED:
    case XS_CAT_LAUNCH: /* its work may still run when the load has ended */
    case XS_CAT_STREAM_MEMOP:
        xs_contents_unknown_from_here(XS_CONTENTS_UNKNOWN_FOR_GOOD);
        xs_fingerprint_never_holds();
        break;
    default:
        break;
    }
}

/* These two functions run right before and right after the real call of a call that is not recorded. */
XS_HOT void enter_passed(struct wrapped *w, struct xs_guard_note *note) {
    w->is_gated = w->real && xs_passes_the_gate(XS_GUARD_HERE());
    w->is_in_load = XS_UNLIKELY(load_note != NULL) && xs_guard.raised == load_note;
    xs_fingerprint_not_recorded();
    if (w->is_in_load)
        note_inside_load(w->category);
    if (w->is_gated)
        xs_gate_enter_outer(note, XS_GUARD_HERE());
}
XS_HOT CUresult end_passed(const struct wrapped *w) {
    if (w->is_in_load) /* again, because other threads may have recorded events meanwhile */
        note_inside_load(w->category);
    if (w->is_gated)
        xs_gate_leave_outer();
    return w->call.result;
}

/* Runs right before the real call of a recorded call. */
XS_HOT void enter(struct wrapped *w, const struct xs_guard_note *note, struct xs_step_end *step) {
    struct xs_call *call = &w->call;
    if (w->category == XS_CAT_LOAD)
        load_note = note;
    uint32_t own_stack = 0;
    if (has_callsite(call, w->category))
        call->event = xs_callsite_take(call->event, XS_CALLER, &own_stack);
    if (may_have_launch_site(w->measured_from, w->category))
        call->event = xs_callsite_take_launch(call->event, XS_CALLER);
    if (may_end_step(call, w->category))
        *step = xs_step_end_of(call->event, w->row, own_stack, call->event->stack);
    prepare_contents(call, w->category, own_stack);
    w->entered = call->event->enter_tick = xs_now();
}

/* Runs right after the real call of a recorded call. */
XS_HOT void leave(struct wrapped *w) {
    const bool has_tick = has_return_tick(&w->call, w->category);
    w->returned = w->measured_from || has_tick ? xs_now() : 0;
    if (has_tick)
        w->call.event->return_tick = w->returned;
    w->is_moment = has_waited(&w->call, w->category);
}

/* Counts the call for the application. Runs before the fingerprints, which may begin another event. */
XS_HOT void count(const struct wrapped *w) {
    const struct xs_event *e = w->call.event;
    bool may_count = w->category == XS_CAT_TRANSFER || w->category == XS_CAT_SYNC;
    if (!may_count || !e || !xs_succeeded(&w->call))
        return;
    if (w->category == XS_CAT_TRANSFER && e->kind == XS_EVENT_TRANSFER)
        xs_count_copy(e);
    else if (w->category == XS_CAT_SYNC && e->kind == XS_EVENT_SYNC)
        xs_count_wait();
}

XS_HOT CUresult end(struct wrapped *w, const struct xs_step_end *step) {
    if (w->category == XS_CAT_LOAD)
        load_note = NULL;
    count(w);
    w->is_break = breaks_rule(&w->call, w->category);
    follow_contents(&w->call, w->category);
    xs_end(w->call.event, (int32_t)w->call.result);
    return finish(w, step);
}

/* Makes one statement of several. Plain braces are not used, because clang-format removes them around what looks like
 * one statement. */
#define XS_STATEMENTS(...)                                                                                             \
    do {                                                                                                               \
        __VA_ARGS__;                                                                                                   \
    } while (0)
#define XS_REAL(symbol) ((__typeof__(&symbol))w.real)
#define XS_ENTRY(symbol, row_category, row_default_stream, params, args, before, after)                                \
    XS_EXPORT CUresult CUDAAPI symbol params {                                                                         \
        struct wrapped w = {.row = XS_ROW_##symbol, .category = XS_CAT_##row_category, .name = #symbol};               \
        struct xs_call *const call = &w.call;                                                                          \
        struct xs_guard_note note;                                                                                     \
        struct xs_step_end step = {.is_wait = false};                                                                  \
        struct xs_memory_range range __attribute__((unused));                                                          \
        call->default_stream = row_default_stream;                                                                     \
        if (begin_left_out(&w, &note)) {                                                                               \
            if (is_decoded_outside(w.category))                                                                        \
                XS_STATEMENTS(before);                                                                                 \
            enter_left_out(&w, &step);                                                                                 \
            call->result = XS_REAL(symbol) args;                                                                       \
            return end_left_out(&w, &step);                                                                            \
        }                                                                                                              \
        if (!begin(&w, &note)) {                                                                                       \
            enter_passed(&w, &note);                                                                                   \
            call->result = w.real ? XS_REAL(symbol) args : XS_NO_DRIVER;                                               \
            return end_passed(&w);                                                                                     \
        }                                                                                                              \
        before;                                                                                                        \
        enter(&w, &note, &step);                                                                                       \
        call->result = XS_REAL(symbol) args;                                                                           \
        if (deserves_another_try(call, w.category))                                                                    \
            call->result = XS_REAL(symbol) args;                                                                       \
        leave(&w);                                                                                                     \
        after;                                                                                                         \
        return end(&w, &step);                                                                                         \
    }
#include "preload/driver/entry_points.def"
#undef XS_ENTRY
