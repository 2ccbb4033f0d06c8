/* Capture through the runtime, with kernels, replayed ten times.
 *
 * stdout: data ok
 *
 * > SELECT direction, is_captured, count(*), sum(bytes) FROM transfers GROUP BY 1, 2 ORDER BY 1, 2
 * d2h|1|1|4096
 * h2d|1|1|4096
 *
 * > SELECT k.name, l.is_captured, count(*), sum(l.result) FROM launch l JOIN launch_kind k ON k.id = l.kind
 * > GROUP BY 1, 2 ORDER BY 1
 * graph|0|10|0
 * kernel|1|2|0
 *
 * needs: cupti
 * > SELECT kind, count(*), sum(bytes), count(DISTINCT launch) FROM graph_copies GROUP BY 1 ORDER BY 1
 * d2h|10|40960|10
 * h2d|10|40960|10
 *
 * needs: cupti
 * > SELECT name, count(*), count(DISTINCT graph_node) FROM kernels GROUP BY 1
 * xs_scale|20|2
 *
 * A graph's kernels carry the launch's number:
 * needs: cupti
 * > SELECT count(*) FROM device_kernel k JOIN launch l ON l.correlation = k.correlation
 * > JOIN launch_kind n ON n.id = l.kind
 * > WHERE n.name = 'graph'
 * 20
 *
 * > SELECT sum(transfers) FROM summary_by_direction
 */
#include "tests/sim/kernels.cuh"

#include "../check.h"

int main() {
    const size_t n = 1024, bytes = n * sizeof(float);
    float *device, *pinned;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;

    OK(cudaMalloc(&device, bytes));
    OK(cudaMallocHost(&pinned, 2 * bytes));
    OK(cudaStreamCreate(&stream));
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    OK(cudaMemcpyAsync(device, pinned, bytes, cudaMemcpyHostToDevice, stream));
    xs_scale<<<4, 256, 0, stream>>>(device, 2.0f, n);
    xs_scale<<<4, 256, 0, stream>>>(device, 4.0f, n);
    OK(cudaMemcpyAsync(pinned + n, device, bytes, cudaMemcpyDeviceToHost, stream));
    OK(cudaStreamEndCapture(stream, &graph));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 10; i++) {
        for (size_t k = 0; k < n; k++)
            pinned[k] = static_cast<float>(i);
        OK(cudaGraphLaunch(exec, stream));
        OK(cudaStreamSynchronize(stream));
        for (size_t k = 0; k < n; k++)
            REQUIRE(pinned[n + k] == 8.0f * static_cast<float>(i));
    }
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    OK(cudaStreamDestroy(stream));
    OK(cudaFree(device));
    OK(cudaFreeHost(pinned));
    puts("data ok");
    return 0;
}
