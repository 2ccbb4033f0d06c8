/* Devices, errors and versions. */
#include "cudart.h"

#include <stdio.h>

RT(cudaGetDeviceCount, (int *count), (count)) {
    if (count == NULL)
        return cudaErrorInvalidValue;
    *count = 0;
    TRY(xs_rt_load());
    return xs_rt_error(DRV(cuDeviceGetCount)(count));
}

RT(cudaDriverGetVersion, (int *driverVersion), (driverVersion)) {
    if (driverVersion == NULL)
        return cudaErrorInvalidValue;
    *driverVersion = 0;
    return xs_rt_load() == cudaSuccess ? xs_rt_error(DRV(cuDriverGetVersion)(driverVersion)) : cudaSuccess;
}

RT(cudaRuntimeGetVersion, (int *runtimeVersion), (runtimeVersion)) {
    if (runtimeVersion == NULL)
        return cudaErrorInvalidValue;
    *runtimeVersion = CUDART_VERSION;
    return cudaSuccess;
}

RT(cudaDeviceGetAttribute, (int *value, enum cudaDeviceAttr attr, int device), (value, attr, device)) {
    TRY(xs_rt_load());
    return xs_rt_error(DRV(cuDeviceGetAttribute)(value, (CUdevice_attribute)attr, device));
}

static int get(int device, CUdevice_attribute attribute) {
    int value = 0;
    DRV(cuDeviceGetAttribute)(&value, attribute, device);
    return value;
}

