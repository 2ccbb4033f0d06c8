/* This is a shim of a function that xferspy does not know. It finds the driver's function by dlsym(RTLD_NEXT), and
 * counts the calls. */
#define _GNU_SOURCE
#include <cuda.h>
#include <dlfcn.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT int unknown_shim_calls;

EXPORT CUresult CUDAAPI cuSomethingOut(unsigned *out) {
    CUresult(CUDAAPI * real)(unsigned *);
    *(void **)&real = dlsym(RTLD_NEXT, "cuSomethingOut");
    unknown_shim_calls++;
    return real ? real(out) : CUDA_ERROR_NOT_FOUND;
}
