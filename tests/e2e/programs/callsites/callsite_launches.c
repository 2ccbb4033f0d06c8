/* Stacks of launches: of a few, the first ones of a thread among them, and at least 10 ms apart.
 *
 * link: cuda
 * stdout: data ok
 *
 * > SELECT count(*), count(stack) > 0, count(stack) <= 50 FROM launch
 * 3000|1|1
 *
 * > SELECT count(*) FROM launch a JOIN launch b ON b.id > a.id AND b.enter_ns < a.enter_ns + 9000000
 * > WHERE a.stack IS NOT NULL AND b.stack IS NOT NULL
 * 0
 *
 * > SELECT min(id) <= 61 FROM launch WHERE stack IS NOT NULL
 * 1
 *
 * > SELECT count(*) FROM launch l LEFT JOIN stack s ON s.id = l.stack
 * > WHERE l.stack IS NOT NULL AND coalesce(s.native_frames, 0) < 2
 * 0
 */
#include <cuda.h>

#include "../arguments/add_one_ptx.h"
#include "../check.h"

int main(void) {
    size_t n = 16;
    CUmodule module;
    CUfunction function;
    CUdeviceptr device;
    e2e_context();
    OK(cuModuleLoadData(&module, add_one_ptx));
    OK(cuModuleGetFunction(&function, module, "xs_add_one_u8"));
    OK(cuMemAlloc(&device, n));
    void *parameters[] = {&device, &n};
    for (int i = 0; i < 3000; i++)
        OK(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, NULL, parameters, NULL));
    OK(cuCtxSynchronize());
    OK(cuMemFree(device));
    puts("data ok");
    return 0;
}
