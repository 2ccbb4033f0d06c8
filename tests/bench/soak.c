/* Copies and launches without end, for run-soak: what a run of days does to the trace and to the memory of its process.
 *   soak EVENTS [copies|launches]
 * Copies over a ring of buffers, of a size that does not repeat soon, a launch for each, a wait for every 256th. With
 * the second argument only one of the two. */
#include <cuda.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../e2e/programs/arguments/add_one_ptx.h"

enum { BUFFERS = 16, BYTES = 65536, PER_WAIT = 256 };

static void check(CUresult result, const char *what) {
    if (result != CUDA_SUCCESS) {
        fprintf(stderr, "soak: %s: error %d\n", what, (int)result);
        exit(1);
    }
}
#define OK(call) check(call, #call)

int main(int argc, char **argv) {
    long events = argc > 1 ? atol(argv[1]) : 1000000;
    bool copies = argc < 3 || !strcmp(argv[2], "copies"), launches = argc < 3 || !strcmp(argv[2], "launches");
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction add_one;
    CUstream stream;
    CUdeviceptr buffers[BUFFERS];
    char *pinned;
    size_t count = 16;
    OK(cuInit(0));
    OK(cuDeviceGet(&device, 0));
    OK(cuDevicePrimaryCtxRetain(&context, device));
    OK(cuCtxSetCurrent(context));
    OK(cuModuleLoadData(&module, add_one_ptx));
    OK(cuModuleGetFunction(&add_one, module, "xs_add_one_u8"));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuMemAllocHost((void **)&pinned, BYTES));
    for (int i = 0; i < BUFFERS; i++)
        OK(cuMemAlloc(&buffers[i], BYTES));
    for (long i = 0; i < events / (copies + launches); i++) {
        void *arguments[] = {&buffers[i % BUFFERS], &count};
        if (copies)
            OK(cuMemcpyHtoDAsync(buffers[i % BUFFERS], pinned, (size_t)(1 + i * 37 % 4096), stream));
        if (launches)
            OK(cuLaunchKernel(add_one, 1, 1, 1, 16, 1, 1, 0, stream, arguments, NULL));
        if (i % PER_WAIT == 0)
            OK(cuStreamSynchronize(stream));
    }
    OK(cuStreamSynchronize(stream));
    puts("done");
    return 0;
}
