/* The wrappers: the entry-point table, expanded. Each one enters an event, makes the real call and ends the event. */
#include "preload/capture/decode.h"
#include "preload/intercept/real.h"

/* What a program gets that calls the driver through xferspy's symbols while no driver is loaded. */
#define XS_NO_DRIVER CUDA_ERROR_SHARED_OBJECT_INIT_FAILED

/* Kernel launches are the most frequent call by far and reading the clock is a third of what a wrapper costs: theirs is
 * read once. */
#define XS_ENTRY(symbol, variant, row_category, params, args, before, after)                                           \
    XS_EXPORT CUresult CUDAAPI symbol params {                                                                         \
        const unsigned per_thread __attribute__((unused)) = variant;                                                   \
        struct xs_range range __attribute__((unused));                                                                 \
        __typeof__(&symbol) real = (__typeof__(&symbol))xs_real_of(XS_ROW_##symbol);                                   \
        struct xs_event *e = XS_LIKELY(real != NULL) ? xs_begin(XS_ROW_##symbol) : NULL;                               \
        if (XS_UNLIKELY(!e)) {                                                                                         \
            return real ? real args : XS_NO_DRIVER;                                                                    \
        }                                                                                                              \
        CUresult r = CUDA_SUCCESS;                                                                                     \
        before;                                                                                                        \
        e->enter_tick = xs_now();                                                                                      \
        r = real args;                                                                                                 \
        if (XS_CAT_##row_category != XS_CAT_LAUNCH || e->launch.kind != XS_LAUNCH_KERNEL) {                            \
            e->return_tick = xs_now();                                                                                 \
        }                                                                                                              \
        after;                                                                                                         \
        return xs_end(e, r);                                                                                           \
    }
#include "preload/intercept/entry_points.def"
#undef XS_ENTRY

const struct xs_row_info xs_rows[XS_ROW_COUNT] = {
#define XS_ENTRY(symbol, variant, row_category, ...) {#symbol, XS_CAT_##row_category, (void *)symbol},
#include "preload/intercept/entry_points.def"
#undef XS_ENTRY
};
