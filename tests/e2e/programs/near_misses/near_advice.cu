/* Tests findings that cost no transfer: memory that nothing touches, memory that grows, a wait right after an
 * asynchronous copy; and one constant upload. Each has a similar case beside it that is no finding.
 *
 * env: XFERSPY_FINGERPRINT=all
 * stdout: data ok
 *
 * The first of the two untouched allocations is freed before any launch, the second after one that had no pointer to
 * it. One allocation merely lives to the end, and is no leak as those are that one line makes in each step. The
 * second asynchronous copy has a launch before the wait. 60 bytes of one value are too few to count.
 * !
 * constant-content|1|1|64
 * immediate-sync|1|1|32768
 * leak|12|0|49152
 * unused-allocation/certain|1|0|4096
 * unused-allocation/likely|1|0|8192
 */
#include "../cases/cases.h"

enum { BYTES = 32768 };

int main() {
    unsigned char *untouched = case_device(4096);
    OK(cudaFree(untouched));
    untouched = case_device(8192);
    unsigned char *host = case_pinned(BYTES), *device = case_device(BYTES), *kept = case_device(BYTES), zeros[64] = {0};
    cudaStream_t stream;

    OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    case_fill(host, BYTES, 1);
    OK(cudaMemcpyAsync(device, host, BYTES, cudaMemcpyHostToDevice, stream));
    OK(cudaStreamSynchronize(stream));
    case_change(device, BYTES, stream);
    OK(cudaMemcpyAsync(host, device, BYTES, cudaMemcpyDeviceToHost, stream));
    case_change(device, BYTES, stream);
    OK(cudaStreamSynchronize(stream));
    case_expect(host, BYTES, 1, 1);

    case_up(device, zeros, 64);
    case_up(device + 100, zeros, 60);
    case_read(kept, device, BYTES);
    case_down(host, kept, BYTES);
    e2e_expect_value(host, 64, 0);
    e2e_expect_value(host + 100, 60, 0);
    for (int step = 0; step < 12; step++)
        case_read(case_device(4096), kept, 4096, stream);
    OK(cudaStreamSynchronize(stream));
    OK(cudaStreamDestroy(stream));
    OK(cudaFree(untouched));
    OK(cudaFree(device));
    OK(cudaFreeHost(host));
    puts("data ok");
    return 0;
}
