/* The exported driver symbols: each row of the entry tables becomes its exported functions (call, implementation, exit)
 * and its lines in the table that cuGetProcAddress reads. */
#define __CUDA_API_VERSION_INTERNAL 1
#include "sim.h"

#include <cupti_driver_cbid.h>
#include <generated_cuda_meta.h>

#define XS_UNPACK(...) __VA_ARGS__
#define CBID(symbol) CUPTI_DRIVER_TRACE_CBID_##symbol

#define XS_DEFINE_AS(exported, symbol, cbid, params, args, pointer, per_thread, early)                                 \
    XS_EXPORT CUresult exported params {                                                                               \
        struct xs_sim_call call;                                                                                       \
        CUresult result = xs_call_enter(&call, #exported, cbid, pointer, per_thread, early);                           \
        return xs_call_exit(&call, result == CUDA_SUCCESS ? xs_##symbol args : result);                                \
    }

#define XS_DEFINE(exported, symbol, params, args, pointer, per_thread, early)                                          \
    XS_DEFINE_AS(exported, symbol, CBID(exported), params, args, pointer, per_thread, early)

/* Passes CUPTI's parameter structure, whose members are the parameters in their order. */
#define XS_DEFINE_WITH(exported, symbol, params, args, per_thread, early)                                              \
    XS_EXPORT CUresult exported params {                                                                               \
        exported##_params parameters = {XS_UNPACK args};                                                               \
        struct xs_sim_call call;                                                                                       \
        CUresult result = xs_call_enter(&call, #exported, CBID(exported), &parameters, per_thread, early);             \
        return xs_call_exit(&call, result == CUDA_SUCCESS ? xs_##symbol args : result);                                \
    }

#define EARLY(base, symbol, since, params, args) XS_DEFINE_WITH(symbol, symbol, params, args, false, true)
#define BARE(base, symbol, since, params, args) XS_DEFINE(symbol, symbol, params, args, NULL, false, false)
#define PLAIN(base, symbol, since, params, args) XS_DEFINE_WITH(symbol, symbol, params, args, false, false)
#define PTDS(base, symbol, since, params, args)                                                                        \
    CUresult symbol##_ptds params;                                                                                     \
    XS_DEFINE_WITH(symbol, symbol, params, args, false, false)                                                         \
    XS_DEFINE_WITH(symbol##_ptds, symbol, params, args, true, false)
#define PTSZ(base, symbol, since, params, args)                                                                        \
    CUresult symbol##_ptsz params;                                                                                     \
    XS_DEFINE_WITH(symbol, symbol, params, args, false, false)                                                         \
    XS_DEFINE_WITH(symbol##_ptsz, symbol, params, args, true, false)
#define NEWER(base, symbol, since, params, args)                                                                       \
    CUresult symbol params;                                                                                            \
    CUresult symbol##_ptsz params;                                                                                     \
    XS_DEFINE_AS(symbol, symbol, XS_SIM_CBID_##symbol, params, args, NULL, false, false)                               \
    XS_DEFINE_AS(symbol##_ptsz, symbol, XS_SIM_CBID_##symbol##_ptsz, params, args, NULL, true, false)

CUresult cuProfilerStart(void);
CUresult cuProfilerStop(void);
#include "entries.h"
#undef EARLY
#undef BARE
#undef PLAIN
#undef PTDS
#undef PTSZ
#undef NEWER

#define EARLY(base, symbol, since, params, args) {#base, since, (void *)symbol, NULL},
#define BARE EARLY
#define PLAIN EARLY
#define PTDS(base, symbol, since, params, args) {#base, since, (void *)symbol, (void *)symbol##_ptds},
#define PTSZ(base, symbol, since, params, args) {#base, since, (void *)symbol, (void *)symbol##_ptsz},
#define NEWER PTSZ
const struct xs_entry xs_entries[] = {
#include "entries.h"
};
const size_t xs_entry_count = XS_COUNT(xs_entries);
