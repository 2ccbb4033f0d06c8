/* Several devices and contexts: peers, current contexts, and what the devices say of themselves. */
#include "driver.h"

int main(void) {
    setenv("XFERSPY_SIM_DEVICES", "2", 1);
    setenv("XFERSPY_SIM_MEMORY_BYTES", "16777216", 1);
    CUcontext first = start(), second, made, current;
    CUdevice device;
    CUdeviceptr a, b;
    char name[100], back[64];
    int value, count;
    size_t total;
    OK(cuDeviceGetCount(&count));
    SAME(count, 2);
    OK(cuDeviceGetName(name, sizeof(name), 1));
    CHECK(strstr(name, "simulated") != NULL);
    OK(cuDeviceTotalMem(&total, 0));
    SAME(total, 16777216);
    OK(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0));
    SAME(value, 9);
    OK(cuDeviceGetPCIBusId(name, sizeof(name), 1));
    OK(cuDeviceGetByPCIBusId(&device, name));
    SAME(device, 1);
    SAME(cuDeviceGet(&device, 2), CUDA_ERROR_INVALID_DEVICE);
    OK(cuDevicePrimaryCtxRetain(&second, 1));
    OK(cuMemAlloc(&a, 4096));
    SAME(cuMemAlloc(&b, 16777216), CUDA_ERROR_OUT_OF_MEMORY);
    OK(cuCtxPushCurrent(second));
    OK(cuMemAlloc(&b, 4096));
    OK(cuCtxGetDevice(&device));
    SAME(device, 1);
    OK(cuPointerGetAttribute(&value, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, a));
    SAME(value, 0);
    OK(cuDeviceCanAccessPeer(&value, 0, 1));
    SAME(value, 1);
    OK(cuCtxEnablePeerAccess(first, 0));
    SAME(cuCtxEnablePeerAccess(first, 0), CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
    OK(cuMemcpyHtoD(a, ptx, 64));
    OK(cuMemcpyPeer(b, second, a, first, 64));
    OK(cuMemcpyDtoH(back, b, 64));
    CHECK(memcmp(back, ptx, 64) == 0);
    OK(cuCtxPopCurrent(&current));
    CHECK(current == second);
    OK(cuCtxCreate(&made, NULL, 0, 0));
    OK(cuCtxGetCurrent(&current));
    CHECK(current == made);
    CUstream stream;
    OK(cuStreamCreate(&stream, 0));
    spin(stream, 1000000);
    OK(cuCtxDestroy(made)); /* with work queued and a stream open */
    OK(cuCtxGetCurrent(&current));
    CHECK(current == first);
    OK(cuDevicePrimaryCtxReset(1));
    SAME(cuMemcpyDtoH(back, b, 64), CUDA_ERROR_INVALID_VALUE);
    OK(cuDevicePrimaryCtxRelease(1)); /* a reset leaves the count */
    SAME(cuDevicePrimaryCtxRelease(1), CUDA_ERROR_INVALID_CONTEXT);
    OK(cuDevicePrimaryCtxRelease(0));
    SAME(cuMemAlloc(&a, 64), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    return 0;
}
