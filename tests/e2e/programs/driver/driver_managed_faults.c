/* More faults of kernels on managed memory than may be recorded: the budget counts what recording each of them costs,
 * 36 us, so they are recorded in windows, and the trace says so. (The budget itself is tested by made-up clocks, because
 * a busy machine makes windows longer.)
 *
 * link: cuda
 * only: sim
 * env: XFERSPY_BUDGET=2 XFERSPY_SIM_CUPTI_FAULT_NS=36000
 * stdout: data ok
 *
 * needs: cupti
 * > SELECT count(*) > 100 FROM device_migration m JOIN migration_kind k ON k.id = m.kind WHERE k.name = 'gpu page fault'
 * 1
 *
 * needs: cupti
 * > SELECT c.value >= 36000 * f.n FROM meta c, (SELECT count(*) AS n FROM device_migration m
 * > JOIN migration_kind k ON k.id = m.kind WHERE k.name = 'gpu page fault') f WHERE c.key = 'cost.migrations_ns'
 * 1
 *
 * needs: cupti
 * > SELECT value >= 2 FROM meta WHERE key = 'cupti.migration_rests'
 * 1
 */
#include <cuda.h>
#include <string.h>
#include <time.h>

#include "../arguments/add_one_ptx.h"
#include "../check.h"

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(void) {
    const size_t bytes = (size_t)64 << 20;
    CUmemLocation cpu = {.type = CU_MEM_LOCATION_TYPE_HOST, .id = 0};
    CUmodule module;
    CUfunction function;
    CUdeviceptr managed;
    CUstream stream;
    size_t n = 64, rounds = 0;
    int concurrent = 0;

    e2e_context();
    OK(cuDeviceGetAttribute(&concurrent, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, 0));
    if (!concurrent)
        return E2E_SKIP;
    OK(cuModuleLoadData(&module, add_one_ptx));
    OK(cuModuleGetFunction(&function, module, "xs_add_one_u8"));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuMemAllocManaged(&managed, bytes, CU_MEM_ATTACH_GLOBAL));
    memset((void *)managed, 0, n);
    void *parameters[] = {&managed, &n};
    for (double begin = seconds(); seconds() < begin + 2.5; rounds++) {
        OK(cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, stream, parameters, NULL));
        OK(cuMemPrefetchAsync(managed, bytes, cpu, 0, stream));
        OK(cuStreamSynchronize(stream));
    }
    REQUIRE(*(unsigned char *)managed == (unsigned char)rounds);
    OK(cuStreamDestroy(stream));
    OK(cuMemFree(managed));
    puts("data ok");
    return 0;
}
