/* Case 12 with pinned memory: nothing to find.
 *
 * env: XFERSPY_FINGERPRINT=all
 * stdout: data ok
 *
 * One copy each way, each the best of its direction.
 * !
 */
#include "cases.h"

enum { BYTES = 16 << 20 };

int main() {
    unsigned char *host = case_pinned(BYTES), *back = case_pinned(BYTES);
    unsigned char *device = case_device(BYTES), *out = case_device(BYTES);
    cudaStream_t stream;

    OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    case_fill(host, BYTES, 1);
    OK(cudaMemcpyAsync(device, host, BYTES, cudaMemcpyHostToDevice, stream));
    case_read(out, device, BYTES, stream);
    OK(cudaStreamSynchronize(stream));
    case_down(back, out, BYTES);
    case_expect(back, BYTES, 1);
    OK(cudaStreamDestroy(stream));
    OK(cudaFree(device));
    OK(cudaFree(out));
    OK(cudaFreeHost(back));
    OK(cudaFreeHost(host));
    puts("data ok");
    return 0;
}
