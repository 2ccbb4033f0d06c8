/* The program asks for its own numbers. Counted are the copies and waits that succeeded, on all threads; not a copy that
 * failed, nor one that was captured into a graph. While the library is not preloaded there are no numbers.
 *
 * link: cuda
 * stdout: data ok
 *
 * The trace has the same:
 * > SELECT direction, count(*), sum(bytes) FROM transfers WHERE result = 0 AND NOT is_captured GROUP BY 1 ORDER BY 1
 * d2d|1|40
 * d2h|2|112
 * h2d|5|2144
 */
#include <cuda.h>
#include <pthread.h>
#include <string.h>

#include "../../../../preload/application/xferspy.h"
#include "../check.h"

static unsigned char *host;
static CUdeviceptr device;
static CUcontext context;

/* Does what the functions of NVIDIA's header do; the stub of an older toolkit lacks this one. */
typedef CUresult (*batch)(CUdeviceptr *, CUdeviceptr *, size_t *, size_t, CUmemcpyAttributes *, size_t *, size_t,
                          CUstream);

/* Compares the numbers since the last call of this function; all are 0 without the library. */
static void expect(struct xferspy_counts expected) {
    static struct xferspy_counts last;
    struct xferspy_counts now = {0}, since;
    if (xferspy_count)
        REQUIRE(xferspy_count(&now, sizeof now) == 1);
    else
        expected = (struct xferspy_counts){0};
    since = (struct xferspy_counts){.h2d = now.h2d - last.h2d,
                                    .h2d_bytes = now.h2d_bytes - last.h2d_bytes,
                                    .d2h = now.d2h - last.d2h,
                                    .d2h_bytes = now.d2h_bytes - last.d2h_bytes,
                                    .other = now.other - last.other,
                                    .other_bytes = now.other_bytes - last.other_bytes,
                                    .waits = now.waits - last.waits,
                                    .not_counted = now.not_counted - last.not_counted};
    last = now;
    REQUIRE(memcmp(&since, &expected, sizeof since) == 0);
}

static void *on_another_thread(void *unused) {
    OK(cuCtxSetCurrent(context));
    OK(cuMemcpyDtoH(host, device, 64));
    return unused;
}

static void copies(void) {
    pthread_t thread;
    OK(cuMemcpyHtoD(device, host, 32));
    OK(cuMemcpyHtoD(device, host, 64));
    expect((struct xferspy_counts){.h2d = 2, .h2d_bytes = 96});
    REQUIRE(cuMemcpyHtoD(0x10, host, 64) != CUDA_SUCCESS);
    OK(cuMemcpyDtoH(host, device, 48));
    OK(pthread_create(&thread, NULL, on_another_thread, NULL));
    OK(pthread_join(thread, NULL)); /* its numbers stay */
    OK(cuMemcpyDtoD(device + 64, device, 40));
    OK(cuCtxSynchronize());
    expect((struct xferspy_counts){.d2h = 2, .d2h_bytes = 112, .other = 1, .other_bytes = 40, .waits = 1});
}

static void copies_of_a_batch(CUstream stream) {
    CUdeviceptr dsts[2] = {device, device + 1024}, srcs[2] = {(CUdeviceptr)host, (CUdeviceptr)(host + 1024)};
    CUmemcpyAttributes attributes = {.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};
    size_t sizes[2] = {768, 256}, first = 0;
    batch copy;
    OK(cuGetProcAddress("cuMemcpyBatchAsync", (void **)&copy, 13000, CU_GET_PROC_ADDRESS_DEFAULT, NULL));
    OK(copy(dsts, srcs, sizes, 2, &attributes, &first, 1, stream));
    OK(cuStreamSynchronize(stream));
    expect((struct xferspy_counts){.h2d = 2, .h2d_bytes = 1024, .waits = 1});
}

static void copies_of_a_graph(CUstream stream) {
    CUgraph graph;
    OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cuMemcpyHtoDAsync(device, host, 512, stream));
    OK(cuStreamEndCapture(stream, &graph));
    OK(cuGraphDestroy(graph));
    expect((struct xferspy_counts){0});
}

/* A program that knows fewer numbers than the library gets those, and one that knows more gets zeros for the others. */
static void other_versions(void) {
    uint64_t few[3] = {0, 0, 7}, many[sizeof(struct xferspy_counts) / sizeof(uint64_t) + 2];
    memset(many, 0xff, sizeof many);
    OK(cuMemcpyHtoD(device, host, 1024));
    if (!xferspy_count)
        return;
    REQUIRE(xferspy_count((struct xferspy_counts *)few, 2 * sizeof *few) == 1);
    REQUIRE(few[0] == 5 && few[1] == 2144 && few[2] == 7);
    REQUIRE(xferspy_count((struct xferspy_counts *)many, sizeof many) == 1);
    REQUIRE(many[0] == 5 && many[sizeof many / sizeof *many - 1] == 0);
    REQUIRE(xferspy_count(NULL, 0) == 0);
}

int main(void) {
    CUstream stream;
    struct xferspy_counts none;
    int version;
    REQUIRE(!xferspy_count || xferspy_count(&none, sizeof none) == 0); /* there is no trace yet */
    context = e2e_context();
    OK(cuDriverGetVersion(&version));
    if (version < 13000)
        return E2E_SKIP;
    OK(cuMemAlloc(&device, 4096));
    OK(cuMemAllocHost((void **)&host, 4096));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    copies();
    copies_of_a_batch(stream);
    copies_of_a_graph(stream);
    other_versions();
    OK(cuStreamDestroy(stream));
    OK(cuMemFree(device));
    OK(cuMemFreeHost(host));
    puts("data ok");
    return 0;
}
