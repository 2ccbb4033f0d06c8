/* Kernel launches, and what the runtime says about kernels. */
#include "cudart.h"

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, struct CUstream_st *stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host);

static __thread struct {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
} pushed[16];
static __thread unsigned depth;

XS_EXPORT unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, struct CUstream_st *stream) {
    if (depth == sizeof(pushed) / sizeof(pushed[0]))
        return 1;
    pushed[depth].grid = grid;
    pushed[depth].block = block;
    pushed[depth].shared = shared;
    pushed[depth].stream = stream;
    depth++;
    return 0;
}

XS_EXPORT cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream) {
    if (depth == 0)
        return cudaErrorMissingConfiguration;
    depth--;
    *grid = pushed[depth].grid;
    *block = pushed[depth].block;
    *shared = pushed[depth].shared;
    memcpy(stream, &pushed[depth].stream, sizeof(cudaStream_t));
    return cudaSuccess;
}

XS_EXPORT cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host) {
    CUfunction function;
    bool outer = xs_rt_enter(false);
    cudaError_t result = xs_rt_function(host, &function);
    *kernel = result == cudaSuccess ? (cudaKernel_t)function : NULL;
    return xs_rt_leave(outer, result);
}

static cudaError_t launch(CUfunction function, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream) {
    return xs_rt_error(DRV(cuLaunchKernel)(function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                                           (unsigned)shared, stream, args, NULL));
}

RT_PTSZ(__cudaLaunchKernel,
        (cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream),
        (kernel, grid, block, args, shared, stream)) {
    TRY(xs_rt_ready());
    if (kernel == NULL)
        return cudaErrorInvalidDeviceFunction;
    return launch((CUfunction)kernel, grid, block, args, shared, stream);
}

RT_PTSZ(cudaLaunchKernel,
        (const void *func, dim3 gridDim, dim3 blockDim, void **args, size_t sharedMem, cudaStream_t stream),
        (func, gridDim, blockDim, args, sharedMem, stream)) {
    CUfunction function;
    TRY(xs_rt_function(func, &function));
    return launch(function, gridDim, blockDim, args, sharedMem, stream);
}

RT_PTSZ(cudaLaunchCooperativeKernel,
        (const void *func, dim3 gridDim, dim3 blockDim, void **args, size_t sharedMem, cudaStream_t stream),
        (func, gridDim, blockDim, args, sharedMem, stream)) {
    CUfunction function;
    TRY(xs_rt_function(func, &function));
    return xs_rt_error(DRV(cuLaunchCooperativeKernel)(function, gridDim.x, gridDim.y, gridDim.z, blockDim.x, blockDim.y,
                                                      blockDim.z, (unsigned)sharedMem, stream, args));
}

RT_PTSZ(cudaLaunchKernelExC, (const cudaLaunchConfig_t *config, const void *func, void **args), (config, func, args)) {
    CUfunction function;
    if (config == NULL)
        return cudaErrorInvalidValue;
    TRY(xs_rt_function(func, &function));
    CUlaunchConfig shape = {.gridDimX = config->gridDim.x,
                            .gridDimY = config->gridDim.y,
                            .gridDimZ = config->gridDim.z,
                            .blockDimX = config->blockDim.x,
                            .blockDimY = config->blockDim.y,
                            .blockDimZ = config->blockDim.z,
                            .sharedMemBytes = (unsigned)config->dynamicSmemBytes,
                            .hStream = config->stream,
                            .attrs = (CUlaunchAttribute *)config->attrs,
                            .numAttrs = config->numAttrs};
    return xs_rt_error(DRV(cuLaunchKernelEx)(&shape, function, args, NULL));
}

RT_PTSZ(cudaLaunchHostFunc, (cudaStream_t stream, cudaHostFn_t fn, void *userData), (stream, fn, userData))
PASS_BODY(DRV(cuLaunchHostFunc)(stream, fn, userData))

static int attribute_of(CUfunction function, CUfunction_attribute attribute) {
    int value = 0;
    DRV(cuFuncGetAttribute)(&value, attribute, function);
    return value;
}

RT(cudaFuncGetAttributes, (struct cudaFuncAttributes * attr, const void *func), (attr, func)) {
    CUfunction function;
    TRY(xs_rt_function(func, &function));
    *attr = (struct cudaFuncAttributes){
        .maxThreadsPerBlock = attribute_of(function, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
        .numRegs = attribute_of(function, CU_FUNC_ATTRIBUTE_NUM_REGS),
        .ptxVersion = attribute_of(function, CU_FUNC_ATTRIBUTE_PTX_VERSION),
        .binaryVersion = attribute_of(function, CU_FUNC_ATTRIBUTE_BINARY_VERSION),
        .maxDynamicSharedSizeBytes = attribute_of(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)};
    return cudaSuccess;
}

RT(cudaFuncSetAttribute, (const void *func, enum cudaFuncAttribute attr, int value), (func, attr, value)) {
    CUfunction function;
    TRY(xs_rt_function(func, &function));
    return xs_rt_error(DRV(cuFuncSetAttribute)(function, (CUfunction_attribute)attr, value));
}

RT(cudaFuncSetCacheConfig, (const void *func, enum cudaFuncCache cacheConfig), (func, cacheConfig)) {
    CUfunction function;
    (void)cacheConfig;
    return xs_rt_function(func, &function);
}

RT(cudaFuncGetName, (const char **name, const void *func), (name, func)) {
    CUfunction function;
    TRY(xs_rt_function(func, &function));
    return xs_rt_error(DRV(cuFuncGetName)(name, function));
}

RT(cudaGetFuncBySymbol, (cudaFunction_t * functionPtr, const void *symbolPtr), (functionPtr, symbolPtr)) {
    return xs_rt_function(symbolPtr, functionPtr);
}

RT(cudaGetKernel, (cudaKernel_t * kernelPtr, const void *entryFuncAddr), (kernelPtr, entryFuncAddr)) {
    CUfunction function;
    TRY(xs_rt_function(entryFuncAddr, &function));
    *kernelPtr = (cudaKernel_t)function;
    return cudaSuccess;
}

RT(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
   (int *numBlocks, const void *func, int blockSize, size_t dynamicSMemSize, unsigned int flags),
   (numBlocks, func, blockSize, dynamicSMemSize, flags)) {
    CUfunction function;
    TRY(xs_rt_function(func, &function));
    return xs_rt_error(DRV(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags)(numBlocks, function, blockSize,
                                                                                 dynamicSMemSize, flags));
}

RT(cudaOccupancyMaxActiveBlocksPerMultiprocessor,
   (int *numBlocks, const void *func, int blockSize, size_t dynamicSMemSize),
   (numBlocks, func, blockSize, dynamicSMemSize)) {
    return rt_cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(numBlocks, func, blockSize, dynamicSMemSize, 0);
}
