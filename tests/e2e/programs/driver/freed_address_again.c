/* Another thread gets an address while the call that freed it has not returned. The free takes its own allocation out
 * of xferspy's map, and the new one stays in it. The other thread's allocation begins when the driver is done with the
 * free. And a free that fails, as one does during a capture, leaves the allocation in the map.
 *
 * only: sim
 * link: cuda
 * env: XFERSPY_CUPTI=off
 * stdout: the same address, data ok
 *
 * Both copies go into the younger of two allocations at one address, which is freed last:
 * > SELECT a.bytes, a.free_entry_point, a.id = (SELECT max(id) FROM allocations), t.dst_kind,
 * > (SELECT count(DISTINCT address)
 * >   FROM allocations), (SELECT count(*) FROM allocations) FROM transfers t LEFT
 * > JOIN allocations a ON a.id = t.dst_allocation
 * 4096|cuMemFree_v2|1|device|1|2
 * 4096|cuMemFree_v2|1|device|1|2
 */
#define _GNU_SOURCE
#include <cuda.h>
#include <pthread.h>
#include <string.h>

#include "../sim_tools.h"

enum { BYTES = 4096 };

static CUcontext context;
static CUdeviceptr again;
static int frees;

static void *allocate(void *unused) {
    OK(cuCtxSetCurrent(context));
    OK(cuMemAlloc(&again, BYTES));
    return unused;
}

static void on_call(const struct xs_sim_api *call) {
    pthread_t thread;
    if (call->leaving && strcmp(call->function, "cuMemFree_v2") == 0 && frees++ == 0) {
        OK(pthread_create(&thread, NULL, allocate, NULL));
        OK(pthread_join(thread, NULL));
    }
}

int main(void) {
    unsigned char host[BYTES];
    CUdeviceptr device;
    CUstream stream;
    CUgraph graph;

    context = e2e_context();
    sim_on_calls(on_call);
    OK(cuMemAlloc(&device, BYTES));
    OK(cuMemFree(device));
    REQUIRE(again == device);
    e2e_fill(host, BYTES, 1);
    OK(cuMemcpyHtoD(again, host, BYTES));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    REQUIRE(cuMemFree(again) != CUDA_SUCCESS);
    REQUIRE(cuStreamEndCapture(stream, &graph) != CUDA_SUCCESS); /* which it has made invalid */
    OK(cuMemcpyHtoD(again, host, BYTES));
    OK(cuMemFree(again));
    puts("the same address, data ok");
    return 0;
}
