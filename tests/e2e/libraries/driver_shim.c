/* This is a shim of libcuda like those that share a GPU between containers (HAMi-core's libvgpu.so, nvshare's
 * libnvshare.so). It exports functions of the driver, overrides dlsym and cuGetProcAddress to hand them out, and finds
 * the driver's functions by the next dlsym. As in HAMi-core, a look-up of the look-up gives a function that no symbol
 * names. It counts uploads, and allows no allocation above 16 MiB. */
#define _GNU_SOURCE
#include <cuda.h>
#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#undef cuGetProcAddress
#define EXPORT __attribute__((visibility("default")))

enum { MOST_BYTES = 16 << 20 };

/* Read by the program through dlsym. */
EXPORT atomic_int driver_shim_uploads;

static void *next_dlsym(void *handle, const char *name) {
    static void *(*next)(void *, const char *);
    static const char *const versions[] = {"GLIBC_2.2.5", "GLIBC_2.17", "GLIBC_2.34"};
    for (int i = 0; next == NULL && i < 3; i++)
        *(void **)&next = dlvsym(RTLD_NEXT, "dlsym", versions[i]);
    return next(handle, name);
}

static void *behind(const char *name) {
    static void *driver;
    if (driver == NULL)
        driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NODELETE);
    return driver != NULL ? next_dlsym(driver, name) : NULL;
}

#define BEHIND(function)                                                                                               \
    static __typeof__(&function) real;                                                                                 \
    if (real == NULL)                                                                                                  \
        *(void **)&real = behind(#function);                                                                           \
    if (real == NULL)                                                                                                  \
        return CUDA_ERROR_NOT_INITIALIZED;

EXPORT CUresult CUDAAPI cuMemAlloc_v2(CUdeviceptr *out, size_t bytes) {
    BEHIND(cuMemAlloc_v2)
    return bytes > MOST_BYTES ? CUDA_ERROR_OUT_OF_MEMORY : real(out, bytes);
}

EXPORT CUresult CUDAAPI cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes) {
    BEHIND(cuMemcpyHtoD_v2)
    driver_shim_uploads++;
    return real(to, from, bytes);
}

CUresult CUDAAPI cuGetProcAddress(const char *name, void **out, int version, cuuint64_t flags);

static void *own(const char *name) {
    static const struct {
        const char *name;
        void *function;
    } functions[] = {
        {"cuMemAlloc_v2", (void *)cuMemAlloc_v2},
        {"cuMemcpyHtoD_v2", (void *)cuMemcpyHtoD_v2},
        {"cuGetProcAddress", (void *)cuGetProcAddress},
        {"cuGetProcAddress_v2", (void *)cuGetProcAddress_v2},
    };
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        if (strcmp(functions[i].name, name) == 0)
            return functions[i].function;
    return NULL;
}

/* By the name alone: which default stream a program has does not matter to it. */
static void *own_of_any_version(const char *name) {
    if (strcmp(name, "cuMemAlloc") == 0 || strcmp(name, "cuMemcpyHtoD") == 0)
        return name[5] == 'A' ? (void *)cuMemAlloc_v2 : (void *)cuMemcpyHtoD_v2;
    return NULL;
}

static CUresult CUDAAPI found_by_look_up(const char *name, void **out, int version, cuuint64_t flags,
                                         CUdriverProcAddressQueryResult *status) {
    BEHIND(cuGetProcAddress_v2)
    CUresult result = real(name, out, version, flags, status);
    void *ours = own_of_any_version(name);
    if (result == CUDA_SUCCESS && ours != NULL)
        *out = ours;
    return result;
}

EXPORT CUresult CUDAAPI cuGetProcAddress_v2(const char *name, void **out, int version, cuuint64_t flags,
                                            CUdriverProcAddressQueryResult *status) {
    CUresult result = found_by_look_up(name, out, version, flags, status);
    if (result == CUDA_SUCCESS && strcmp(name, "cuGetProcAddress") == 0 && version >= 12000)
        *out = (void *)found_by_look_up;
    return result;
}

EXPORT CUresult CUDAAPI cuGetProcAddress(const char *name, void **out, int version, cuuint64_t flags) {
    return cuGetProcAddress_v2(name, out, version, flags, NULL);
}

EXPORT void *dlsym(void *handle, const char *name) {
    void *ours = handle != RTLD_NEXT && strncmp(name, "cu", 2) == 0 ? own(name) : NULL;
    return ours != NULL ? ours : next_dlsym(handle, name);
}
