/* Measures the host memory and the time that eight threads take which copy and launch, each with its own stream. The
 * memory is what the kernel says at the end of main (VmHWM: the largest resident size until then). */
#include <cuda.h>
#include <pthread.h>

#include "driver.h"

enum { THREADS = 8, DOWN_EVERY = 4, WAIT_EVERY = 16 };

static CUcontext context;
static CUfunction function;
static int steps = 2500;

static struct {
    __typeof__(&cuMemcpyHtoDAsync_v2) up_async;
    __typeof__(&cuMemcpyHtoD_v2) up;
    __typeof__(&cuMemcpyDtoHAsync_v2) down_async;
    __typeof__(&cuLaunchKernel) launch;
    __typeof__(&cuStreamSynchronize) synchronize;
} call;

static void *work(void *unused) {
    char *pinned, pageable[4096];
    CUstream stream;
    CUdeviceptr device;
    memset(pageable, 1, sizeof pageable);
    CHECK(DRIVER(cuCtxSetCurrent)(context));
    CHECK(DRIVER(cuStreamCreate)(&stream, CU_STREAM_NON_BLOCKING));
    CHECK(DRIVER(cuMemAlloc_v2)(&device, 8192));
    CHECK(DRIVER(cuMemHostAlloc)((void **)&pinned, 8192, 0));
    for (int i = 0; i < steps; i++) {
        CHECK(call.up_async(device, pinned, 4096, stream));
        CHECK(call.launch(function, 1, 1, 1, 32, 1, 1, 0, stream, NULL, NULL));
        if (i % DOWN_EVERY == 0)
            CHECK(call.down_async(pinned + 4096, device, 4, stream));
        if (i % WAIT_EVERY == 0) {
            CHECK(call.up(device + 4096, pageable, sizeof pageable));
            CHECK(call.synchronize(stream));
        }
    }
    CHECK(call.synchronize(stream));
    CHECK(DRIVER(cuMemFreeHost)(pinned));
    CHECK(DRIVER(cuMemFree_v2)(device));
    CHECK(DRIVER(cuStreamDestroy_v2)(stream));
    return unused;
}

static void print_memory(void) {
    static const char *const keys[] = {"VmHWM", "VmRSS", "RssAnon", "RssFile", "RssShmem"};
    char line[256], metric[64];
    FILE *status = fopen("/proc/self/status", "r");
    CHECK(!status);
    while (fgets(line, sizeof line, status)) {
        for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
            size_t length = strlen(keys[i]);
            if (strncmp(line, keys[i], length) == 0 && line[length] == ':') {
                double mib = atof(line + length + 1) / 1024;
                snprintf(metric, sizeof metric, "memory.%s", keys[i]);
                print_metric(metric, "MiB", mib, mib);
            }
        }
    }
    fclose(status);
}

int main(void) {
    const char *scale_text = getenv("BENCH_SCALE");
    pthread_t threads[THREADS];
    CUmodule module;
    if (scale_text)
        steps = 1 + (int)(steps * atof(scale_text));
    CHECK(DRIVER(cuInit)(0));
    begin_cupti();
    CHECK(DRIVER(cuDevicePrimaryCtxRetain)(&context, 0));
    CHECK(DRIVER(cuCtxSetCurrent)(context));
    CHECK(DRIVER(cuModuleLoadData)(&module, noop_ptx));
    CHECK(DRIVER(cuModuleGetFunction)(&function, module, "xs_noop"));
    call.up_async = DRIVER(cuMemcpyHtoDAsync_v2);
    call.up = DRIVER(cuMemcpyHtoD_v2);
    call.down_async = DRIVER(cuMemcpyDtoHAsync_v2);
    call.launch = DRIVER(cuLaunchKernel);
    call.synchronize = DRIVER(cuStreamSynchronize);

    double start = now_us();
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, work, NULL));
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL));
    double us = (now_us() - start) / steps;
    print_metric("threads_step", "us", us, us);
    print_memory();
    return 0;
}
