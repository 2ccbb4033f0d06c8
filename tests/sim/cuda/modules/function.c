/* What can be asked of functions and kernels, which are one thing here. */
#include "module.h"

static CUresult attribute_of(int *value, CUfunction_attribute attribute) {
    if (value == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *value = 1024;
        break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
        *value = 32;
        break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
        *value = 90;
        break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        *value = 49152;
        break;
    default:
        if (attribute < 0 || attribute >= CU_FUNC_ATTRIBUTE_MAX)
            return CUDA_ERROR_INVALID_VALUE;
        *value = 0;
    }
    return CUDA_SUCCESS;
}

CUresult xs_cuFuncGetAttribute(int *pi, CUfunction_attribute attrib, CUfunction hfunc) {
    return hfunc == NULL ? CUDA_ERROR_INVALID_HANDLE : attribute_of(pi, attrib);
}

CUresult xs_cuKernelGetAttribute(int *pi, CUfunction_attribute attrib, CUkernel kernel, CUdevice dev) {
    if (!XS_DEVICE_OK(dev))
        return CUDA_ERROR_INVALID_DEVICE;
    return kernel == NULL ? CUDA_ERROR_INVALID_HANDLE : attribute_of(pi, attrib);
}

CUresult xs_cuFuncSetAttribute(CUfunction hfunc, CUfunction_attribute attrib, int value) {
    (void)attrib, (void)value;
    return hfunc == NULL ? CUDA_ERROR_INVALID_HANDLE : CUDA_SUCCESS;
}

CUresult xs_cuKernelSetAttribute(CUfunction_attribute attrib, int val, CUkernel kernel, CUdevice dev) {
    (void)attrib, (void)val, (void)dev;
    return kernel == NULL ? CUDA_ERROR_INVALID_HANDLE : CUDA_SUCCESS;
}

CUresult xs_cuFuncSetCacheConfig(CUfunction hfunc, CUfunc_cache config) {
    (void)config;
    return hfunc == NULL ? CUDA_ERROR_INVALID_HANDLE : CUDA_SUCCESS;
}

CUresult xs_cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice dev) {
    (void)config, (void)dev;
    return kernel == NULL ? CUDA_ERROR_INVALID_HANDLE : CUDA_SUCCESS;
}

CUresult xs_cuFuncGetName(const char **name, CUfunction hfunc) {
    if (name == NULL || hfunc == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *name = xs_function_of(hfunc)->name;
    return CUDA_SUCCESS;
}

CUresult xs_cuKernelGetName(const char **name, CUkernel hfunc) { return xs_cuFuncGetName(name, (CUfunction)hfunc); }

static CUresult parameter_of(const struct CUfunc_st *func, size_t paramIndex, size_t *paramOffset, size_t *paramSize) {
    if (!xs_config()->param_info)
        return CUDA_ERROR_NOT_SUPPORTED;
    if (func == NULL || paramOffset == NULL || paramIndex >= func->parameter_count)
        return CUDA_ERROR_INVALID_VALUE;
    *paramOffset = func->parameters[paramIndex].offset;
    if (paramSize != NULL)
        *paramSize = func->parameters[paramIndex].size;
    return CUDA_SUCCESS;
}

CUresult xs_cuFuncGetParamInfo(CUfunction func, size_t paramIndex, size_t *paramOffset, size_t *paramSize) {
    return xs_is_kernel_handle(func) ? CUDA_ERROR_INVALID_HANDLE
                                     : parameter_of(func, paramIndex, paramOffset, paramSize);
}

CUresult xs_cuKernelGetParamInfo(CUkernel kernel, size_t paramIndex, size_t *paramOffset, size_t *paramSize) {
    if (kernel != NULL && !xs_is_kernel_handle(kernel))
        return CUDA_ERROR_INVALID_HANDLE;
    return parameter_of(xs_function_of(kernel), paramIndex, paramOffset, paramSize);
}

CUresult xs_cuFuncGetModule(CUmodule *hmod, CUfunction hfunc) {
    if (hmod == NULL || hfunc == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *hmod = xs_function_of(hfunc)->module;
    return CUDA_SUCCESS;
}

CUresult xs_cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction function) {
    if (state == NULL || function == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *state = CU_FUNCTION_LOADING_STATE_LOADED;
    return CUDA_SUCCESS;
}

CUresult xs_cuFuncLoad(CUfunction function) { return function == NULL ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS; }

CUresult xs_cuKernelGetFunction(CUfunction *pFunc, CUkernel kernel) {
    if (pFunc == NULL || kernel == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *pFunc = xs_function_of(kernel);
    return CUDA_SUCCESS;
}

CUresult xs_cuKernelGetLibrary(CUlibrary *pLib, CUkernel kernel) {
    if (pLib == NULL || kernel == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *pLib = xs_function_of(kernel)->library;
    return CUDA_SUCCESS;
}

CUresult xs_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks, CUfunction func, int blockSize,
                                                                 size_t dynamicSMemSize, unsigned int flags) {
    (void)dynamicSMemSize, (void)flags;
    if (numBlocks == NULL || func == NULL || blockSize <= 0)
        return CUDA_ERROR_INVALID_VALUE;
    *numBlocks = blockSize > 1024 ? 0 : 2048 / blockSize > 32 ? 32 : 2048 / blockSize;
    return CUDA_SUCCESS;
}

CUresult xs_cuOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, CUfunction func, int blockSize,
                                                        size_t dynamicSMemSize) {
    return xs_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(numBlocks, func, blockSize, dynamicSMemSize, 0);
}

CUresult xs_cuOccupancyMaxPotentialBlockSize(int *minGridSize, int *blockSize, CUfunction func,
                                             CUoccupancyB2DSize blockSizeToDynamicSMemSize, size_t dynamicSMemSize,
                                             int blockSizeLimit) {
    (void)blockSizeToDynamicSMemSize, (void)dynamicSMemSize;
    if (minGridSize == NULL || blockSize == NULL || func == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *blockSize = blockSizeLimit > 0 && blockSizeLimit < 1024 ? blockSizeLimit : 1024;
    *minGridSize = 16;
    return CUDA_SUCCESS;
}

CUresult xs_cuOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize, CUfunction func, int numBlocks,
                                                    int blockSize) {
    (void)blockSize;
    if (dynamicSmemSize == NULL || func == NULL || numBlocks <= 0)
        return CUDA_ERROR_INVALID_VALUE;
    *dynamicSmemSize = 49152;
    return CUDA_SUCCESS;
}
