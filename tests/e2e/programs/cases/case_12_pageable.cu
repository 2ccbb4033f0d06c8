/* Case 12: 16 MiB of pageable memory, uploaded with the asynchronous call.
 *
 * env: XFERSPY_FINGERPRINT=all
 * stdout: data ok
 *
 * The call returns when the copy is over. Next comes a kernel, not a wait.
 * needs: cupti
 * !
 * fake-async|1|1|16777216
 * pageable|1|1|16777216
 */
#include "cases.h"

enum { BYTES = 16 << 20 };

int main() {
    unsigned char *host = static_cast<unsigned char *>(malloc(BYTES)), *back = case_pinned(BYTES);
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
    free(host);
    puts("data ok");
    return 0;
}
