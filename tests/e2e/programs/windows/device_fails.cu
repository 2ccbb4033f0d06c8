/* A kernel follows a pointer that leads nowhere. The program gets its errors as it does without the library, and the
 * trace says which call returned the first one, and whether CUPTI was attached.
 *
 * stdout: 700 at the wait, 700 behind it
 *
 * > SELECT value FROM meta WHERE key = 'failure.result'
 * 700
 *
 * > SELECT value FROM meta WHERE key = 'failure.entry_point'
 * cuCtxSynchronize_v2
 *
 * > SELECT count(*) FROM meta WHERE key = 'failure.at_ns' AND value > 0
 * 1
 *
 * needs: cupti
 * > SELECT value FROM meta WHERE key = 'failure.cupti'
 * attached
 */
#include "../cases/cases.h"

enum { BYTES = 4096 };

int main() {
    unsigned char *memory = case_device(BYTES), *nowhere = reinterpret_cast<unsigned char *>(4096);
    cudaStream_t stream;
    OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    case_change(nowhere, BYTES, stream);
    int at_the_wait = cudaDeviceSynchronize();
    int behind_it = cudaMemset(memory, 0, BYTES);
    printf("%d at the wait, %d behind it\n", at_the_wait, behind_it);
    return 0;
}
