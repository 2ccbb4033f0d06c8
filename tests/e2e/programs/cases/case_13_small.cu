/* Case 13: 500 uploads of 4 KiB to consecutive addresses, then one kernel for all of them.
 *
 * env: XFERSPY_FINGERPRINT=all
 * stdout: data ok
 *
 * One run of 500. Each upload has a content and a region of its own. The wait comes after the kernel.
 * !
 * small-transfers|1|500|2048000
 */
#include "cases.h"

enum { PIECE = 4096, PIECES = 500, BYTES = PIECE * PIECES };

int main() {
    unsigned char *host = case_pinned(BYTES), *back = case_pinned(BYTES);
    unsigned char *device = case_device(BYTES), *out = case_device(BYTES);
    cudaStream_t stream;

    OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    case_fill(host, BYTES, 1);
    for (int i = 0; i < PIECES; i++)
        OK(cudaMemcpyAsync(device + i * PIECE, host + i * PIECE, PIECE, cudaMemcpyHostToDevice, stream));
    case_read(out, device, BYTES, stream);
    OK(cudaStreamSynchronize(stream));
    case_down(back, out, BYTES);
    case_expect(back, BYTES, 1);
    OK(cudaStreamDestroy(stream));
    OK(cudaFree(device));
    OK(cudaFree(out));
    OK(cudaFreeHost(host));
    OK(cudaFreeHost(back));
    puts("data ok");
    return 0;
}
