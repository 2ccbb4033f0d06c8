/* The repair prefetch: managed memory that a kernel and the host use in turns, each of them all of it, is moved to the
 * device before every launch. What the program advised, what is captured into a graph, and device memory are left
 * alone. Nothing that the program does shows in the trace twice.
 *
 * link: cuda
 * env: XFERSPY_REPAIR=prefetch XFERSPY_REPAIR_LOG=$dir/log XFERSPY_OUTPUT=$dir/t.db
 * stdout: data ok
 * notices: 2
 *
 * $ cat $dir/log
 * {"version":1,"plan":null,"differs_from_plan":0,"repairs":[{"name":"prefetch","applied":6,"bytes":25165824,"wrong":0,"refused":{"the program places it itself":6,"a stream captures a graph":1}}]}
 *
 * > SELECT e.name, count(*) FROM api_call a JOIN entry_point e ON e.id = a.entry_point
 * > JOIN category c ON c.id = e.category WHERE c.name = 'managed memory' GROUP BY 1
 * cuMemAdvise_v2|1
 *
 * > SELECT count(*) FROM launch
 * 20
 */
#include <cuda.h>
#include <string.h>

#include "../arguments/add_one_ptx.h"
#include "../check.h"

enum { BYTES = 4 * 1024 * 1024, ROUNDS = 6 };

static CUfunction function;

static void add_one(CUdeviceptr memory, CUstream stream) {
    size_t n = BYTES;
    void *params[] = {&memory, &n};
    OK(cuLaunchKernel(function, 64, 1, 1, 256, 1, 1, 0, stream, params, NULL));
}

int main(void) {
    CUmemLocation gpu = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0};
    CUdeviceptr managed, advised, device;
    CUmodule module;
    CUstream stream;
    CUgraph graph;
    int concurrent = 0;

    e2e_context();
    OK(cuDeviceGetAttribute(&concurrent, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, 0));
    if (!concurrent)
        return E2E_SKIP;
    OK(cuModuleLoadData(&module, add_one_ptx));
    OK(cuModuleGetFunction(&function, module, "xs_add_one_u8"));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuMemAllocManaged(&managed, BYTES, CU_MEM_ATTACH_GLOBAL));
    OK(cuMemAllocManaged(&advised, BYTES, CU_MEM_ATTACH_GLOBAL));
    OK(cuMemAlloc(&device, BYTES));
    OK(cuMemAdvise(advised, BYTES, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, gpu));
    memset((void *)managed, 0, BYTES);
    memset((void *)advised, 0, BYTES);
    for (int round = 0; round < ROUNDS; round++) {
        add_one(managed, stream);
        add_one(advised, stream);
        add_one(device, stream);
        OK(cuStreamSynchronize(stream));
        for (size_t i = 0; i < BYTES; i++)
            ((unsigned char *)managed)[i]++;
    }
    e2e_expect_value((void *)managed, BYTES, 2 * ROUNDS);
    e2e_expect_value((void *)advised, BYTES, ROUNDS);

    OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    add_one(managed, stream);
    OK(cuStreamEndCapture(stream, &graph));
    OK(cuGraphDestroy(graph));

    OK(cuMemFree(managed));
    OK(cuMemAlloc(&managed, BYTES)); /* may come at the same address */
    add_one(managed, stream);
    OK(cuStreamSynchronize(stream));
    OK(cuMemFree(managed));
    OK(cuMemFree(advised));
    OK(cuMemFree(device));
    OK(cuStreamDestroy(stream));
    puts("data ok");
    return 0;
}
