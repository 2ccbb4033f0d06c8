/* A thread calls CUDA while a library's constructor waits for it: whatever a walk asks, it is not what waits for the
 * loader. The look for Python did, which comes again when a library was loaded and a second has gone by. And dlerror
 * speaks of the program's own calls.
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
