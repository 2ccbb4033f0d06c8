/* How the simulated runtime finds and starts the driver: dlopen, dlsym of cuGetProcAddress_v2, and everything else
 * through that, as the real one does. Profilers rely on it. */
#include "cudart.h"

#include <dlfcn.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static void *library;
static cudaError_t load_result = cudaErrorInsufficientDriver;
static struct xs_rt_driver drivers[2];
static CUcontext primaries[64];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread struct {
    bool per_thread;
    int device; /* chosen by cudaSetDevice; 0 until then */
    cudaError_t last;
} state;

/* The stand-in's short cut to the current context: the real runtime has one too, and calls nothing that a profiler
 * could see. */
static CUcontext (*current_context)(void);

typedef CUresult (*get_proc_address_fn)(const char *, void **, int, cuuint64_t, CUdriverProcAddressQueryResult *);

/* Per-thread variants exist from CUDA 7.0 on; earlier the driver answers with the plain entry point. */
static int version_to_ask(int since, bool per_thread) { return per_thread && since < 7000 ? 7000 : since; }

static void load(void) {
    library = dlopen("libcuda.so.1", RTLD_NOW);
    get_proc_address_fn first, get;
    void *symbol = library != NULL ? dlsym(library, "cuGetProcAddress_v2") : NULL;
    if (symbol == NULL)
        return;
    memcpy(&first, &symbol, sizeof(first));
    void *address;
    if (first("cuGetProcAddress", &address, 12000, CU_GET_PROC_ADDRESS_DEFAULT, NULL) != CUDA_SUCCESS)
        return;
    memcpy(&get, &address, sizeof(get));
    bool complete = true;
    for (int i = 0; i < 2; i++) {
        cuuint64_t flags = i == 0 ? CU_GET_PROC_ADDRESS_LEGACY_STREAM : CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
#define DRIVER(name, symbol, since)                                                                                    \
    complete &= get(#name, &address, version_to_ask(since, i == 1), flags, NULL) == CUDA_SUCCESS && address != NULL;   \
    memcpy(&drivers[i].name, &address, sizeof(address));
#include "cudart_entries.h"
#undef DRIVER
    }
    symbol = dlsym(library, "xs_sim_current_context");
    memcpy(&current_context, &symbol, sizeof(current_context));
    if (complete && current_context != NULL)
        load_result = xs_rt_error(drivers[0].cuInit(0));
}

cudaError_t xs_rt_load(void) {
    pthread_once(&once, load);
    return load_result;
}

void *xs_rt_driver_symbol(const char *name) { return library != NULL ? dlsym(library, name) : NULL; }

const struct xs_rt_driver *xs_rt_driver(void) { return &drivers[state.per_thread]; }

cudaError_t xs_rt_context_of(int device, CUcontext *out) {
    int count;
    TRY(xs_rt_load());
    if (device >= 0 && device < 64 && current_context() != NULL) {
        pthread_mutex_lock(&lock);
        *out = primaries[device];
        pthread_mutex_unlock(&lock);
        if (*out == current_context())
            return cudaSuccess;
    }
    TRY(xs_rt_error(DRV(cuDeviceGetCount)(&count)));
    if (device < 0 || device >= count)
        return cudaErrorInvalidDevice;
    cudaError_t result = cudaSuccess;
    pthread_mutex_lock(&lock);
    unsigned flags;
    int active = 1;
    /* After a reset the primary context is to be retained anew. */
    if (primaries[device] != NULL && current_context() != primaries[device])
        DRV(cuDevicePrimaryCtxGetState)(device, &flags, &active);
    if (primaries[device] == NULL || !active)
        result = xs_rt_error(DRV(cuDevicePrimaryCtxRetain)(&primaries[device], device));
    *out = primaries[device];
    pthread_mutex_unlock(&lock);
    return result;
}

cudaError_t xs_rt_ready(void) {
    CUcontext current;
    TRY(xs_rt_load());
    if (current_context() != NULL)
        return cudaSuccess;
    TRY(xs_rt_context_of(state.device, &current));
    return xs_rt_error(DRV(cuCtxSetCurrent)(current));
}

bool xs_rt_enter(bool per_thread) {
    bool outer = state.per_thread;
    state.per_thread = per_thread;
    return outer;
}

cudaError_t xs_rt_leave(bool outer, cudaError_t result) {
    state.per_thread = outer;
    if (result != cudaSuccess && result != cudaErrorNotReady)
        state.last = result;
    return result;
}

RT(cudaSetDevice, (int device), (device)) {
    CUcontext context;
    TRY(xs_rt_context_of(device, &context));
    TRY(xs_rt_error(DRV(cuCtxSetCurrent)(context)));
    state.device = device;
    return xs_rt_ready();
}

RT(cudaGetDevice, (int *device), (device)) {
    CUdevice found;
    if (device == NULL)
        return cudaErrorInvalidValue;
    TRY(xs_rt_load());
    *device = state.device;
    if (current_context() != NULL && DRV(cuCtxGetDevice)(&found, NULL) == CUDA_SUCCESS)
        *device = found;
    return cudaSuccess;
}

RT(cudaDeviceReset, (void), ()) {
    CUdevice device = state.device;
    CUcontext current;
    TRY(xs_rt_load());
    if (DRV(cuCtxGetCurrent)(&current) == CUDA_SUCCESS && current != NULL)
        DRV(cuCtxGetDevice)(&device, current);
    pthread_mutex_lock(&lock);
    primaries[device] = NULL;
    pthread_mutex_unlock(&lock);
    TRY(xs_rt_error(DRV(cuDevicePrimaryCtxReset)(device)));
    return xs_rt_error(DRV(cuCtxSetCurrent)(NULL));
}

XS_EXPORT cudaError_t cudaGetLastError(void) {
    cudaError_t last = state.last;
    state.last = cudaSuccess;
    return last;
}

XS_EXPORT cudaError_t cudaPeekAtLastError(void) { return state.last; }

RT(cudaGetDriverEntryPointByVersion,
   (const char *symbol, void **funcPtr, unsigned int cudaVersion, unsigned long long flags,
    enum cudaDriverEntryPointQueryResult *driverStatus),
   (symbol, funcPtr, cudaVersion, flags, driverStatus)) {
    CUdriverProcAddressQueryResult status = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    TRY(xs_rt_load());
    CUresult result = DRV(cuGetProcAddress)(symbol, funcPtr, (int)cudaVersion, flags, &status);
    if (driverStatus != NULL)
        *driverStatus = (enum cudaDriverEntryPointQueryResult)status;
    return result == CUDA_ERROR_NOT_FOUND ? cudaSuccess : xs_rt_error(result);
}

RT(cudaGetDriverEntryPoint,
   (const char *symbol, void **funcPtr, unsigned long long flags, enum cudaDriverEntryPointQueryResult *driverStatus),
   (symbol, funcPtr, flags, driverStatus)) {
    return rt_cudaGetDriverEntryPointByVersion(symbol, funcPtr, CUDART_VERSION, flags, driverStatus);
}
