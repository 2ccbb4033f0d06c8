/* A program that rests on the wait of a free: it looks into page-locked memory that a copy behind a long kernel fills,
 * right after it freed something else, on the device or on the host. In every step that memory is what the step before
 * had freed.
 *
 * link: cudart
 * env: XFERSPY_REPAIR=keep-allocations,keep-pinned XFERSPY_REPAIR_LOG=$dir/repair.json
 * stdout: data ok
 * notices: 3
 *
 * $ grep -o '"name":[^}]*}' $dir/repair.json
 * "name":"keep-allocations","applied":9,"bytes":37748736,"wrong":0,"refused":{}
 * "name":"keep-pinned","applied":9,"bytes":37748736,"wrong":0,"refused":{}
 */
#include <cuda_runtime.h>

#include "../../../sim/kernels.cuh"
#include "../check.h"

enum { STEPS = 20, BYTES = 4 << 20 };
static const unsigned long long kSpinNs = 30000000;

int main() {
    cudaStream_t stream;
    float *device, *pinned, *scratch;
    const size_t n = BYTES / sizeof(float);
    OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    OK(cudaMalloc(&device, BYTES + 4));
    OK(cudaMallocHost(&pinned, BYTES + 4));
    for (int step = 0; step < STEPS; step++) {
        const bool on_host = step % 2;
        OK(on_host ? cudaMallocHost(&scratch, BYTES) : cudaMalloc(&scratch, BYTES));
        xs_spin<<<1, 1, 0, stream>>>(kSpinNs);
        xs_fill<<<64, 64, 0, stream>>>(device, (float)step + 1, n);
        OK(cudaMemcpyAsync(pinned, device, BYTES, cudaMemcpyDeviceToHost, stream));
        OK(on_host ? cudaFreeHost(scratch) : cudaFree(scratch));
        REQUIRE(pinned[0] == (float)step + 1 && pinned[n - 1] == (float)step + 1);
    }
    OK(cudaFree(device));
    OK(cudaFreeHost(pinned));
    OK(cudaStreamDestroy(stream));
    puts("data ok");
    return 0;
}
