/* The wrappers of the functions that are not recorded. They only pass through the gate. */
#include "preload/core/thread.h"
#include "preload/driver/real.h"

/* Not inside of another wrapper, nor a call of the library's own, and there is somebody who may close the gate. */
XS_HOT bool passes_the_gate(void) {
    return XS_LIKELY(atomic_load_explicit(&xs_state, memory_order_relaxed) == XS_STATE_ACTIVE && !xs_guard.depth) &&
           !xs_gate_is_inside();
}

#define XS_GATED(symbol, params, args)                                                                                 \
    XS_EXPORT CUresult CUDAAPI symbol params {                                                                         \
        __typeof__(&symbol) real = (__typeof__(&symbol))xs_real_gated_of(XS_GATED_##symbol);                           \
        if (XS_UNLIKELY(!real)) {                                                                                      \
            return XS_NO_DRIVER;                                                                                       \
        }                                                                                                              \
        if (!passes_the_gate()) {                                                                                      \
            return real args;                                                                                          \
        }                                                                                                              \
        xs_gate_enter();                                                                                               \
        CUresult returned = real args;                                                                                 \
        xs_gate_leave();                                                                                               \
        return returned;                                                                                               \
    }
#include "preload/driver/gated_points.def"
#undef XS_GATED
