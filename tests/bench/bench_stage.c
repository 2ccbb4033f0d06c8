/* Pageable copies, up and down, blocking and asynchronous, by size: once bare and once under the repair stage.
 *
 *   bench_stage; XFERSPY_ENABLE=off XFERSPY_REPAIR=stage LD_PRELOAD=libxferspy.so bench_stage
 *
 * A copy takes from its call to the end of a wait for the stream. Page-locked copies are measured as well: they are
 * what staging cannot be faster than. */
#include <cuda.h>

#include "driver.h"

enum { BATCHES = 31, WARM_UP = 5 };
static const size_t most = (size_t)256 << 20;

static struct {
    __typeof__(&cuMemcpyHtoD_v2) up;
    __typeof__(&cuMemcpyHtoDAsync_v2) up_async;
    __typeof__(&cuMemcpyDtoH_v2) down;
    __typeof__(&cuMemcpyDtoHAsync_v2) down_async;
    __typeof__(&cuStreamSynchronize) wait;
} call;
static CUdeviceptr device;
static CUstream stream;
static int batches = BATCHES;

enum way { UP, UP_ASYNC, DOWN, DOWN_ASYNC, WAYS };
static const char *const names[WAYS] = {"up", "up_async", "down", "down_async"};

static void copy(enum way way, char *host, size_t bytes) {
    switch (way) {
    case UP:
        CHECK(call.up(device, host, bytes));
        break;
    case UP_ASYNC:
        CHECK(call.up_async(device, host, bytes, stream));
        break;
    case DOWN:
        CHECK(call.down(host, device, bytes));
        break;
    default:
        CHECK(call.down_async(host, device, bytes, stream));
        break;
    }
    CHECK(call.wait(way == UP || way == DOWN ? NULL : stream));
}

static void measure(const char *kind, enum way way, char *host, size_t bytes) {
    double us[BATCHES] = {0};
    char metric[64];
    for (int i = 0; i < WARM_UP; i++)
        copy(way, host, bytes);
    for (int i = 0; i < batches; i++) {
        double start = now_us();
        copy(way, host, bytes);
        us[i] = now_us() - start;
    }
    snprintf(metric, sizeof metric, "%s.%s.%zuKiB", kind, names[way], bytes >> 10);
    print_batches(metric, "us", us, batches);
    let_settle();
}

int main(void) {
    const char *scale = getenv("BENCH_SCALE");
    CUcontext context;
    char *pinned, *pageable = malloc(most);
    if (scale)
        batches = 1 + (int)((BATCHES - 1) * atof(scale));
    CHECK(!pageable);
    memset(pageable, 1, most);
    CHECK(DRIVER(cuInit)(0));
    CHECK(DRIVER(cuDevicePrimaryCtxRetain)(&context, 0));
    CHECK(DRIVER(cuCtxSetCurrent)(context));
    CHECK(DRIVER(cuMemAlloc_v2)(&device, most));
    CHECK(DRIVER(cuMemHostAlloc)((void **)&pinned, most, 0));
    memset(pinned, 1, most);
    CHECK(DRIVER(cuStreamCreate)(&stream, CU_STREAM_NON_BLOCKING));
    call.up = DRIVER(cuMemcpyHtoD_v2);
    call.up_async = DRIVER(cuMemcpyHtoDAsync_v2);
    call.down = DRIVER(cuMemcpyDtoH_v2);
    call.down_async = DRIVER(cuMemcpyDtoHAsync_v2);
    call.wait = DRIVER(cuStreamSynchronize);
    for (size_t bytes = (size_t)256 << 10; bytes <= most; bytes *= 4) {
        for (int way = 0; way < WAYS; way++)
            measure("pageable", (enum way)way, pageable, bytes);
        measure("pinned", UP_ASYNC, pinned, bytes);
        measure("pinned", DOWN_ASYNC, pinned, bytes);
    }
    free(pageable);
    return 0;
}
