/* Contexts: creation and destruction, the primary ones, and which one a thread is using. */
#include "sim.h"

#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct CUctx_st *contexts; /* never freed: a stale handle must be recognisable */
static struct {
    struct CUctx_st *context;
    unsigned retained, flags;
} primaries[XS_MAX_DEVICES];
static _Atomic uint32_t ids;

bool xs_context_valid(struct CUctx_st *context) {
    pthread_mutex_lock(&lock);
    struct CUctx_st *found = contexts;
    while (found != NULL && found != context)
        found = found->next;
    pthread_mutex_unlock(&lock);
    return found != NULL && atomic_load(&found->alive);
}

void xs_contexts_each(void (*fn)(struct CUctx_st *context, void *data), void *data) {
    pthread_mutex_lock(&lock);
    struct CUctx_st *context = contexts;
    pthread_mutex_unlock(&lock);
    /* The list only grows at its head, so that walking on from a head needs no lock. */
    for (; context != NULL; context = context->next)
        if (atomic_load(&context->alive))
            fn(context, data);
}

static struct CUctx_st *context_new(int device, unsigned flags, unsigned api_version, bool primary) {
    struct CUctx_st *context = calloc(1, sizeof(*context));
    if (context == NULL)
        return NULL;
    context->device = device;
    context->flags = flags;
    context->api_version = api_version;
    context->primary = primary;
    context->id = atomic_fetch_add(&ids, 1) + 1;
    context->limits[CU_LIMIT_STACK_SIZE] = 1024;
    context->limits[CU_LIMIT_PRINTF_FIFO_SIZE] = (size_t)1 << 20;
    context->limits[CU_LIMIT_MALLOC_HEAP_SIZE] = (size_t)8 << 20;
    return context;
}

/* The time that the real driver needs for a context. */
static void take_time(void) {
    uint64_t ns = xs_config()->context_ns;
    struct timespec rest = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
    if (ns)
        nanosleep(&rest, NULL);
}

static void context_start(struct CUctx_st *context) {
    take_time();
    atomic_store(&context->error, 0);
    context->attachment = xs_attachment();
    atomic_store(&context->alive, true);
    context->legacy = xs_stream_open(context, CU_STREAM_DEFAULT, 0);
    context->legacy->is_legacy = true;
}

struct owned {
    struct CUctx_st *context;
    struct xs_allocation *list;
    size_t count, room;
};

static void collect(struct xs_allocation *allocation, void *data) {
    struct owned *owned = data;
    if (allocation->context != owned->context)
        return;
    if (owned->count == owned->room) {
        size_t room = owned->room == 0 ? 64 : owned->room * 2;
        struct xs_allocation *list = realloc(owned->list, room * sizeof(*list));
        if (list == NULL)
            return;
        owned->list = list;
        owned->room = room;
    }
    owned->list[owned->count++] = *allocation;
}

/* Ends a context's life: its work is waited for, its streams close, its memory goes. Its structure stays. */
static void context_stop(struct CUctx_st *context) {
    xs_report_resource(XS_SIM_CONTEXT_DESTROY_STARTING, context, NULL);
    xs_context_drain(context);
    struct CUstream_st *stream;
    xs_queue_lock();
    while ((stream = context->streams) != NULL) {
        xs_queue_unlock();
        xs_stream_close(stream);
        xs_queue_lock();
    }
    context->legacy = NULL;
    xs_queue_unlock();
    struct owned owned = {.context = context};
    xs_map_each(collect, &owned);
    for (size_t i = 0; i < owned.count; i++) {
        struct xs_allocation removed;
        if (xs_map_remove(owned.list[i].base, ~0u, &removed))
            xs_release_allocation(&removed);
    }
    free(owned.list);
    atomic_store(&context->alive, false);
    context->generation++;
}

