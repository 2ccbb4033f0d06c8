/* A library that is linked to libcuda, and looks functions up by dlsym(RTLD_NEXT). */
#define _GNU_SOURCE
#include <cuda.h>
#include <dlfcn.h>

#define EXPORT __attribute__((visibility("default")))

/* Without a call of the driver, the linker would leave libcuda out. */
EXPORT CUresult asks_next_version(int *version) { return cuDriverGetVersion(version); }

EXPORT void *asks_next(const char *name) { return dlsym(RTLD_NEXT, name); }
