/* The wrappers of the functions that are not recorded. They only pass through the gate. */
#include "preload/core/asked_window.h"
#include "preload/core/thread.h"
#include "preload/driver/real.h"

/* By these two a program says which part of it a profiler should look at. Constants: nothing is left of it in the other
 * wrappers. */
XS_HOT CUresult after(enum xs_gated row, CUresult result) {
    if (row == XS_GATED_cuProfilerStart || row == XS_GATED_cuProfilerStop) {
        xs_asked_profiler_change(row == XS_GATED_cuProfilerStart);
    }
    return result;
}

#define XS_GATED(symbol, params, args)                                                                                 \
    XS_EXPORT CUresult CUDAAPI symbol params {                                                                         \
        struct xs_guard_note note;                                                                                     \
        __typeof__(&symbol) real = (__typeof__(&symbol))xs_real_gated_of(XS_GATED_##symbol);                           \
        if (XS_UNLIKELY(!real)) {                                                                                      \
            return XS_NO_DRIVER;                                                                                       \
        }                                                                                                              \
        if (!xs_passes_the_gate(XS_GUARD_HERE())) {                                                                    \
            return xs_guard.raised ? real args : after(XS_GATED_##symbol, real args);                                  \
        }                                                                                                              \
        xs_gate_enter_outer(&note, XS_GUARD_HERE());                                                                   \
        CUresult returned = real args;                                                                                 \
        xs_gate_leave_outer();                                                                                         \
        return after(XS_GATED_##symbol, returned);                                                                     \
    }
#include "preload/driver/gated_points.def"
#undef XS_GATED