static CUresult context_create(CUcontext *out, unsigned flags, CUdevice device, unsigned api_version) {
    if (out == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (!XS_DEVICE_OK(device))
        return CUDA_ERROR_INVALID_DEVICE;
    struct xs_thread *thread = xs_thread();
    if (thread->depth == (int)XS_COUNT(thread->stack))
        return CUDA_ERROR_OUT_OF_MEMORY;
    struct CUctx_st *context = context_new(device, flags, api_version, false);
    if (context == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    context_start(context);
    pthread_mutex_lock(&lock);
    context->next = contexts;
    contexts = context;
    pthread_mutex_unlock(&lock);
    thread->stack[thread->depth++] = context;
    *out = context;
    xs_report_resource(XS_SIM_CONTEXT_CREATED, context, NULL);
    return CUDA_SUCCESS;
}

CUresult xs_cuCtxCreate_v2(CUcontext *pctx, unsigned int flags, CUdevice dev) {
    return context_create(pctx, flags, dev, 3020);
}

CUresult xs_cuCtxCreate_v3(CUcontext *pctx, CUexecAffinityParam *paramsArray, int numParams, unsigned int flags,
                           CUdevice dev) {
    return numParams != 0 || paramsArray != NULL ? CUDA_ERROR_NOT_SUPPORTED : context_create(pctx, flags, dev, 3020);
}

CUresult xs_cuCtxCreate_v4(CUcontext *pctx, CUctxCreateParams *ctxCreateParams, unsigned int flags, CUdevice dev) {
    if (ctxCreateParams != NULL && (ctxCreateParams->numExecAffinityParams != 0 || ctxCreateParams->cigParams != NULL))
        return CUDA_ERROR_NOT_SUPPORTED;
    return context_create(pctx, flags, dev, 3020);
}

static void forget(struct CUctx_st *context) {
    struct xs_thread *thread = xs_thread();
    if (thread->depth > 0 && thread->stack[thread->depth - 1] == context)
        thread->depth--;
}

CUresult xs_cuCtxDestroy_v2(CUcontext ctx) {
    if (ctx == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (!xs_context_valid(ctx) || ctx->primary)
        return CUDA_ERROR_INVALID_CONTEXT;
    context_stop(ctx);
    forget(ctx);
    return CUDA_SUCCESS;
}

CUresult xs_cuCtxAttach(CUcontext *pctx, unsigned int flags) {
    struct CUctx_st *context;
    if (pctx == NULL || flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = xs_need_context(&context);
    if (result == CUDA_SUCCESS)
        *pctx = context;
    return result;
}

CUresult xs_cuCtxDetach(CUcontext ctx) { return xs_context_valid(ctx) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT; }

struct CUctx_st *xs_primary_of(int device) {
    pthread_mutex_lock(&lock);
    struct CUctx_st *context = primaries[device].context;
    pthread_mutex_unlock(&lock);
    return context != NULL && atomic_load(&context->alive) ? context : NULL;
}

CUresult xs_primary_retain(int device, struct CUctx_st **out) {
    bool created = false;
    pthread_mutex_lock(&lock);
    struct CUctx_st *context = primaries[device].context;
    if (context == NULL) {
        context = primaries[device].context = context_new(device, primaries[device].flags, 3020, true);
        if (context == NULL) {
            pthread_mutex_unlock(&lock);
            return CUDA_ERROR_OUT_OF_MEMORY;
        }
        context->next = contexts;
        contexts = context;
    }
    if (!atomic_load(&context->alive)) {
        context_start(context);
        created = true;
    }
    primaries[device].retained++;
    pthread_mutex_unlock(&lock);
    *out = context;
    if (created)
        xs_report_resource(XS_SIM_CONTEXT_CREATED, context, NULL);
    return CUDA_SUCCESS;
}

CUresult xs_cuDevicePrimaryCtxRetain(CUcontext *pctx, CUdevice dev) {
    if (pctx == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    return XS_DEVICE_OK(dev) ? xs_primary_retain(dev, pctx) : CUDA_ERROR_INVALID_DEVICE;
}

CUresult xs_cuDevicePrimaryCtxRelease_v2(CUdevice dev) {
    if (!XS_DEVICE_OK(dev))
        return CUDA_ERROR_INVALID_DEVICE;
    pthread_mutex_lock(&lock);
    struct CUctx_st *context = primaries[dev].context;
    bool retained = primaries[dev].retained > 0;
    bool last = retained && --primaries[dev].retained == 0;
    pthread_mutex_unlock(&lock);
    if (!retained)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (last && atomic_load(&context->alive))
        context_stop(context);
    return CUDA_SUCCESS;
}

CUresult xs_cuDevicePrimaryCtxReset_v2(CUdevice dev) {
    if (!XS_DEVICE_OK(dev))
        return CUDA_ERROR_INVALID_DEVICE;
    pthread_mutex_lock(&lock);
    struct CUctx_st *context = primaries[dev].context;
    pthread_mutex_unlock(&lock);
    /* A reset ends the context, but keeps the count of retains. */
    if (context != NULL && atomic_load(&context->alive))
        context_stop(context);
    return CUDA_SUCCESS;
}

CUresult xs_cuDevicePrimaryCtxSetFlags_v2(CUdevice dev, unsigned int flags) {
    if (!XS_DEVICE_OK(dev))
        return CUDA_ERROR_INVALID_DEVICE;
    pthread_mutex_lock(&lock);
    primaries[dev].flags = flags;
    if (primaries[dev].context != NULL)
        primaries[dev].context->flags = flags;
    pthread_mutex_unlock(&lock);
    return CUDA_SUCCESS;
}

/* The older symbols, which the runtime of CUDA 13 still asks for. */
CUresult xs_cuDevicePrimaryCtxRelease(CUdevice dev) { return xs_cuDevicePrimaryCtxRelease_v2(dev); }

CUresult xs_cuDevicePrimaryCtxReset(CUdevice dev) { return xs_cuDevicePrimaryCtxReset_v2(dev); }

CUresult xs_cuDevicePrimaryCtxSetFlags(CUdevice dev, unsigned int flags) {
    return xs_cuDevicePrimaryCtxSetFlags_v2(dev, flags);
}

CUresult xs_cuDevicePrimaryCtxGetState(CUdevice dev, unsigned int *flags, int *active) {
    if (flags == NULL || active == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (!XS_DEVICE_OK(dev))
        return CUDA_ERROR_INVALID_DEVICE;
    pthread_mutex_lock(&lock);
    *flags = primaries[dev].flags;
    *active = primaries[dev].context != NULL && atomic_load(&primaries[dev].context->alive);
    pthread_mutex_unlock(&lock);
    return CUDA_SUCCESS;
}
