/* cuGetProcAddress returns the exported symbols themselves, by name, version and kind of default stream. */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "driver.h"

static const struct {
    const char *name;
    int version;
    int per_thread;
    const char *symbol;
} cases[] = {
    {"cuMemcpyHtoD", 3020, 0, "cuMemcpyHtoD_v2"},
    {"cuMemcpyHtoD", 7000, 1, "cuMemcpyHtoD_v2_ptds"},
    {"cuMemcpyHtoDAsync", 13000, 1, "cuMemcpyHtoDAsync_v2_ptsz"},
    {"cuMemcpyHtoDAsync", 13000, 0, "cuMemcpyHtoDAsync_v2"},
    {"cuMemcpyBatchAsync", 12080, 0, "cuMemcpyBatchAsync"},
    {"cuMemcpyBatchAsync", 12090, 1, "cuMemcpyBatchAsync_ptsz"},
    {"cuMemcpyBatchAsync", 13000, 0, "cuMemcpyBatchAsync_v2"},
    {"cuMemcpyBatchAsync", 13000, 1, "cuMemcpyBatchAsync_v2_ptsz"},
    {"cuGetProcAddress", 11030, 0, "cuGetProcAddress"},
    {"cuGetProcAddress", 12000, 0, "cuGetProcAddress_v2"},
    {"cuMemPrefetchAsync", 8000, 0, "cuMemPrefetchAsync"},
    {"cuMemPrefetchAsync", 12020, 1, "cuMemPrefetchAsync_v2_ptsz"},
    {"cuCtxCreate", 13000, 0, "cuCtxCreate_v4"},
    {"cuStreamGetCaptureInfo", 10010, 0, "cuStreamGetCaptureInfo"},
    {"cuStreamGetCaptureInfo", 12030, 0, "cuStreamGetCaptureInfo_v3"},
    {"cuMemAlloc", 13000, 1, "cuMemAlloc_v2"},
};

int main(void) {
    void *library = dlopen("libcuda.so.1", RTLD_NOW), *address;
    CUdriverProcAddressQueryResult status;
    CHECK(library != NULL);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        cuuint64_t flags =
            cases[i].per_thread ? CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM : CU_GET_PROC_ADDRESS_DEFAULT;
        OK(cuGetProcAddress(cases[i].name, &address, cases[i].version, flags, &status));
        SAME(status, CU_GET_PROC_ADDRESS_SUCCESS);
        if (address != dlsym(library, cases[i].symbol)) {
            fprintf(stderr, "%s at %d is not %s\n", cases[i].name, cases[i].version, cases[i].symbol);
            return 1;
        }
    }
    OK(cuGetProcAddress("cuNoSuchThing", &address, 13000, 0, &status));
    CHECK(address == NULL);
    SAME(status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    OK(cuGetProcAddress("cuMemcpyBatchAsync", &address, 11000, 0, &status));
    CHECK(address == NULL);
    SAME(status, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
    int count;
    SAME(cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
    return 0;
}
