/* The wrappers: the entry-point table, expanded. Each one enters an event, makes the real call and ends the event. */
#include "preload/callsite/callsite.h"
#include "preload/capture/decode.h"
#include "preload/driver/real.h"

/* What a program gets that calls the driver through xferspy's symbols while no driver is loaded. */
#define XS_NO_DRIVER CUDA_ERROR_SHARED_OBJECT_INIT_FAILED

/* The categories whose events say where they were called from. */
#define XS_SITE_TRANSFER(e) XS_CALLSITE(e)
#define XS_SITE_MEMSET(e) XS_CALLSITE(e)
#define XS_SITE_ALLOCATE(e) XS_CALLSITE(e)
#define XS_SITE_FREE(e) XS_CALLSITE(e)
#define XS_SITE_SYNC(e) (void)((e)->kind == XS_EVENT_SYNC && (XS_CALLSITE(e), 1)) /* waits alone */
#define XS_SITE_LAUNCH(e) XS_NOTHING
#define XS_SITE_MANAGED(e) XS_NOTHING
#define XS_SITE_STREAM_MEMOP(e) XS_NOTHING
#define XS_SITE_CAPTURE(e) XS_NOTHING
#define XS_SITE_GRAPH(e) XS_NOTHING
#define XS_SITE_CONTEXT(e) XS_NOTHING
#define XS_SITE_STREAM(e) XS_NOTHING
#define XS_SITE_LOOKUP(e) XS_NOTHING

/* What contents need around the real call, by the row's category. */
#define XS_BEFORE_TRANSFER(e) xs_fingerprint_before(e)
#define XS_BEFORE_MEMSET(e) xs_fingerprint_join(e)
#define XS_BEFORE_ALLOCATE(e) xs_fingerprint_join(e)
#define XS_BEFORE_FREE(e) xs_fingerprint_freeing(e)
#define XS_BEFORE_LAUNCH(e) xs_fingerprint_join(e)
#define XS_BEFORE_SYNC(e) xs_fingerprint_join(e)
#define XS_BEFORE_MANAGED(e) xs_fingerprint_join(e)
#define XS_BEFORE_STREAM_MEMOP(e) xs_fingerprint_join(e)
#define XS_BEFORE_CAPTURE(e) xs_fingerprint_join(e)
#define XS_BEFORE_GRAPH(e) xs_fingerprint_join(e)
#define XS_BEFORE_CONTEXT(e) xs_fingerprint_join(e)
#define XS_BEFORE_STREAM(e) xs_fingerprint_join(e)
#define XS_BEFORE_LOOKUP(e) xs_fingerprint_join(e)
#define XS_AFTER_TRANSFER(e, r) e = xs_fingerprint_after(e, r)
#define XS_AFTER_MEMSET(e, r) xs_fingerprint_written()
#define XS_AFTER_ALLOCATE(e, r) XS_NOTHING
#define XS_AFTER_FREE(e, r) xs_fingerprint_written()
#define XS_AFTER_LAUNCH(e, r) xs_fingerprint_launched(e, r)
#define XS_AFTER_SYNC(e, r) xs_fingerprint_synchronised(e, r)
#define XS_AFTER_MANAGED(e, r) xs_fingerprint_written() /* cuMemBatchDecompressAsync is one of them */
#define XS_AFTER_STREAM_MEMOP(e, r) xs_fingerprint_gated()
#define XS_AFTER_CAPTURE(e, r) XS_NOTHING
#define XS_AFTER_GRAPH(e, r) XS_NOTHING
#define XS_AFTER_CONTEXT(e, r) XS_NOTHING
#define XS_AFTER_STREAM(e, r) XS_NOTHING
#define XS_AFTER_LOOKUP(e, r) XS_NOTHING
/* Kernel launches are the most frequent call by far and reading the clock is a third of what a wrapper costs: theirs is
 * read once. */
#define XS_ENTRY(symbol, variant, row_category, params, args, before, after)                                           \
    XS_EXPORT CUresult CUDAAPI symbol params {                                                                         \
        const unsigned per_thread __attribute__((unused)) = variant;                                                   \
        struct xs_range range __attribute__((unused));                                                                 \
        __typeof__(&symbol) real = (__typeof__(&symbol))xs_real_of(XS_ROW_##symbol);                                   \
        struct xs_event *e = XS_LIKELY(real != NULL) ? xs_begin(XS_ROW_##symbol) : NULL;                               \
        if (XS_UNLIKELY(!e)) {                                                                                         \
            xs_fingerprint_not_recorded();                                                                             \
            return real ? real args : XS_NO_DRIVER;                                                                    \
        }                                                                                                              \
        CUresult r = CUDA_SUCCESS;                                                                                     \
        before;                                                                                                        \
        XS_SITE_##row_category(e);                                                                                     \
        XS_BEFORE_##row_category(e);                                                                                   \
        e->enter_tick = xs_now();                                                                                      \
        r = real args;                                                                                                 \
        if (XS_CAT_##row_category == XS_CAT_ALLOCATE && XS_UNLIKELY(r == CUDA_ERROR_OUT_OF_MEMORY) &&                  \
            xs_fingerprint_give_back(e)) {                                                                             \
            r = real args;                                                                                             \
        }                                                                                                              \
        if (XS_CAT_##row_category != XS_CAT_LAUNCH || e->launch.kind != XS_LAUNCH_KERNEL) {                            \
            e->return_tick = xs_now();                                                                                 \
        }                                                                                                              \
        after;                                                                                                         \
        XS_AFTER_##row_category(e, r);                                                                                 \
        xs_end(e, (int32_t)r);                                                                                         \
        return r;                                                                                                      \
    }
#include "preload/driver/entry_points.def"
#undef XS_ENTRY
