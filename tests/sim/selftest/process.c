/* The ends of processes: forked children, exit with work queued, and handlers and destructors that still call the
 * driver. */
#include <sys/wait.h>
#include <unistd.h>

#include "driver.h"

static int status_of(pid_t child) {
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void late(void) {
    /* Registered after cuInit, so it runs before the driver's own handler: the driver still works. */
    CUdeviceptr d;
    if (cuMemAlloc(&d, 64) != CUDA_SUCCESS)
        _exit(10);
}

__attribute__((destructor)) static void very_late(void) {
    int count;
    CUresult result = cuDeviceGetCount(&count);
    if (result != CUDA_ERROR_DEINITIALIZED && result != CUDA_ERROR_NOT_INITIALIZED && result != CUDA_SUCCESS)
        _exit(11);
}

int main(void) {
    /* A child that starts CUDA itself is a process like any other, and may exit with its streams busy. */
    pid_t child = fork();
    if (child == 0) {
        CUdeviceptr d;
        void *pinned;
        CUstream stream;
        start();
        atexit(late);
        OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
        OK(cuMemAlloc(&d, 1 << 20));
        OK(cuMemHostAlloc(&pinned, 1 << 20, 0));
        for (int i = 0; i < 100; i++) {
            spin(stream, 20000000);
            OK(cuMemcpyHtoDAsync(d, pinned, 1 << 20, stream));
        }
        exit(7);
    }
    SAME(status_of(child), 7);
    /* The child of a process that uses CUDA may not. */
    start();
    CUstream stream;
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    spin(stream, 50000000);
    child = fork();
    if (child == 0) {
        CUdeviceptr d;
        int ok = cuMemAlloc(&d, 64) == CUDA_ERROR_NOT_INITIALIZED && cuInit(0) == CUDA_ERROR_NOT_INITIALIZED &&
                 cuStreamSynchronize(stream) == CUDA_ERROR_NOT_INITIALIZED;
        _exit(ok ? 5 : 6);
    }
    SAME(status_of(child), 5);
    OK(cuStreamSynchronize(stream));
    return 0;
}
