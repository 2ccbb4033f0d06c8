/* Arguments come in every form of the driver's API: parameters, a buffer with them, Ex, cooperative, captured, a
 * CUkernel instead of a CUfunction, and a function whose handle may have belonged to a function of an unloaded module.
 *
 * link: cuda
 * stdout: data ok
 *
 * > SELECT e.name, l.is_captured, l.result, l.arguments IS NOT NULL, (SELECT group_concat(bytes) FROM (SELECT a.bytes
 * > FROM argument g
 * > JOIN allocation a ON a.id = g.allocation WHERE g.argument_set = l.arguments ORDER BY a.bytes))
 * > FROM launch l JOIN entry_point e ON e.id = l.entry_point ORDER BY l.id
 * cuLaunchKernel|0|0|1|4096
 * cuLaunchKernel|0|0|1|8192
 * cuLaunchKernelEx|0|0|1|4096
 * cuLaunchCooperativeKernel|0|0|1|8192
 * cuLaunchKernel|0|0|1|4096
 * cuLaunchKernel|1|0|1|8192
 * cuGraphLaunch|0|0|0|
 * cuLaunchKernel|0|1|0|
 * cuLaunchKernel|0|0|1|4096
 * cuLaunchKernel|0|0|1|8192
 *
 * An allocation at the place of an earlier one has another number:
 * > SELECT count(*), count(DISTINCT allocation) FROM argument
 * 3|3
 *
 * Modules and libraries that are loaded and unloaded; a load that fails has no module:
 * > SELECT e.name, c.result, c.object IS NOT NULL AND c.object <> 0, c.return_ns > c.enter_ns
 * > FROM api_call c JOIN entry_point e ON e.id = c.entry_point WHERE e.name LIKE '%oad%' ORDER BY c.id
 * cuModuleLoadData|0|1|1
 * cuLibraryLoadData|0|1|1
 * cuModuleLoadData|200|0|1
 * cuModuleUnload|0|1|1
 * cuLibraryUnload|0|1|1
 * cuModuleLoadData|0|1|1
 * cuModuleUnload|0|1|1
 */
#include <cuda.h>
#include <string.h>

#include "../check.h"
#include "add_one_ptx.h"

int main(void) {
    size_t n = 100;
    unsigned char host[100];
    CUmodule module, module2;
    CUlibrary library;
    CUkernel kernel;
    CUfunction function;
    CUdeviceptr small, large;
    CUstream stream;
    CUgraph graph;
    CUgraphExec exec;

    e2e_context();
    OK(cuModuleLoadData(&module, add_one_ptx));
    OK(cuModuleGetFunction(&function, module, "xs_add_one_u8"));
    OK(cuLibraryLoadData(&library, add_one_ptx, NULL, NULL, 0, NULL, NULL, 0));
    OK(cuLibraryGetKernel(&kernel, library, "xs_add_one_u8"));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuMemAlloc(&small, 4096));
    OK(cuMemAlloc(&large, 8192));
    OK(cuMemsetD8(small, 0, 4096));
    OK(cuMemsetD8(large, 0, 8192));
    OK(cuCtxSynchronize());

    void *of_small[] = {&small, &n}, *of_large[] = {&large, &n};
    OK(cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, stream, of_small, NULL));
    struct {
        CUdeviceptr x;
        size_t n;
    } packed = {large, n};
    size_t bytes = sizeof packed;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
    OK(cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, stream, NULL, extra));
    CUlaunchConfig config;
    memset(&config, 0, sizeof config);
    config.gridDimX = config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
    config.blockDimX = 64;
    config.hStream = stream;
    OK(cuLaunchKernelEx(&config, function, of_small, NULL));
    OK(cuLaunchCooperativeKernel(function, 1, 1, 1, 64, 1, 1, 0, stream, of_large));
    OK(cuLaunchKernel((CUfunction)kernel, 1, 1, 1, 64, 1, 1, 0, stream, of_small, NULL));

    OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, stream, of_large, NULL));
    OK(cuStreamEndCapture(stream, &graph));
    OK(cuGraphInstantiate(&exec, graph, 0));
    OK(cuGraphLaunch(exec, stream));
    REQUIRE(cuLaunchKernel(function, 1, 1, 1, 4096, 1, 1, 0, stream, of_small, NULL) == CUDA_ERROR_INVALID_VALUE);
    OK(cuStreamSynchronize(stream));
    OK(cuMemcpyDtoH(host, small, n));
    e2e_expect_value(host, n, 3);
    OK(cuMemcpyDtoH(host, large, n));
    e2e_expect_value(host, n, 3);

    OK(cuGraphExecDestroy(exec));
    OK(cuGraphDestroy(graph));
    REQUIRE(cuModuleLoadData(&module2, "no code") == CUDA_ERROR_INVALID_IMAGE);
    OK(cuModuleUnload(module));
    OK(cuLibraryUnload(library));
    OK(cuModuleLoadData(&module2, add_one_ptx));
    OK(cuModuleGetFunction(&function, module2, "xs_add_one_u8"));
    OK(cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, stream, of_small, NULL));
    OK(cuStreamSynchronize(stream));
    OK(cuMemFree(large));
    OK(cuMemAlloc(&large, 8192));
    OK(cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, stream, of_large, NULL));
    OK(cuStreamSynchronize(stream));
    OK(cuStreamDestroy(stream));
    OK(cuMemFree(small));
    OK(cuMemFree(large));
    OK(cuModuleUnload(module2));
    puts("data ok");
    return 0;
}
