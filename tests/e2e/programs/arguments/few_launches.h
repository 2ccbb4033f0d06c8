/* Makes three launches with an array of parameters, and one launch with a buffer that contains the parameters. The
 * arguments of each launch contain one allocation. */
#ifndef XFERSPY_E2E_FEW_LAUNCHES_H
#define XFERSPY_E2E_FEW_LAUNCHES_H

#include <cuda.h>

#include "../check.h"
#include "add_one_ptx.h"

static void few_launches(void) {
    size_t n = 100;
    CUmodule module;
    CUfunction function;
    CUdeviceptr device;

    e2e_context();
    OK(cuModuleLoadData(&module, add_one_ptx));
    OK(cuModuleGetFunction(&function, module, "xs_add_one_u8"));
    OK(cuMemAlloc(&device, 4096));
    OK(cuMemsetD8(device, 0, 4096));
    void *params[] = {&device, &n};
    for (int i = 0; i < 3; i++)
        OK(cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, NULL, params, NULL));
    struct {
        CUdeviceptr x;
        size_t n;
    } packed = {device, n};
    size_t bytes = sizeof packed;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
    OK(cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, NULL, NULL, extra));
    OK(cuCtxSynchronize());
    OK(cuMemFree(device));
    OK(cuModuleUnload(module));
    puts("data ok");
}

#endif
