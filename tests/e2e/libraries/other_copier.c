/* This library is like copier.c, but its code is at another address within it. What is known about a closed library
 * must not be applied to this one. */
#include <cuda.h>
#include <string.h>

__attribute__((visibility("default"))) CUresult copier_copy(CUdeviceptr device, const void *host, size_t bytes) {
    char room[256];
    memset(room, (int)bytes, sizeof room);
    __asm__ volatile("" : : "r"(room) : "memory");
    CUresult result = cuMemcpyHtoD(device, host, bytes);
    return result;
}
