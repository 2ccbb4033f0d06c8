/* Copies between two devices, before and after peer access is enabled.
 *
 * env: XFERSPY_SIM_DEVICES=2
 * link: cuda
 * stdout: data ok
 *
 * > SELECT entry_point, direction, bytes, src_kind, dst_kind, src_device, dst_device, is_async, result FROM transfers
 * > ORDER BY id
 * cuMemcpyHtoD_v2|h2d|65536|pageable|device||0|0|0
 * cuMemcpyPeer|peer|65536|device|device|0|1|0|0
 * cuMemcpyPeerAsync|peer|32768|device|device|1|0|1|0
 * cuMemcpy3DPeer|peer|4096|device|device|0|1|0|0
 * cuMemcpyPeer|peer|16384|device|device|0|1|0|0
 * cuMemcpyDtoD_v2|peer|8192|device|device|1|0|0|0
 * cuMemcpyDtoH_v2|d2h|65536|device|pageable|1||0|0
 *
 * > SELECT bytes, kind, device FROM allocations ORDER BY id
 * 65536|device|0
 * 65536|device|1
 *
 * > SELECT count(*) FROM device
 * 2
 */
#include <cuda.h>
#include <string.h>

#include "../check.h"

int main(void) {
    enum { BYTES = 65536 };
    unsigned char *host = malloc(BYTES);
    CUdevice device[2];
    CUcontext context[2];
    CUdeviceptr memory[2];
    CUstream stream;
    CUDA_MEMCPY3D_PEER box;
    int count, can = 0;

    OK(cuInit(0));
    OK(cuDeviceGetCount(&count));
    if (count < 2)
        return E2E_SKIP;
    for (int i = 0; i < 2; i++) {
        OK(cuDeviceGet(&device[i], i));
        OK(cuDevicePrimaryCtxRetain(&context[i], device[i]));
        OK(cuCtxSetCurrent(context[i]));
        OK(cuMemAlloc(&memory[i], BYTES));
    }
    OK(cuDeviceCanAccessPeer(&can, device[0], device[1]));
    if (!can)
        return E2E_SKIP;

    OK(cuCtxSetCurrent(context[0]));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    e2e_fill(host, BYTES, 1);
    OK(cuMemcpyHtoD(memory[0], host, BYTES));
    OK(cuMemcpyPeer(memory[1], context[1], memory[0], context[0], BYTES));
    OK(cuCtxSynchronize());
    OK(cuMemcpyPeerAsync(memory[0], context[0], memory[1], context[1], 32768, stream));
    OK(cuStreamSynchronize(stream));
    memset(&box, 0, sizeof box);
    box.WidthInBytes = 64, box.Height = 64, box.Depth = 1;
    box.srcMemoryType = CU_MEMORYTYPE_DEVICE, box.srcContext = context[0], box.srcDevice = memory[0], box.srcPitch = 64;
    box.dstMemoryType = CU_MEMORYTYPE_DEVICE, box.dstContext = context[1], box.dstDevice = memory[1], box.dstPitch = 64;
    OK(cuMemcpy3DPeer(&box));
    OK(cuCtxSynchronize());

    OK(cuCtxEnablePeerAccess(context[1], 0));
    OK(cuMemcpyPeer(memory[1], context[1], memory[0], context[0], 16384));
    OK(cuCtxSynchronize());
    OK(cuMemcpyDtoD(memory[0], memory[1], 8192));
    OK(cuCtxSynchronize());
    OK(cuCtxSetCurrent(context[1]));
    memset(host, 0, BYTES);
    OK(cuMemcpyDtoH(host, memory[1], BYTES));
    e2e_expect(host, BYTES, 1);
    puts("data ok");
    return 0;
}
