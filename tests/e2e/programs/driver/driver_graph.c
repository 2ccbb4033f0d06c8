/* A graph is built by hand from copy, set and host nodes. The trace has no transfer of the host's for it, but the
 * device's copies.
 *
 * link: cuda
 * stdout: data ok, host node ran 2 times
 *
 * > SELECT count(*) FROM transfer
 * 0
 *
 * needs: cupti
 * > SELECT kind, count(*), sum(bytes) FROM graph_copies GROUP BY 1 ORDER BY 1
 * d2h|2|8192
 * h2d|2|4096
 *
 * needs: cupti
 * > SELECT count(*), sum(bytes) FROM device_memset WHERE graph_node IS NOT NULL
 * 2|4096
 *
 * > SELECT k.name, count(*) FROM launch l JOIN launch_kind k ON k.id = l.kind GROUP BY 1
 * graph|2
 */
#include <cuda.h>
#include <string.h>

#include "../check.h"

static int host_runs;

static void count_run(void *data) { ++*(int *)data; }

static CUDA_MEMCPY3D line(size_t bytes) {
    CUDA_MEMCPY3D c;
    memset(&c, 0, sizeof c);
    c.WidthInBytes = bytes, c.Height = 1, c.Depth = 1;
    return c;
}

int main(void) {
    unsigned char *pinned;
    CUdeviceptr device;
    CUstream stream;
    CUgraph graph;
    CUgraphNode set, up, down, host;
    CUgraphExec exec;
    CUDA_MEMSET_NODE_PARAMS zero = {.value = 0x5a, .elementSize = 1, .width = 2048, .height = 1};
    CUDA_HOST_NODE_PARAMS call = {.fn = count_run, .userData = &host_runs};
    CUDA_MEMCPY3D c;

    CUcontext context = e2e_context();
    OK(cuMemAlloc(&device, 4096));
    OK(cuMemAllocHost((void **)&pinned, 8192));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    e2e_fill(pinned, 2048, 1);

    OK(cuGraphCreate(&graph, 0));
    zero.dst = device + 2048;
    OK(cuGraphAddMemsetNode(&set, graph, NULL, 0, &zero, context));
    c = line(2048);
    c.srcMemoryType = CU_MEMORYTYPE_HOST, c.srcHost = pinned;
    c.dstMemoryType = CU_MEMORYTYPE_DEVICE, c.dstDevice = device;
    OK(cuGraphAddMemcpyNode(&up, graph, &set, 1, &c, context));
    c = line(4096);
    c.srcMemoryType = CU_MEMORYTYPE_DEVICE, c.srcDevice = device;
    c.dstMemoryType = CU_MEMORYTYPE_HOST, c.dstHost = pinned + 4096;
    OK(cuGraphAddMemcpyNode(&down, graph, &up, 1, &c, context));
    OK(cuGraphAddHostNode(&host, graph, &down, 1, &call));
    OK(cuGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 2; i++)
        OK(cuGraphLaunch(exec, stream));
    OK(cuStreamSynchronize(stream));
    e2e_expect(pinned + 4096, 2048, 1);
    e2e_expect_value(pinned + 4096 + 2048, 2048, 0x5a);

    OK(cuGraphExecDestroy(exec));
    OK(cuGraphDestroy(graph));
    OK(cuStreamDestroy(stream));
    OK(cuMemFree(device));
    OK(cuMemFreeHost(pinned));
    printf("data ok, host node ran %d times\n", host_runs);
    return 0;
}
