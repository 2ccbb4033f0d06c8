/* A library that copies, built twice: to be closed, and another one opened in its place. */
#include <cuda.h>

__attribute__((visibility("default"))) CUresult copier_copy(CUdeviceptr device, const void *host, size_t bytes) {
    CUresult result = cuMemcpyHtoD(device, host, bytes);
    return result;
}
