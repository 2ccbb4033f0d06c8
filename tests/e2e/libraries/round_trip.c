/* A library linked to libcuda with one function: 1024 bytes up and down again. */
#include <cuda.h>
#include <string.h>

__attribute__((visibility("default"))) int round_trip(unsigned seed) {
    unsigned char host[1024], back[1024];
    CUdevice device;
    CUcontext context;
    CUdeviceptr memory;

    memset(host, (int)(seed + 1), sizeof host);
    memset(back, 0, sizeof back);
    return cuInit(0) || cuDeviceGet(&device, 0) || cuDevicePrimaryCtxRetain(&context, device) ||
           cuCtxSetCurrent(context) || cuMemAlloc(&memory, sizeof host) || cuMemcpyHtoD(memory, host, sizeof host) ||
           cuMemcpyDtoH(back, memory, sizeof back) || cuMemFree(memory) || memcmp(host, back, sizeof host) != 0;
}
