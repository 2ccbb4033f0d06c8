/* Functions of a newer driver that are looked up by dlsym(RTLD_NEXT): by the program, by a library that is loaded later
 * and depends on the driver, and by a preloaded shim that has a function of that name itself. Each finds what it finds
 * without xferspy, and the driver's functions are noticed. dlvsym finds no function of the driver, because they have no
 * versions.
 *
 * link: cuda
 * only: sim unsanitized no-repairs
 * preload: $xferspy_lib $lib/libunknown_shim.so
 * stdout: no such function: none, none
 * stdout: dlvsym: none
 * stdout: the shim saw 1 call
 * stdout: data ok
 *
 * > SELECT value FROM meta WHERE key = 'coverage.unknown_called'
 * cuSomethingNew,cuFuncGetParamCount,cuSomethingOut
 *
 * The upload after the call of each is needed.
 * !
 * duplicate-upload/unknown|1|1|1024
 */
#define _GNU_SOURCE
#include <cuda.h>
#include <dlfcn.h>

#include "../check.h"

enum { BYTES = 1024 };

int main(void) {
    CUresult (*fill)(CUdeviceptr, size_t, CUstream, double, int, int, int, int, int, unsigned char);
    CUresult (*out)(unsigned *), (*count_parameters)(CUfunction, size_t *);
    void *(*asks_next)(const char *);
    char path[4096];
    unsigned char host[BYTES];
    unsigned number = 0;
    size_t count;
    CUdeviceptr device;
    snprintf(path, sizeof path, "%s/libasks_next.so", getenv("XFERSPY_TEST_LIB"));
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL), *driver = dlopen("libcuda.so.1", RTLD_NOW);
    REQUIRE(library != NULL && driver != NULL);
    *(void **)&asks_next = dlsym(library, "asks_next");
    e2e_context();
    *(void **)&fill = dlsym(RTLD_NEXT, "cuSomethingNew");
    *(void **)&out = dlsym(RTLD_NEXT, "cuSomethingOut");
    *(void **)&count_parameters = asks_next("cuFuncGetParamCount");
    REQUIRE(fill && out && count_parameters);
    printf("no such function: %s, %s\n", dlsym(RTLD_NEXT, "cuNoSuchFunction") ? "found" : "none",
           asks_next("cuNoSuchFunction") ? "found" : "none");
    printf("dlvsym: %s\n", dlvsym(driver, "cuSomethingNew", "libcuda.so.1") ? "found" : "none");

    e2e_fill(host, BYTES, 1);
    OK(cuMemAlloc(&device, BYTES));
    OK(cuMemcpyHtoD(device, host, BYTES));
    OK(fill(device, BYTES, NULL, 15.0, 1, 2, 3, 4, 5, 0xa0));
    OK(cuCtxSynchronize());
    OK(cuMemcpyHtoD(device, host, BYTES));
    OK(out(&number));
    REQUIRE(number == 1);
    REQUIRE(count_parameters(NULL, &count) == CUDA_ERROR_INVALID_VALUE);
    OK(cuMemFree(device));
    const int *calls = dlsym(RTLD_DEFAULT, "unknown_shim_calls");
    printf("the shim saw %d call\n", calls ? *calls : 0);
    puts("data ok");
    return 0;
}
