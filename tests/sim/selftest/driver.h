/* Defines what the self-tests of the driver API share: a context, and the kernels. The simulator finds kernels by their
 * names, so the PTX below needs no code. On a real GPU, XS_SELFTEST_PTX names a file with the PTX of kernels.cuh. */
#ifndef XS_SELFTEST_DRIVER_H
#define XS_SELFTEST_DRIVER_H

#include <cuda.h>
#include <string.h>

#include "check.h"

static const char ptx[] = ".version 7.0\n.target sm_80\n.address_size 64\n"
                          "// a comment with .entry not_there(\n"
                          ".visible .global .align 4 .b8 table[64];\n"
                          ".visible .global .align 4 .u32 answer = 42;\n"
                          ".visible .entry xs_scale(.param .u64 p0, .param .f32 p1, .param .u64 p2) { ret; }\n"
                          ".visible .entry xs_spin(.param .u64 p0)\n{ ret; }\n"
                          ".visible .entry xs_add_one_u8(\n .param .u64 p0,\n .param .u64 p1\n)\n{ ret; }\n"
                          ".visible .entry unknown_kernel() { ret; }\n";

static inline CUcontext start(void) {
    CUcontext context;
    CUdevice device;
    OK(cuInit(0));
    OK(cuDeviceGet(&device, 0));
    OK(cuDevicePrimaryCtxRetain(&context, device));
    OK(cuCtxSetCurrent(context));
    return context;
}

static inline CUfunction kernel(const char *name) {
    static CUmodule module;
    CUfunction function;
    const char *file = getenv("XS_SELFTEST_PTX");
    if (module == NULL && file != NULL)
        OK(cuModuleLoad(&module, file));
    if (module == NULL)
        OK(cuModuleLoadData(&module, ptx));
    OK(cuModuleGetFunction(&function, module, name));
    return function;
}

static inline void spin(CUstream stream, unsigned long long ns) {
    void *args[] = {&ns};
    OK(cuLaunchKernel(kernel("xs_spin"), 1, 1, 1, 1, 1, 1, 0, stream, args, NULL));
}

static inline void add_one(CUstream stream, CUdeviceptr p, size_t n) {
    void *args[] = {&p, &n};
    OK(cuLaunchKernel(kernel("xs_add_one_u8"), 1, 1, 1, 32, 1, 1, 0, stream, args, NULL));
}

#endif
