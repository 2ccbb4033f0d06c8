/* A program that reaches the driver as the CUDA runtime does: dlsym of cuGetProcAddress_v2, then everything through it,
 * in old and new versions and for both kinds of default stream. What it gets is what dlsym gives for the exact symbol.
 *
 * stdout: 8 of 8 addresses are those of dlsym
 * stdout: not found: 1
 * stdout: data ok
 *
 * > SELECT entry_point, direction, bytes, result FROM transfers ORDER BY id
 * cuMemcpyHtoD_v2|h2d|4096|0
 * cuMemcpyDtoH_v2|d2h|4096|0
 * cuMemcpyHtoD_v2_ptds|h2d|1024|0
 * cuMemcpyHtoDAsync_v2_ptsz|h2d|2048|0
 * cuMemcpyHtoDAsync_v2|h2d|512|0
 *
 * > SELECT entry_point FROM syncs ORDER BY id
 * cuCtxSynchronize
 */
#include "../driver_by_hand.h"

static void *library;
static __typeof__(&cuGetProcAddress_v2) get;

static void *find(const char *symbol) {
    char name[64];
    void *address = NULL;
    CUdriverProcAddressQueryResult status;
    snprintf(name, sizeof name, "%s", symbol);
    for (size_t n = 0; name[n] != '\0'; n++)
        if (name[n] == '_' && name[n + 1] == 'v')
            name[n] = '\0';
    OK(get(name, &address, 12000, CU_GET_PROC_ADDRESS_DEFAULT, &status));
    REQUIRE(status == CU_GET_PROC_ADDRESS_SUCCESS && address != NULL);
    return address;
}

static int same(const char *name, int version, cuuint64_t flags, const char *symbol) {
    void *address = NULL;
    OK(get(name, &address, version, flags, NULL));
    return address != NULL && address == dlsym(library, symbol);
}

int main(void) {
    const cuuint64_t per_thread = CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM,
                     legacy = CU_GET_PROC_ADDRESS_LEGACY_STREAM;
    struct by_hand driver;
    CUdriverProcAddressQueryResult status = CU_GET_PROC_ADDRESS_SUCCESS;
    __typeof__(&cuGetProcAddress_v2) again;
    __typeof__(&cuMemcpyHtoD_v2) up;
    __typeof__(&cuMemcpyHtoDAsync_v2) up_async, up_async_linked;
    __typeof__(&cuCtxSynchronize) synchronize;
    unsigned char host[4096] = {0};
    CUdeviceptr device;
    void *nothing = NULL;

    library = dlopen("libcuda.so.1", RTLD_NOW);
    if (library == NULL)
        return E2E_SKIP;
    *(void **)&get = dlsym(library, "cuGetProcAddress_v2");
    REQUIRE(get != NULL);
    int equal = same("cuMemcpyHtoD", 12000, legacy, "cuMemcpyHtoD_v2") +
                same("cuMemcpyHtoD", 12000, per_thread, "cuMemcpyHtoD_v2_ptds") +
                same("cuMemcpyHtoDAsync", 12000, legacy, "cuMemcpyHtoDAsync_v2") +
                same("cuMemcpyHtoDAsync", 12000, per_thread, "cuMemcpyHtoDAsync_v2_ptsz") +
                same("cuMemAlloc", 12000, per_thread, "cuMemAlloc_v2") +
                same("cuStreamSynchronize", 12000, per_thread, "cuStreamSynchronize_ptsz") +
                same("cuGetProcAddress", 12000, legacy, "cuGetProcAddress_v2") +
                same("cuDeviceGetName", 12000, legacy, "cuDeviceGetName");
    printf("%d of 8 addresses are those of dlsym\n", equal);
    (void)get("cuThereIsNoSuchFunction", &nothing, 12000, CU_GET_PROC_ADDRESS_DEFAULT, &status);
    REQUIRE(nothing == NULL);
    printf("not found: %d\n", (int)status);

    by_hand_load(&driver, find);
    by_hand_round_trip(&driver, 4096);

    OK(get("cuGetProcAddress", (void **)&again, 12000, CU_GET_PROC_ADDRESS_DEFAULT, NULL));
    OK(again("cuMemcpyHtoD", (void **)&up, 12000, per_thread, NULL));
    OK(again("cuMemcpyHtoDAsync", (void **)&up_async, 12000, per_thread, NULL));
    OK(again("cuMemcpyHtoDAsync", (void **)&up_async_linked, 4000, legacy, NULL));
    OK(again("cuCtxSynchronize", (void **)&synchronize, 12000, legacy, NULL));
    OK(driver.alloc(&device, 4096));
    OK(up(device, host, 1024));
    OK(up_async(device, host, 2048, 0));
    OK(up_async_linked(device, host, 512, 0));
    OK(synchronize());
    OK(driver.free(device));
    puts("data ok");
    return 0;
}
