/* Launches in every form of the driver's API: plain with parameters, plain with a buffer of them, Ex, cooperative.
 *
 * link: cuda
 * stdout: data ok
 *
 * > SELECT e.name, k.name, l.grid_x, l.grid_y, l.grid_z, l.block_x, l.block_y, l.block_z, l.shared_bytes, l.result
 * > FROM launch l JOIN entry_point e ON e.id = l.entry_point JOIN launch_kind k ON k.id = l.kind ORDER BY l.id
 * cuLaunchKernel|kernel|4|1|1|64|1|1|0|0
 * cuLaunchKernel|kernel|2|1|1|32|1|1|1024|0
 * cuLaunchKernelEx|kernel|3|1|1|96|1|1|0|0
 * cuLaunchCooperativeKernel|cooperative|1|1|1|128|1|1|0|0
 * cuLaunchKernel|kernel|1|1|1|4096|1|1|0|1
 *
 * needs: cupti
 * > SELECT name, count(*), sum(device_ns > 0), sum(grid_x * block_x) FROM kernels GROUP BY 1
 * xs_add_one_u8|4|4|736
 *
 * Each that ran has its device record, and the launch that failed has none:
 * needs: cupti
 * > SELECT l.result, count(*), count(k.id) FROM launch l LEFT JOIN device_kernel k ON k.correlation = l.correlation
 * > GROUP BY 1 ORDER BY 1
 * 0|4|4
 * 1|1|0
 *
 * One function, launched in one stream:
 * > SELECT count(DISTINCT function), count(DISTINCT stream) FROM launch
 * 1|1
 */
#include <cuda.h>
#include <string.h>

#include "../arguments/add_one_ptx.h"
#include "../check.h"

int main(void) {
    size_t n = 1000;
    unsigned char host[1000];
    CUmodule module;
    CUfunction function;
    CUdeviceptr device;
    CUstream stream;

    e2e_context();
    OK(cuModuleLoadData(&module, add_one_ptx));
    OK(cuModuleGetFunction(&function, module, "xs_add_one_u8"));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuMemAlloc(&device, n));
    OK(cuMemsetD8(device, 10, n));
    OK(cuCtxSynchronize());

    void *parameters[] = {&device, &n};
    OK(cuLaunchKernel(function, 4, 1, 1, 64, 1, 1, 0, stream, parameters, NULL));

    struct {
        CUdeviceptr x;
        size_t n;
    } packed = {device, n};
    size_t bytes = sizeof packed;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
    OK(cuLaunchKernel(function, 2, 1, 1, 32, 1, 1, 1024, stream, NULL, extra));

    CUlaunchConfig config;
    memset(&config, 0, sizeof config);
    config.gridDimX = 3, config.gridDimY = 1, config.gridDimZ = 1;
    config.blockDimX = 96, config.blockDimY = 1, config.blockDimZ = 1;
    config.hStream = stream;
    OK(cuLaunchKernelEx(&config, function, parameters, NULL));
    OK(cuLaunchCooperativeKernel(function, 1, 1, 1, 128, 1, 1, 0, stream, parameters));
    REQUIRE(cuLaunchKernel(function, 1, 1, 1, 4096, 1, 1, 0, stream, parameters, NULL) == CUDA_ERROR_INVALID_VALUE);

    OK(cuStreamSynchronize(stream));
    OK(cuMemcpyDtoH(host, device, n));
    e2e_expect_value(host, n, 14);
    OK(cuStreamDestroy(stream));
    OK(cuMemFree(device));
    OK(cuModuleUnload(module));
    puts("data ok");
    return 0;
}
