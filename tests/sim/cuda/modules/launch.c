/* Kernel launches: arguments are copied when the call is made, as on a real device. */
#include "sim.h"

#include <stdlib.h>
#include <string.h>

static CUresult copy_packed(CUfunction function, void **extra, unsigned char *out) {
    const void *buffer = NULL;
    size_t bytes = 0;
    for (size_t i = 0; extra[i] != CU_LAUNCH_PARAM_END; i += 2)
        if (extra[i] == CU_LAUNCH_PARAM_BUFFER_POINTER)
            buffer = extra[i + 1];
        else if (extra[i] == CU_LAUNCH_PARAM_BUFFER_SIZE)
            memcpy(&bytes, extra[i + 1], sizeof(bytes));
        else
            return CUDA_ERROR_INVALID_VALUE;
    if (bytes < function->argument_bytes || (buffer == NULL && function->argument_bytes > 0))
        return CUDA_ERROR_INVALID_VALUE;
    if (function->argument_bytes > 0)
        memcpy(out, buffer, function->argument_bytes);
    return CUDA_SUCCESS;
}

static CUresult copy_arguments(CUfunction function, void **params, void **extra, unsigned char *out) {
    if (params != NULL && extra != NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (extra != NULL)
        return copy_packed(function, extra, out);
    if (params == NULL && function->parameter_count > 0)
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < function->parameter_count; i++)
        memcpy(out + function->parameters[i].offset, params[i], function->parameters[i].size);
    return CUDA_SUCCESS;
}

CUresult xs_launch_prepare(CUfunction function, const unsigned grid[3], const unsigned block[3], unsigned shared_bytes,
                           void **params, void **extra, struct xs_launch_op *out) {
    function = xs_function_of(function);
    if (function == NULL)
        return CUDA_ERROR_INVALID_HANDLE;
    if (function->kernel == NULL)
        return CUDA_ERROR_NOT_FOUND;
    for (int i = 0; i < 3; i++)
        if (grid[i] == 0 || block[i] == 0)
            return CUDA_ERROR_INVALID_VALUE;
    if ((unsigned long long)block[0] * block[1] * block[2] > 1024 || grid[1] > 65535 || grid[2] > 65535 ||
        shared_bytes > 232448)
        return CUDA_ERROR_INVALID_VALUE;
    *out = (struct xs_launch_op){
        .function = function, .shared_bytes = shared_bytes, .argument_bytes = function->argument_bytes};
    memcpy(out->grid, grid, sizeof(out->grid));
    memcpy(out->block, block, sizeof(out->block));
    out->arguments = calloc(1, function->argument_bytes + 1);
    if (out->arguments == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    CUresult result = copy_arguments(function, params, extra, out->arguments);
    if (result != CUDA_SUCCESS) {
        free(out->arguments);
        out->arguments = NULL;
    }
    return result;
}

static CUresult launch(CUfunction function, const unsigned grid[3], const unsigned block[3], unsigned shared_bytes,
                       CUstream handle, void **params, void **extra, int type) {
    struct CUstream_st *stream;
    CUresult result = xs_stream_of(handle, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    struct xs_op *op = xs_op_new(XS_OP_KERNEL);
    if (op == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    result = xs_launch_prepare(function, grid, block, shared_bytes, params, extra, &op->launch);
    if (result != CUDA_SUCCESS) {
        xs_op_free(op);
        return result;
    }
    op->launch.launch_type = type;
    return xs_submit(stream, op, false);
}

CUresult xs_cuLaunchKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ,
                           unsigned int blockDimX, unsigned int blockDimY, unsigned int blockDimZ,
                           unsigned int sharedMemBytes, CUstream hStream, void **kernelParams, void **extra) {
    const unsigned grid[3] = {gridDimX, gridDimY, gridDimZ}, block[3] = {blockDimX, blockDimY, blockDimZ};
    return launch(f, grid, block, sharedMemBytes, hStream, kernelParams, extra, 0);
}

CUresult xs_cuLaunchCooperativeKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ,
                                      unsigned int blockDimX, unsigned int blockDimY, unsigned int blockDimZ,
                                      unsigned int sharedMemBytes, CUstream hStream, void **kernelParams) {
    const unsigned grid[3] = {gridDimX, gridDimY, gridDimZ}, block[3] = {blockDimX, blockDimY, blockDimZ};
    return launch(f, grid, block, sharedMemBytes, hStream, kernelParams, NULL, 1);
}

CUresult xs_cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction f, void **kernelParams, void **extra) {
    if (config == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    const unsigned grid[3] = {config->gridDimX, config->gridDimY, config->gridDimZ};
    const unsigned block[3] = {config->blockDimX, config->blockDimY, config->blockDimZ};
    return launch(f, grid, block, config->sharedMemBytes, config->hStream, kernelParams, extra, 0);
}
