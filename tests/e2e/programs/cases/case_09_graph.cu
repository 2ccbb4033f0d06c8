/* Case 9 with a graph launch in between. The arguments of the graph's kernels are not seen.
 *
 * env: XFERSPY_FINGERPRINT=all
 * stdout: data ok
 *
 * The graph's kernel may have read the upload or not: undecided, and no finding.
 * !
 *
 * ?
 * unused-upload|launch arguments not seen|1
 */
#include "cases.h"

enum { BYTES = 32768, HALF = BYTES / 2 };

int main() {
    unsigned char *first = case_pinned(BYTES), *second = case_pinned(BYTES), *back = case_pinned(BYTES);
    unsigned char *device = case_device(BYTES), *out = case_device(BYTES);

    case_fill(first, BYTES, 1);
    case_fill(second, BYTES, 2);
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    OK(cudaStreamCreate(&stream));
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    xs_fill<<<8, 256, 0, stream>>>(reinterpret_cast<float *>(out), 1, BYTES / sizeof(float));
    OK(cudaStreamEndCapture(stream, &graph));
    OK(cudaGraphInstantiate(&exec, graph, 0));

    case_up(device, first, BYTES);
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    case_up(device, second, BYTES);
    case_read(out, device, BYTES);
    case_down(back, out, BYTES);
    case_expect(back, BYTES, 2);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    OK(cudaStreamDestroy(stream));
    OK(cudaFree(device));
    OK(cudaFree(out));
    OK(cudaFreeHost(first));
    OK(cudaFreeHost(second));
    OK(cudaFreeHost(back));
    puts("data ok");
    return 0;
}
