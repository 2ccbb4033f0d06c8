/* Small uploads, so many in front of each launch: once bare and once under the repair gather.
 *
 *   bench_gather; XFERSPY_ENABLE=off XFERSPY_REPAIR=gather LD_PRELOAD=libxferspy.so bench_gather
 *
 * The time is that of one upload: of the uploads, the launch and the wait behind it, divided by the uploads. */
#include <cuda.h>

#include "driver.h"

enum { BATCHES = 101, WARM_UP = 20, UPLOADS_MAX = 256, BYTES_MAX = 65536 };

static struct {
    __typeof__(&cuMemcpyHtoD_v2) up;
    __typeof__(&cuMemcpyHtoDAsync_v2) up_async;
    __typeof__(&cuLaunchKernel) launch;
    __typeof__(&cuCtxSynchronize) wait;
} call;
static CUdeviceptr device;
static CUstream stream;
static CUfunction function;
static int batches = BATCHES;

/* `gap` bytes between destinations. */
static void step(const char *host, int is_async, int uploads, size_t bytes, size_t gap) {
    for (int i = 0; i < uploads; i++) {
        CUdeviceptr to = device + (size_t)i * (bytes + gap);
        CHECK(is_async ? call.up_async(to, host, bytes, stream) : call.up(to, host, bytes));
    }
    CHECK(call.launch(function, 1, 1, 1, 32, 1, 1, 0, is_async ? stream : NULL, NULL, NULL));
    CHECK(call.wait());
}

static void measure(const char *kind, const char *host, int is_async, int uploads, size_t bytes, size_t gap) {
    double us[BATCHES] = {0};
    char metric[64];
    for (int i = 0; i < WARM_UP; i++)
        step(host, is_async, uploads, bytes, gap);
    for (int i = 0; i < batches; i++) {
        double start = now_us();
        step(host, is_async, uploads, bytes, gap);
        us[i] = (now_us() - start) / uploads;
    }
    snprintf(metric, sizeof metric, "%s.%s.%dx%zuB", kind, gap ? "scattered" : "adjacent", uploads, bytes);
    print_batches(metric, "us", us, batches);
    let_settle();
}

int main(void) {
    static const int uploads[] = {1, 4, 32, UPLOADS_MAX};
    static const size_t sizes[] = {64, 4096, BYTES_MAX};
    const char *scale = getenv("BENCH_SCALE");
    CUcontext context;
    CUmodule module;
    char *pinned, *pageable = malloc(BYTES_MAX);
    if (scale)
        batches = 1 + (int)((BATCHES - 1) * atof(scale));
    CHECK(!pageable);
    memset(pageable, 1, BYTES_MAX);
    CHECK(DRIVER(cuInit)(0));
    CHECK(DRIVER(cuDevicePrimaryCtxRetain)(&context, 0));
    CHECK(DRIVER(cuCtxSetCurrent)(context));
    CHECK(DRIVER(cuModuleLoadData)(&module, noop_ptx));
    CHECK(DRIVER(cuModuleGetFunction)(&function, module, "xs_noop"));
    CHECK(DRIVER(cuMemAlloc_v2)(&device, (size_t)UPLOADS_MAX * 2 * BYTES_MAX));
    CHECK(DRIVER(cuMemHostAlloc)((void **)&pinned, BYTES_MAX, 0));
    CHECK(DRIVER(cuStreamCreate)(&stream, CU_STREAM_NON_BLOCKING));
    call.up = DRIVER(cuMemcpyHtoD_v2);
    call.up_async = DRIVER(cuMemcpyHtoDAsync_v2);
    call.launch = DRIVER(cuLaunchKernel);
    call.wait = DRIVER(cuCtxSynchronize);
    for (size_t n = 0; n < sizeof uploads / sizeof *uploads; n++) {
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            for (size_t gap = 0; gap <= sizes[s]; gap += sizes[s]) {
                measure("blocking", pageable, 0, uploads[n], sizes[s], gap);
                measure("async", pageable, 1, uploads[n], sizes[s], gap);
                measure("pinned", pinned, 1, uploads[n], sizes[s], gap);
            }
        }
    }
    free(pageable);
    return 0;
}
