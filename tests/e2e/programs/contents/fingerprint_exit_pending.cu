/* The program ends while its copies wait behind a kernel that takes longer than anybody waits: what the device had said
 * by then is in the trace, and the rest is said to be lost, if it is. Copies before the kernel lose nothing. Without
 * CUPTI, which has no records of what never ended either.
 *
 * env: XFERSPY_FINGERPRINT=all XFERSPY_CUPTI=off
 * stdout: done
 *
 * > SELECT transfer, direction, content IS NOT NULL, before IS NOT NULL, missing FROM fingerprints WHERE transfer <= 3
 * > ORDER BY transfer
 * 1|h2d|1|1|
 * 2|h2d|1|1|
 * 3|d2h|1|0|
 *
 * > SELECT count(*), sum(coalesce(missing, 'lost') = 'lost'), sum((content IS NULL) = (missing IS NOT NULL))
 * > FROM fingerprints
 * > WHERE transfer > 3
 * 20|20|20
 *
 * > SELECT count(*) FROM fingerprint WHERE id NOT IN (SELECT fingerprint FROM transfer WHERE fingerprint IS NOT NULL)
 * 0
 */
#include "../cases/cases.h"

enum { BYTES = 100000 };

int main() {
    unsigned char *host = case_pinned(BYTES), *memory = case_device(BYTES);
    cudaStream_t stream;

    case_fill(host, BYTES, 1);
    OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (int i = 0; i < 2; i++)
        OK(cudaMemcpyAsync(memory, host, BYTES, cudaMemcpyHostToDevice, stream));
    OK(cudaMemcpyAsync(host, memory, BYTES, cudaMemcpyDeviceToHost, stream));
    xs_spin<<<1, 1, 0, stream>>>(2000000000ull);
    OK(cudaGetLastError());
    for (int i = 0; i < 20; i++)
        OK(cudaMemcpyAsync(memory, host, BYTES, cudaMemcpyHostToDevice, stream));
    puts("done");
    return 0;
}
