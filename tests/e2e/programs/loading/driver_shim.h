/* The program of the driver_shim tests. It copies in each way in which a program can reach the driver. Another shim of
 * libcuda is preloaded, also in the run without xferspy. In both runs this shim must count and refuse the same
 * calls. */
#define _GNU_SOURCE
#include <cuda.h>
#include <dlfcn.h>
#include <stdatomic.h>

#include "../check.h"

#ifndef DRIVER_SHIM_LINKED_ONLY
#include <cuda_runtime_api.h>
#endif

#undef cuGetProcAddress

static unsigned char host[8192];
static CUdeviceptr device;

static void by_link(void) {
    CUdeviceptr large = 0;
    OK(cuMemAlloc(&device, sizeof host));
    OK(cuMemcpyHtoD(device, host, 1001));
    OK(cuMemcpyHtoD(device, host, 1002));
    CUresult refused = cuMemAlloc(&large, 32 << 20);
    printf("linked, 32 MiB: %d\n", (int)refused);
    if (refused == CUDA_SUCCESS)
        OK(cuMemFree(large));
}

#ifndef DRIVER_SHIM_LINKED_ONLY
static unsigned char back[8192];
static __typeof__(&cuGetProcAddress_v2) look_up;

static void *found(const char *name, cuuint64_t flags) {
    void *address = NULL;
    OK(look_up(name, &address, 12000, flags, NULL));
    REQUIRE(address != NULL);
    return address;
}

static void by_name(void *driver) {
    __typeof__(&cuMemcpyHtoD_v2) up;
    *(void **)&up = dlsym(driver, "cuMemcpyHtoD_v2");
    OK(up(device, host, 2001));
    OK(up(device, host, 2002));
    OK(up(device, host, 2003));
}

/* Also looks up the look-up function itself, as the runtime does. */
static void by_look_up(void *driver) {
    CUdeviceptr large = 0;
    *(void **)&look_up = dlsym(driver, "cuGetProcAddress_v2");
    for (int i = 0; i < 2; i++) {
        __typeof__(&cuMemcpyHtoD_v2) up = (__typeof__(up))found("cuMemcpyHtoD", CU_GET_PROC_ADDRESS_LEGACY_STREAM);
        __typeof__(&cuMemAlloc_v2) alloc = (__typeof__(alloc))found("cuMemAlloc", CU_GET_PROC_ADDRESS_DEFAULT);
        __typeof__(&cuMemcpyDtoH_v2) down = (__typeof__(down))found("cuMemcpyDtoH", CU_GET_PROC_ADDRESS_LEGACY_STREAM);
        OK(up(device, host, 3001 + (size_t)i));
        OK(down(back, device, 3001 + (size_t)i));
        e2e_expect(back, 3001, 1);
        CUresult refused = alloc(&large, 32 << 20);
        printf("looked up, 32 MiB: %d\n", (int)refused);
        if (refused == CUDA_SUCCESS)
            OK(cuMemFree(large));
        *(void **)&look_up = found("cuGetProcAddress", CU_GET_PROC_ADDRESS_DEFAULT);
    }
}

static void by_runtime(void) {
    OK((int)cudaMemcpy((void *)(size_t)device, host, 4001, cudaMemcpyHostToDevice));
    OK((int)cudaMemcpy(back, (void *)(size_t)device, 4001, cudaMemcpyDeviceToHost));
    e2e_expect(back, 4001, 1);
}
#endif

int main(void) {
    atomic_int *uploads = dlsym(RTLD_DEFAULT, "driver_shim_uploads");
    REQUIRE(uploads != NULL);
    e2e_context();
    e2e_fill(host, sizeof host, 1);
    by_link();
#ifndef DRIVER_SHIM_LINKED_ONLY
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    REQUIRE(driver != NULL);
    by_name(driver);
    by_look_up(driver);
    by_runtime();
#endif
    OK(cuMemFree(device));
    printf("the shim saw %d uploads\n", *uploads);
    puts("data ok");
    return 0;
}
