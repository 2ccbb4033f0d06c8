/* This library's constructor uses CUDA. If a program is linked to it, the loader loads it after what is preloaded, and
 * so initialises it earlier: its calls come before any constructor of the preloaded library. */
#include <cuda.h>
#include <stddef.h>

#define EXPORT __attribute__((visibility("default")))

/* What went wrong; 0: nothing. */
EXPORT int copies_at_start_failed = -1;

__attribute__((constructor)) static void copy(void) {
    static unsigned char host[100], back[sizeof host];
    CUdevice device;
    CUcontext context;
    CUdeviceptr memory;
    CUresult r = cuInit(0);
    host[99] = 7;
    r = r ? r : cuDeviceGet(&device, 0);
    r = r ? r : cuDevicePrimaryCtxRetain(&context, device);
    r = r ? r : cuCtxSetCurrent(context);
    r = r ? r : cuMemAlloc(&memory, sizeof host);
    r = r ? r : cuMemcpyHtoD(memory, host, sizeof host);
    r = r ? r : cuMemcpyDtoH(back, memory, sizeof back);
    r = r ? r : cuMemFree(memory);
    copies_at_start_failed = r ? (int)r : back[99] != 7;
}
