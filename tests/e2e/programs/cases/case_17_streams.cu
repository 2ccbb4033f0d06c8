/* Case 17: a stream is created and destroyed in each step. Beside it, one is used in all steps, and two that are
 * destroyed at the end only.
 *
 * env: XFERSPY_FINGERPRINT=off
 * stdout: data ok
 *
 * !
 * stream-churn|7|0|0
 */
#include "cases.h"

enum { BYTES = 1 << 20, STEPS = 8 };

static cudaStream_t create(unsigned flags) {
    cudaStream_t stream;
    OK(cudaStreamCreateWithFlags(&stream, flags));
    return stream;
}

int main() {
    unsigned char *host = case_pinned(BYTES), *device = case_device(BYTES), *out = case_device(BYTES);
    cudaStream_t kept = create(cudaStreamDefault), others[2] = {create(cudaStreamDefault), create(cudaStreamDefault)};
    case_fill(host, BYTES, 1);
    for (int step = 0; step < STEPS; step++) {
        cudaStream_t stream = create(cudaStreamNonBlocking);
        OK(cudaMemcpyAsync(device, host, BYTES, cudaMemcpyHostToDevice, stream));
        case_read(out, device, BYTES, stream);
        OK(cudaStreamSynchronize(stream));
        OK(cudaStreamDestroy(stream));
        case_read(out, device, BYTES, kept);
        OK(cudaStreamSynchronize(kept));
    }
    case_down(host, out, BYTES);
    case_expect(host, BYTES, 1);
    for (cudaStream_t other : others)
        OK(cudaStreamDestroy(other));
    OK(cudaStreamDestroy(kept));
    puts("data ok");
    return 0;
}
