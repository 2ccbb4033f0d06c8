/* Stream capture: the captured copies did not run when they were asked for; the graph's three launches run them.
 *
 * link: cuda
 * stdout: data ok
 *
 * needs: cupti
 * > SELECT entry_point, direction, bytes, is_captured, device_ns IS NOT NULL, result FROM transfers ORDER BY id
 * cuMemcpyHtoDAsync_v2|h2d|4096|0|1|0
 * cuMemcpyHtoDAsync_v2|h2d|8192|1|0|0
 * cuMemcpyDtoDAsync_v2|d2d|8192|1|0|0
 * cuMemcpyDtoHAsync_v2|d2h|8192|1|0|0
 * cuMemcpyDtoHAsync_v2|d2h|4096|0|1|0
 *
 * > SELECT count(*), sum(is_captured) FROM memsets
 * 1|1
 *
 * > SELECT k.name, count(*), sum(l.result = 0) FROM launch l JOIN launch_kind k ON k.id = l.kind GROUP BY 1
 * graph|3|3
 *
 * needs: cupti
 * > SELECT kind, count(*), sum(bytes), count(DISTINCT graph_node), count(DISTINCT launch) FROM graph_copies GROUP BY 1
 * > ORDER BY 1
 * d2d|3|24576|1|3
 * d2h|3|24576|1|3
 * h2d|3|24576|1|3
 *
 * needs: cupti
 * > SELECT count(*), sum(bytes) FROM device_memset WHERE graph_node IS NOT NULL
 * 3|3072
 *
 * > SELECT e.name, a.result FROM api_call a JOIN entry_point e ON e.id = a.entry_point
 * > JOIN category c ON c.id = e.category
 * > WHERE c.name = 'stream capture' ORDER BY a.id
 * cuStreamBeginCapture_v2|0
 * cuStreamEndCapture|0
 */
#include <cuda.h>
#include <string.h>

#include "../check.h"

int main(void) {
    unsigned char *pinned;
    CUdeviceptr a, b;
    CUstream stream;
    CUgraph graph;
    CUgraphExec exec;

    e2e_context();
    OK(cuMemAlloc(&a, 8192));
    OK(cuMemAlloc(&b, 8192));
    OK(cuMemAllocHost((void **)&pinned, 16384));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    e2e_fill(pinned, 8192, 1);
    OK(cuMemcpyHtoDAsync(a, pinned, 4096, stream));

    OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cuMemsetD8Async(b, 0, 1024, stream));
    OK(cuMemcpyHtoDAsync(a, pinned, 8192, stream));
    OK(cuMemcpyDtoDAsync(b, a, 8192, stream));
    OK(cuMemcpyDtoHAsync(pinned + 8192, b, 8192, stream));
    OK(cuStreamEndCapture(stream, &graph));
    OK(cuGraphInstantiate(&exec, graph, 0));
    for (unsigned i = 0; i < 3; i++) {
        e2e_fill(pinned, 8192, 10 + i);
        OK(cuGraphLaunch(exec, stream));
        OK(cuStreamSynchronize(stream));
        e2e_expect(pinned + 8192, 8192, 10 + i);
    }
    OK(cuMemcpyDtoHAsync(pinned, b, 4096, stream));
    OK(cuStreamSynchronize(stream));
    e2e_expect(pinned, 4096, 12);

    OK(cuGraphExecDestroy(exec));
    OK(cuGraphDestroy(graph));
    OK(cuStreamDestroy(stream));
    OK(cuMemFree(a));
    OK(cuMemFree(b));
    OK(cuMemFreeHost(pinned));
    puts("data ok");
    return 0;
}
