/* A program that aborts right after the device failed, as most programs do. The recovered trace says which call failed
 * first, and whether CUPTI was attached; once it did not, because the process had ended before the drain thread wrote
 * it.
 *
 * status: recovered
 * exit: 134
 * stdout: 700 at the wait
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
#include <unistd.h>

#include "../cases/cases.h"

int main() {
    unsigned char *nowhere = reinterpret_cast<unsigned char *>(4096);
    case_device(4096);
    case_change(nowhere, 4096, nullptr);
    int at_the_wait = cudaDeviceSynchronize();
    printf("%d at the wait\n", at_the_wait);
    fflush(stdout);
    abort();
}
