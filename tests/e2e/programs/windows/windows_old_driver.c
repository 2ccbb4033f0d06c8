/* A driver before 12.6, from which CUPTI cannot be detached: device times are recorded in one window, and what they cost
 * ends with it. The program has more launches than the budget pays for.
 *
 * link: cuda
 * only: sim
 * env: XFERSPY_SIM_DRIVER_VERSION=12050 XFERSPY_STACK=none XFERSPY_BUDGET=1
 * stdout: data ok
 *
 * needs: cupti budget
 * > SELECT (SELECT value FROM meta WHERE key = 'cupti.windows') LIKE '%+%,%',
 * > (SELECT value FROM meta WHERE key = 'cupti.windows') LIKE '%+%',
 * > (SELECT value FROM meta WHERE key = 'cupti.detachments'),
 * > (SELECT value FROM meta WHERE key = 'cupti.status'),
 * > (SELECT count(*) FROM note WHERE text LIKE 'device times were stopped for good%older than 12.6%')
 * 0|1|1|active|1
 *
 * Each launch is there, and of the device what ran before; nothing of the last ones.
 * needs: cupti budget
 * > SELECT (SELECT count(*) FROM launch WHERE result = 0) >= 20000, (SELECT count(*) FROM device_kernel) > 0,
 * > (SELECT count(*) FROM device_kernel) < (SELECT count(*) FROM launch),
 * > (SELECT max(start_ns) FROM device_kernel) < (SELECT max(enter_ns) - 1000000 FROM launch)
 * 1|1|1|1
 */
#include <cuda.h>
#include <time.h>

#include "../arguments/add_one_ptx.h"
#include "../check.h"

enum { BYTES = 256, AT_ONCE = 100, LEAST = 20000 };

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(void) {
    CUmodule module;
    CUfunction add_one;
    CUdeviceptr memory;
    size_t n = BYTES;
    void *params[] = {&memory, &n};
    e2e_context();
    OK(cuModuleLoadData(&module, add_one_ptx));
    OK(cuModuleGetFunction(&add_one, module, "xs_add_one_u8"));
    OK(cuMemAlloc(&memory, BYTES));
    OK(cuMemsetD8(memory, 0, BYTES));
    double until = now() + 1;
    for (unsigned launches = 0; launches < LEAST || now() < until; launches += AT_ONCE) {
        for (int i = 0; i < AT_ONCE; i++)
            OK(cuLaunchKernel(add_one, 1, 1, 1, 64, 1, 1, 0, NULL, params, NULL));
        OK(cuCtxSynchronize());
    }
    OK(cuMemFree(memory));
    puts("data ok");
    return 0;
}
