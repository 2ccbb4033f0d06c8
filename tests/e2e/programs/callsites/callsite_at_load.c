/* A thread calls CUDA while a library's constructor waits for it. The walk through a stack must not wait for the
 * loader, whatever it looks up. The look for Python once did so; it comes again when a library was loaded and a second
 * has passed. And dlerror reports only on the program's own calls.
 *
 * link: cuda
 * stdout: data ok
 *
 * > SELECT count(*), min(s.native_frames) > 0 FROM transfer t JOIN stack s ON s.id = t.stack WHERE t.bytes = 100
 * 1|1
 */
#include <cuda.h>
#include <dlfcn.h>
#include <unistd.h>

#include "../check.h"

int main(void) {
    CUdeviceptr device;
    char path[4096];
    e2e_context();
    OK(cuMemAlloc(&device, 4096));
    REQUIRE(!dlerror());
    sleep(2);
    snprintf(path, sizeof path, "%s/libat_load.so", getenv("XFERSPY_TEST_LIB"));
    void *handle = dlopen(path, RTLD_NOW);
    REQUIRE(handle);
    OK(dlclose(handle));
    OK(cuMemFree(device));
    puts("data ok");
    return 0;
}