RT(cudaGetDeviceProperties, (struct cudaDeviceProp * prop, int device), (prop, device)) {
    CUuuid uuid;
    TRY(xs_rt_load());
    if (prop == NULL)
        return cudaErrorInvalidValue;
    memset(prop, 0, sizeof(*prop));
    TRY(xs_rt_error(DRV(cuDeviceGetName)(prop->name, (int)sizeof(prop->name), device)));
    TRY(xs_rt_error(DRV(cuDeviceGetUuid)(&uuid, device)));
    memcpy(&prop->uuid, &uuid, sizeof(uuid));
    TRY(xs_rt_error(DRV(cuDeviceTotalMem)(&prop->totalGlobalMem, device)));
    prop->sharedMemPerBlock = (size_t)get(device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
    prop->regsPerBlock = get(device, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
    prop->warpSize = get(device, CU_DEVICE_ATTRIBUTE_WARP_SIZE);
    prop->memPitch = (size_t)get(device, CU_DEVICE_ATTRIBUTE_MAX_PITCH);
    prop->maxThreadsPerBlock = get(device, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    for (int i = 0; i < 3; i++) {
        prop->maxThreadsDim[i] = get(device, (CUdevice_attribute)(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + i));
        prop->maxGridSize[i] = get(device, (CUdevice_attribute)(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + i));
    }
    prop->totalConstMem = (size_t)get(device, CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY);
    prop->major = get(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
    prop->minor = get(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    prop->textureAlignment = (size_t)get(device, CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT);
    prop->multiProcessorCount = get(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    prop->integrated = get(device, CU_DEVICE_ATTRIBUTE_INTEGRATED);
    prop->canMapHostMemory = get(device, CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY);
    prop->concurrentKernels = get(device, CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS);
    prop->ECCEnabled = get(device, CU_DEVICE_ATTRIBUTE_ECC_ENABLED);
    prop->pciBusID = get(device, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID);
    prop->pciDeviceID = get(device, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID);
    prop->asyncEngineCount = get(device, CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT);
    prop->unifiedAddressing = get(device, CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING);
    prop->memoryBusWidth = get(device, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
    prop->l2CacheSize = get(device, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
    prop->maxThreadsPerMultiProcessor = get(device, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
    prop->streamPrioritiesSupported = get(device, CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED);
    prop->managedMemory = get(device, CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY);
    prop->concurrentManagedAccess = get(device, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS);
    prop->cooperativeLaunch = get(device, CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH);
    prop->memoryPoolsSupported = get(device, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED);
    return cudaSuccess;
}

RT(cudaDeviceSynchronize, (void), ())
PASS_BODY(DRV(cuCtxSynchronize)(NULL))

RT(cudaDeviceGetStreamPriorityRange, (int *leastPriority, int *greatestPriority), (leastPriority, greatestPriority))
PASS_BODY(DRV(cuCtxGetStreamPriorityRange)(leastPriority, greatestPriority))

RT(cudaDeviceSetLimit, (enum cudaLimit limit, size_t value), (limit, value))
PASS_BODY(DRV(cuCtxSetLimit)((CUlimit)limit, value))

RT(cudaDeviceGetLimit, (size_t * pValue, enum cudaLimit limit), (pValue, limit))
PASS_BODY(DRV(cuCtxGetLimit)(pValue, (CUlimit)limit))

RT(cudaDeviceGetPCIBusId, (char *pciBusId, int len, int device), (pciBusId, len, device)) {
    TRY(xs_rt_load());
    return xs_rt_error(DRV(cuDeviceGetPCIBusId)(pciBusId, len, device));
}

RT(cudaDeviceGetByPCIBusId, (int *device, const char *pciBusId), (device, pciBusId)) {
    TRY(xs_rt_load());
    return xs_rt_error(DRV(cuDeviceGetByPCIBusId)(device, pciBusId));
}

RT(cudaDeviceCanAccessPeer, (int *canAccessPeer, int device, int peerDevice), (canAccessPeer, device, peerDevice)) {
    TRY(xs_rt_load());
    return xs_rt_error(DRV(cuDeviceCanAccessPeer)(canAccessPeer, device, peerDevice));
}

RT(cudaDeviceEnablePeerAccess, (int peerDevice, unsigned int flags), (peerDevice, flags)) {
    CUcontext peer;
    TRY(xs_rt_ready());
    TRY(xs_rt_context_of(peerDevice, &peer));
    return xs_rt_error(DRV(cuCtxEnablePeerAccess)(peer, flags));
}

RT(cudaDeviceDisablePeerAccess, (int peerDevice), (peerDevice)) {
    CUcontext peer;
    TRY(xs_rt_ready());
    TRY(xs_rt_context_of(peerDevice, &peer));
    return xs_rt_error(DRV(cuCtxDisablePeerAccess)(peer));
}

RT(cudaSetDeviceFlags, (unsigned int flags), (flags)) {
    TRY(xs_rt_load());
    return xs_rt_error(DRV(cuDevicePrimaryCtxSetFlags)(0, flags));
}

RT(cudaInitDevice, (int device, unsigned int deviceFlags, unsigned int flags), (device, deviceFlags, flags)) {
    CUcontext context;
    (void)deviceFlags, (void)flags;
    return xs_rt_context_of(device, &context);
}

XS_EXPORT cudaError_t cudaProfilerStart(void);
XS_EXPORT cudaError_t cudaProfilerStop(void);
XS_EXPORT cudaError_t cudaProfilerStart(void) {
    TRY(xs_rt_load());
    return xs_rt_error(DRV(cuProfilerStart)());
}

XS_EXPORT cudaError_t cudaProfilerStop(void) {
    TRY(xs_rt_load());
    return xs_rt_error(DRV(cuProfilerStop)());
}

/* Errors that only the runtime has; the rest are the driver's under names of the runtime's. */
static const struct {
    cudaError_t value;
    const char *name, *text;
} errors[] = {
#define ERROR(value, text)                                                                                             \
    { value, #value, text }
    ERROR(cudaSuccess, "no error"),
    ERROR(cudaErrorInvalidValue, "invalid argument"),
    ERROR(cudaErrorMemoryAllocation, "out of memory"),
    ERROR(cudaErrorInitializationError, "initialization error"),
    ERROR(cudaErrorCudartUnloading, "driver shutting down"),
    ERROR(cudaErrorInvalidConfiguration, "invalid configuration argument"),
    ERROR(cudaErrorInvalidPitchValue, "invalid pitch argument"),
    ERROR(cudaErrorInvalidSymbol, "invalid device symbol"),
    ERROR(cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"),
    ERROR(cudaErrorInsufficientDriver, "CUDA driver version is insufficient for CUDA runtime version"),
    ERROR(cudaErrorMissingConfiguration, "__global__ function call is not configured"),
    ERROR(cudaErrorInvalidDeviceFunction, "invalid device function"),
    ERROR(cudaErrorNoDevice, "no CUDA-capable device is detected"),
    ERROR(cudaErrorInvalidDevice, "invalid device ordinal"),
    ERROR(cudaErrorDeviceUninitialized, "invalid device context"),
    ERROR(cudaErrorInvalidResourceHandle, "invalid resource handle"),
    ERROR(cudaErrorIllegalState, "the operation cannot be performed in the present state"),
    ERROR(cudaErrorSymbolNotFound, "named symbol not found"),
    ERROR(cudaErrorNotReady, "device not ready"),
    ERROR(cudaErrorIllegalAddress, "an illegal memory access was encountered"),
    ERROR(cudaErrorPeerAccessAlreadyEnabled, "peer access is already enabled"),
    ERROR(cudaErrorPeerAccessNotEnabled, "peer access has not been enabled"),
    ERROR(cudaErrorHostMemoryAlreadyRegistered, "part or all of the requested memory range is already mapped"),
    ERROR(cudaErrorHostMemoryNotRegistered, "pointer does not correspond to a registered memory region"),
    ERROR(cudaErrorNotSupported, "operation not supported"),
    ERROR(cudaErrorStreamCaptureUnsupported, "operation not permitted when stream is capturing"),
    ERROR(cudaErrorStreamCaptureInvalidated, "operation failed due to a previous error during capture"),
    ERROR(cudaErrorStreamCaptureMerge, "operation would result in a merge of separate capture sequences"),
    ERROR(cudaErrorStreamCaptureUnmatched, "capture was not ended in the same stream as it began"),
    ERROR(cudaErrorStreamCaptureUnjoined, "capturing stream has unjoined work"),
    ERROR(cudaErrorStreamCaptureIsolation, "dependency created on uncaptured work in another stream"),
    ERROR(cudaErrorStreamCaptureImplicit,
          "operation would make the legacy stream depend on a capturing blocking stream"),
    ERROR(cudaErrorCapturedEvent, "operation not permitted on an event last recorded in a capturing stream"),
    ERROR(cudaErrorStreamCaptureWrongThread,
          "attempt to terminate a thread-local capture sequence from another thread"),
    ERROR(cudaErrorUnknown, "unknown error"),
#undef ERROR
};

XS_EXPORT const char *cudaGetErrorName(cudaError_t error) {
    for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
        if (errors[i].value == error)
            return errors[i].name;
    return "unrecognized error code";
}

XS_EXPORT const char *cudaGetErrorString(cudaError_t error) {
    for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
        if (errors[i].value == error)
            return errors[i].text;
    return "unrecognized error code";
}
