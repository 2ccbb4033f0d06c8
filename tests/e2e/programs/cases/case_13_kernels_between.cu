/* Case 13, a near miss: a kernel after each of the small uploads, for which it has to be there.
 *
 * env: XFERSPY_FINGERPRINT=all
 * stdout: data ok
 *
 * No run is longer than one upload. The seven uploads after the loop, with no kernel between them, are one too few.
 * !
 */
#include "cases.h"

enum { PIECE = 4096, PIECES = 24, BYTES = PIECE * PIECES, LAST = 7 };

int main() {
    unsigned char *host = case_pinned(BYTES), *back = case_pinned(BYTES);
    unsigned char *device = case_device(BYTES), *out = case_device(BYTES);
    cudaStream_t stream;

    OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    case_fill(host, BYTES, 1);
    for (int i = 0; i < PIECES; i++) {
        size_t at = static_cast<size_t>(i) * PIECE;
        OK(cudaMemcpyAsync(device + at, host + at, PIECE, cudaMemcpyHostToDevice, stream));
        case_read(out + at, device + at, PIECE, stream);
    }
    OK(cudaStreamSynchronize(stream));
    case_down(back, out, BYTES);
    case_expect(back, BYTES, 1);

    case_fill(host, BYTES, 2);
    for (int i = 0; i < LAST; i++) {
        size_t at = static_cast<size_t>(i) * PIECE;
        OK(cudaMemcpyAsync(device + at, host + at, PIECE, cudaMemcpyHostToDevice, stream));
    }
    case_read(out, device, LAST * PIECE, stream);
    OK(cudaStreamSynchronize(stream));
    case_down(back, out, LAST * PIECE);
    case_expect(back, LAST * PIECE, 2);
    OK(cudaStreamDestroy(stream));
    OK(cudaFree(device));
    OK(cudaFree(out));
    OK(cudaFreeHost(host));
    OK(cudaFreeHost(back));
    puts("data ok");
    return 0;
}
