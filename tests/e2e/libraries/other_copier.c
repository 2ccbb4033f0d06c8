/* As copier.c, at another address within: what is known of a closed library must not be told of this one. */
#include <cuda.h>
#include <string.h>

__attribute__((visibility("default"))) CUresult copier_copy(CUdeviceptr device, const void *host, size_t bytes) {
    char room[256];
    memset(room, (int)bytes, sizeof room);
    __asm__ volatile("" : : "r"(room) : "memory");
    CUresult result = cuMemcpyHtoD(device, host, bytes);
    return result;
}
