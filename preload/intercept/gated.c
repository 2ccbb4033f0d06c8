/* Defines the wrappers of functions that are not recorded. They only pass the gate, which is a quiescence lock
 * (core/quiescence.h). */
#include <stdarg.h>
#include <unistd.h>

#include "preload/core/alternate_stack.h"
#include "preload/core/asked_window.h"
#include "preload/core/thread.h"
#include "preload/cupti/checkpoints.h"
#include "preload/cupti/cupti.h"
#include "preload/cupti/device_failure.h"
#include "preload/driver/real.h"

/* cuProfilerStart and cuProfilerStop mark the part of the program that a profiler should record. The row is a constant
 * in each wrapper, so the other wrappers contain no code for this. */
XS_HOT CUresult after(enum xs_gated row, CUresult result, const char *entry_point) {
    xs_device_failure_look((int)result, entry_point);
    if (xs_is_of_checkpoints(row))
        xs_checkpoint_look((int)result, entry_point);
    if (row == XS_GATED_cuProfilerStart || row == XS_GATED_cuProfilerStop)
        xs_asked_profiler_change(row == XS_GATED_cuProfilerStart);
    return result;
}

/* Keeps CUPTI away from now on, because no document says that it can be attached to a process that has been locked or
 * restored. */
static void keep_away(void *call) { xs_cupti_keep_away(call); }

__attribute__((noinline, cold)) static void before_checkpoint(const char *call, ...) {
    va_list arguments;
    va_start(arguments, call);
    int process = va_arg(arguments, int);
    va_end(arguments);
    if (process == getpid()) {
        struct xs_guard_own own;
        xs_guard_enter(&own);
        xs_on_scratch_or_here(keep_away, (void *)(uintptr_t)call);
        xs_guard_leave(&own);
    }
}

/* Expands to the arguments, each followed by a comma. */
#define XS_EACH(...) __VA_ARGS__ __VA_OPT__(, )

#define XS_GATED(symbol, params, args)                                                                                 \
    XS_EXPORT CUresult CUDAAPI symbol params {                                                                         \
        struct xs_guard_note note;                                                                                     \
        __typeof__(&symbol) real = (__typeof__(&symbol))xs_real_gated_of(XS_GATED_##symbol);                           \
        if (XS_UNLIKELY(!real))                                                                                        \
            return XS_NO_DRIVER;                                                                                       \
        if (xs_is_of_checkpoints(XS_GATED_##symbol))                                                                   \
            before_checkpoint(#symbol, XS_EACH args 0);                                                                \
        if (!xs_passes_the_gate(XS_GUARD_HERE()))                                                                      \
            return xs_guard.raised ? real args : after(XS_GATED_##symbol, real args, #symbol);                         \
        xs_gate_enter_outer(&note, XS_GUARD_HERE());                                                                   \
        CUresult returned = real args;                                                                                 \
        xs_gate_leave_outer();                                                                                         \
        return after(XS_GATED_##symbol, returned, #symbol);                                                            \
    }
#include "preload/driver/gated_points.def"
#undef XS_GATED
