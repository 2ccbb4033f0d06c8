/* The wrappers: the entry-point table, expanded. Each one enters an event, makes the real call and ends the event. */
#include "preload/capture/decode.h"
#include "preload/intercept/real.h"

/* What a program gets that calls the driver through xferspy's symbols while no driver is loaded. */
#define XS_NO_DRIVER CUDA_ERROR_SHARED_OBJECT_INIT_FAILED

/* Kernel launches are the most frequent call by far and reading the clock is a third of what a wrapper costs: theirs is
 * read once. */
#define XS_WRITTEN_BY_TRANSFER(e) (void)0
#define XS_WRITTEN_BY_MEMSET(e) xs_fingerprint_written()
#define XS_WRITTEN_BY_ALLOCATE(e) (void)0
#define XS_WRITTEN_BY_FREE(e) xs_fingerprint_written()
#define XS_WRITTEN_BY_LAUNCH(e) xs_fingerprint_launched((e)->launch.kind)
#define XS_WRITTEN_BY_SYNC(e) (void)0
#define XS_WRITTEN_BY_MANAGED(e) xs_fingerprint_written() /* cuMemBatchDecompressAsync is one of them */
#define XS_WRITTEN_BY_STREAM_MEMOP(e) xs_fingerprint_gated()
#define XS_WRITTEN_BY_CAPTURE(e) (void)0
#define XS_WRITTEN_BY_GRAPH(e) (void)0
#define XS_WRITTEN_BY_CONTEXT(e) (void)0
#define XS_WRITTEN_BY_STREAM(e) (void)0
#define XS_WRITTEN_BY_LOOKUP(e) (void)0

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
        if (XS_CAT_##row_category == XS_CAT_TRANSFER && xs_fingerprint_mode != XS_FINGERPRINT_OFF) {                   \
            xs_fingerprint_before(e);                                                                                  \
        } else {                                                                                                       \
            xs_fingerprint_join(e);                                                                                    \
        }                                                                                                              \
        e->enter_tick = xs_now();                                                                                      \
        r = real args;                                                                                                 \
        if (XS_CAT_##row_category == XS_CAT_ALLOCATE && XS_UNLIKELY(r == CUDA_ERROR_OUT_OF_MEMORY) &&                  \
            xs_device_give_back((CUcontext)e->context)) {                                                              \
            r = real args;                                                                                             \
        }                                                                                                              \
        if (XS_CAT_##row_category != XS_CAT_LAUNCH || e->launch.kind != XS_LAUNCH_KERNEL) {                            \
            e->return_tick = xs_now();                                                                                 \
        }                                                                                                              \
        after;                                                                                                         \
        if (XS_CAT_##row_category == XS_CAT_TRANSFER && xs_fingerprint_mode != XS_FINGERPRINT_OFF) {                   \
            e = xs_fingerprint_after(e, r);                                                                            \
        } else {                                                                                                       \
            XS_WRITTEN_BY_##row_category(e);                                                                           \
        }                                                                                                              \
        return xs_end(e, r);                                                                                           \
    }
#include "preload/intercept/entry_points.def"
#undef XS_ENTRY

const struct xs_row_info xs_rows[XS_ROW_COUNT] = {
#define XS_ENTRY(symbol, variant, row_category, ...) {#symbol, XS_CAT_##row_category, (void *)symbol},
#include "preload/intercept/entry_points.def"
#undef XS_ENTRY
};
