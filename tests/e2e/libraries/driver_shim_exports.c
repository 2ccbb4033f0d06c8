/* This is a shim of libcuda that only exports functions of the driver, for programs that are linked to it, and finds
 * the driver's functions by dlsym(RTLD_NEXT). Programs that look up the driver's functions do not use the shim. It
 * counts uploads, and allows no allocation above 16 MiB. */
#define _GNU_SOURCE
#include <cuda.h>
#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>

#define EXPORT __attribute__((visibility("default")))

enum { MOST_BYTES = 16 << 20 };

EXPORT atomic_int driver_shim_uploads;

EXPORT CUresult CUDAAPI cuMemAlloc_v2(CUdeviceptr *out, size_t bytes) {
    __typeof__(&cuMemAlloc_v2) real;
    *(void **)&real = dlsym(RTLD_NEXT, "cuMemAlloc_v2");
    return bytes > MOST_BYTES ? CUDA_ERROR_OUT_OF_MEMORY : real(out, bytes);
}

EXPORT CUresult CUDAAPI cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes) {
    __typeof__(&cuMemcpyHtoD_v2) real;
    *(void **)&real = dlsym(RTLD_NEXT, "cuMemcpyHtoD_v2");
    driver_shim_uploads++;
    return real(to, from, bytes);
}
