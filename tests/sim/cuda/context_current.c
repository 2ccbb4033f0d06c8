/* Has the calling thread's context stack, and the functions that ask about the current context or change it. */
#include "sim.h"

struct CUctx_st *xs_current(void) {
    struct xs_thread *thread = xs_thread();
    return thread->depth > 0 ? thread->stack[thread->depth - 1] : NULL;
}

CUresult xs_need_context(struct CUctx_st **out) {
    struct CUctx_st *context = xs_current();
    if (context == NULL)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (!atomic_load(&context->alive))
        return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    int error = atomic_load(&context->error);
    if (error != 0)
        return (CUresult)error;
    *out = context;
    return CUDA_SUCCESS;
}

CUresult xs_cuCtxPushCurrent_v2(CUcontext ctx) {
    struct xs_thread *thread = xs_thread();
    if (!xs_context_valid(ctx))
        return CUDA_ERROR_INVALID_CONTEXT;
    if (thread->depth == (int)XS_COUNT(thread->stack))
        return CUDA_ERROR_OUT_OF_MEMORY;
    thread->stack[thread->depth++] = ctx;
    return CUDA_SUCCESS;
}

CUresult xs_cuCtxPopCurrent_v2(CUcontext *pctx) {
    struct xs_thread *thread = xs_thread();
    if (thread->depth == 0)
        return CUDA_ERROR_INVALID_CONTEXT;
    thread->depth--;
    if (pctx != NULL)
        *pctx = thread->stack[thread->depth];
    return CUDA_SUCCESS;
}

CUresult xs_cuCtxSetCurrent(CUcontext ctx) {
    struct xs_thread *thread = xs_thread();
    if (ctx == NULL) {
        if (thread->depth > 0)
            thread->depth--;
        return CUDA_SUCCESS;
    }
    if (!xs_context_valid(ctx))
        return CUDA_ERROR_INVALID_CONTEXT;
    if (thread->depth == 0)
        thread->depth = 1;
    thread->stack[thread->depth - 1] = ctx;
    return CUDA_SUCCESS;
}

CUresult xs_cuCtxGetCurrent(CUcontext *pctx) {
    if (pctx == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *pctx = xs_current();
    return CUDA_SUCCESS;
}

CUresult xs_cuCtxGetDevice_v2(CUdevice *device, CUcontext ctx) {
    struct CUctx_st *context = ctx != NULL ? ctx : xs_current();
    if (device == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (!xs_context_valid(context))
        return CUDA_ERROR_INVALID_CONTEXT;
    *device = context->device;
    return CUDA_SUCCESS;
}

CUresult xs_cuCtxGetDevice(CUdevice *device) { return xs_cuCtxGetDevice_v2(device, NULL); }

CUresult xs_cuCtxGetFlags(unsigned int *flags) {
    struct CUctx_st *context;
    CUresult result = xs_need_context(&context);
    if (result == CUDA_SUCCESS && flags == NULL)
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        *flags = context->flags;
    return result;
}

CUresult xs_cuCtxSetFlags(unsigned int flags) {
    struct CUctx_st *context;
    CUresult result = xs_need_context(&context);
    if (result == CUDA_SUCCESS)
        context->flags = flags;
    return result;
}

CUresult xs_cuCtxGetId(CUcontext ctx, unsigned long long *ctxId) {
    struct CUctx_st *context = ctx != NULL ? ctx : xs_current();
    if (ctxId == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (!xs_context_valid(context))
        return CUDA_ERROR_INVALID_CONTEXT;
    *ctxId = context->id;
    return CUDA_SUCCESS;
}

CUresult xs_cuCtxGetApiVersion(CUcontext ctx, unsigned int *version) {
    struct CUctx_st *context = ctx != NULL ? ctx : xs_current();
    if (version == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (!xs_context_valid(context))
        return CUDA_ERROR_INVALID_CONTEXT;
    *version = context->api_version;
    return CUDA_SUCCESS;
}

static CUresult synchronize(struct CUctx_st *context) {
    CUresult result = xs_capture_check_context(context);
    if (result != CUDA_SUCCESS)
        return result;
    uint64_t start = xs_now_ns();
    xs_context_drain(context);
    xs_report_sync(context->legacy, 4, 0, start);
    return (CUresult)atomic_load(&context->error);
}

CUresult xs_cuCtxSynchronize(void) {
    struct CUctx_st *context;
    CUresult result = xs_need_context(&context);
    return result == CUDA_SUCCESS ? synchronize(context) : result;
}

CUresult xs_cuCtxSynchronize_v2(CUcontext ctx) {
    if (ctx == NULL)
        return xs_cuCtxSynchronize();
    return xs_context_valid(ctx) ? synchronize(ctx) : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult xs_cuCtxSetLimit(CUlimit limit, size_t value) {
    struct CUctx_st *context;
    CUresult result = xs_need_context(&context);
    if (result == CUDA_SUCCESS && (unsigned)limit >= XS_COUNT(context->limits))
        result = CUDA_ERROR_UNSUPPORTED_LIMIT;
    if (result == CUDA_SUCCESS)
        context->limits[limit] = value;
    return result;
}

CUresult xs_cuCtxGetLimit(size_t *pvalue, CUlimit limit) {
    struct CUctx_st *context;
    CUresult result = xs_need_context(&context);
    if (result == CUDA_SUCCESS && pvalue == NULL)
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS && (unsigned)limit >= XS_COUNT(context->limits))
        result = CUDA_ERROR_UNSUPPORTED_LIMIT;
    if (result == CUDA_SUCCESS)
        *pvalue = context->limits[limit];
    return result;
}

CUresult xs_cuCtxGetCacheConfig(CUfunc_cache *pconfig) {
    if (pconfig == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *pconfig = CU_FUNC_CACHE_PREFER_NONE;
    return CUDA_SUCCESS;
}

CUresult xs_cuCtxSetCacheConfig(CUfunc_cache config) {
    (void)config;
    return CUDA_SUCCESS;
}

CUresult xs_cuCtxResetPersistingL2Cache(void) { return CUDA_SUCCESS; }

CUresult xs_cuCtxGetStreamPriorityRange(int *leastPriority, int *greatestPriority) {
    if (leastPriority != NULL)
        *leastPriority = 0;
    if (greatestPriority != NULL)
        *greatestPriority = -5;
    return CUDA_SUCCESS;
}

CUresult xs_cuCtxEnablePeerAccess(CUcontext peerContext, unsigned int Flags) {
    struct CUctx_st *context;
    CUresult result = xs_need_context(&context);
    if (result != CUDA_SUCCESS)
        return result;
    if (Flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (!xs_context_valid(peerContext) || peerContext->device == context->device)
        return CUDA_ERROR_INVALID_CONTEXT;
    unsigned bit = 1u << peerContext->device;
    unsigned before = atomic_fetch_or(&context->peers, bit);
    return before & bit ? CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED : CUDA_SUCCESS;
}

CUresult xs_cuCtxDisablePeerAccess(CUcontext peerContext) {
    struct CUctx_st *context;
    CUresult result = xs_need_context(&context);
    if (result != CUDA_SUCCESS)
        return result;
    if (!xs_context_valid(peerContext))
        return CUDA_ERROR_INVALID_CONTEXT;
    unsigned bit = 1u << peerContext->device;
    unsigned before = atomic_fetch_and(&context->peers, ~bit);
    return before & bit ? CUDA_SUCCESS : CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
}
