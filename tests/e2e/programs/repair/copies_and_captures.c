/* Repairs `stage` and `gather` while a graph is captured, and when contexts end. While a stream captures, copies of
 * every stream go to the driver as they are; what was gathered before is sent before the capture begins. The buffers of
 * a context are freed with the context, and a context that is made later gets its own buffers. The graph is launched
 * last: it may have host functions, and after its launch nothing is gathered.
 *
 * link: cuda
 * env: XFERSPY_CUPTI=off XFERSPY_FINGERPRINT=off XFERSPY_REPAIR=stage,gather XFERSPY_REPAIR_LOG=$dir/repair.json
 * notices: 3
 * stdout: data ok
 *
 * $ grep -o '"a stream captures a graph":[0-9]*' $dir/repair.json
 * "a stream captures a graph":32
 * "a stream captures a graph":1
 *
 * $ grep -o '"applied":[0-9]*' $dir/repair.json
 * "applied":256
 * "applied":8
 */
#include <cuda.h>
#include <string.h>

#include "../check.h"

enum { LARGE = 3 << 20, PIECE = 1000, PIECES = 32 };

static unsigned char *large;
static unsigned seed;

static void upload_pieces(CUdeviceptr device, CUstream stream) {
    unsigned char source[PIECE];
    seed++;
    for (unsigned k = 0; k < PIECES; k++) {
        for (unsigned i = 0; i < PIECE; i++)
            source[i] = e2e_byte(seed, k * PIECE + i);
        OK(cuMemcpyHtoDAsync(device + k * PIECE, source, PIECE, stream));
        memset(source, 0xaa, PIECE);
    }
}

static void expect_pieces(CUdeviceptr device) {
    unsigned char back[PIECE * PIECES];
    OK(cuMemcpyDtoH(back, device, sizeof back));
    e2e_expect(back, sizeof back, seed);
}

static void round_trip(CUdeviceptr device) {
    e2e_fill(large, LARGE, ++seed);
    OK(cuMemcpyHtoD(device, large, LARGE));
    memset(large, 0xaa, LARGE);
    OK(cuMemcpyDtoH(large, device, LARGE));
    e2e_expect(large, LARGE, seed);
}

static void with_graph(void) {
    CUdeviceptr device, other;
    CUstream stream, captured;
    CUgraph graph;
    CUgraphExec exec;
    OK(cuMemAlloc(&device, LARGE));
    OK(cuMemAlloc(&other, LARGE));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuStreamCreate(&captured, CU_STREAM_NON_BLOCKING));
    round_trip(device);
    upload_pieces(device, captured);
    OK(cuStreamBeginCapture(captured, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(cuMemcpyDtoDAsync(other, device, PIECE * PIECES, captured));
    upload_pieces(device + PIECE * PIECES, stream);
    OK(cuMemcpyHtoDAsync(device + (1 << 20), large, 1 << 20, stream));
    OK(cuStreamEndCapture(captured, &graph));
    OK(cuGraphInstantiate(&exec, graph, 0));
    OK(cuStreamSynchronize(stream));
    expect_pieces(device + PIECE * PIECES);
    upload_pieces(device, captured); /* the graph copies these bytes, not earlier ones */
    OK(cuGraphLaunch(exec, captured));
    OK(cuStreamSynchronize(captured));
    expect_pieces(other);
    OK(cuGraphExecDestroy(exec));
    OK(cuGraphDestroy(graph));
    OK(cuStreamDestroy(stream));
    OK(cuStreamDestroy(captured));
    OK(cuMemFree(device));
    OK(cuMemFree(other));
}

int main(void) {
    CUdevice first;
    CUcontext context = e2e_context();
    large = malloc(LARGE);
    REQUIRE(large != NULL);
    OK(cuDeviceGet(&first, 0));
    for (unsigned i = 0; i < 3; i++) {
        CUdeviceptr device;
        CUctxCreateParams none;
        memset(&none, 0, sizeof none);
        OK(cuDevicePrimaryCtxReset(first));
        OK(cuCtxCreate(&context, &none, 0, first));
        OK(cuMemAlloc(&device, LARGE));
        upload_pieces(device, NULL);
        expect_pieces(device);
        round_trip(device);
        upload_pieces(device, NULL); /* nobody ever reads these bytes */
        OK(cuCtxDestroy(context));
    }
    OK(cuDevicePrimaryCtxRetain(&context, first));
    OK(cuCtxSetCurrent(context));
    with_graph();
    free(large);
    puts("data ok");
    return 0;
}
