/* This library copies. It is built twice: the program closes one build, and opens the other one, which gets its place.
 */
#include <cuda.h>

__attribute__((visibility("default"))) CUresult copier_copy(CUdeviceptr device, const void *host, size_t bytes) {
    CUresult result = cuMemcpyHtoD(device, host, bytes);
    return result;
}
