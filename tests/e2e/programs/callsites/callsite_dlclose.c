/* A library copies and is closed. The loader puts the next library in its place. Each copy's stack names the library
 * from which it came.
 *
 * link: cuda
 * build: -g -O1
 * stdout: data ok
 *
 * > SELECT t.bytes, replace(m.path, rtrim(m.path, replace(m.path, '/', '')), '') FROM transfer t
 * > JOIN stack_frame f ON f.stack = t.stack AND f.depth = 0 JOIN module m ON m.id = f.module ORDER BY t.id
 * 100|libcopier.so
 * 101|libother_copier.so
 * 102|libcopier.so
 * 103|libother_copier.so
 *
 * The stack leads on to main's caller, in the C library:
 * > SELECT count(*) FROM transfer t JOIN stack s ON s.id = t.stack WHERE s.native_frames >= 3 AND NOT s.is_cut
 * 4
 */
#include <cuda.h>
#include <dlfcn.h>

#include "../check.h"

static unsigned char host[4096];

static void __attribute__((noinline)) copy_by(const char *library, CUdeviceptr device, size_t bytes) {
    char path[4096];
    CUresult (*copy)(CUdeviceptr, const void *, size_t);
    snprintf(path, sizeof path, "%s/%s", getenv("XFERSPY_TEST_LIB"), library);
    void *handle = dlopen(path, RTLD_NOW);
    REQUIRE(handle);
    *(void **)&copy = dlsym(handle, "copier_copy");
    REQUIRE(copy);
    OK(copy(device, host, bytes));
    OK(dlclose(handle));
}

int main(void) {
    CUdeviceptr device;
    e2e_context();
    OK(cuMemAlloc(&device, sizeof host));
    copy_by("libcopier.so", device, 100);
    copy_by("libother_copier.so", device, 101);
    copy_by("libcopier.so", device, 102);
    copy_by("libother_copier.so", device, 103);
    OK(cuMemFree(device));
    puts("data ok");
    return 0;
}
