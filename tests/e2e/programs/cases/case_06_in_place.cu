/* Case 6 in one region: the kernel adds one to what was uploaded, so that the next fill is already there.
 *
 * env: XFERSPY_FINGERPRINT=all
 * stdout: data ok
 *
 * Upload i has the value i mod 256, which the kernel made before it and download i - 1 brought: from i = 1 on each is a
 * no-op, and as such no duplicate of the one 256 uploads ago, and each is a round trip into the very region.
 * !
 * constant-content|300|300|1228800
 * noop-upload|299|299|1224704
 * round-trip/same-device|299|299|1224704
 *
 * ?
 */
#include "cases.h"

enum { BYTES = 4096 };

int main() {
    unsigned char *from = case_pinned(BYTES), *to = case_pinned(BYTES), *device = case_device(BYTES);

    for (int i = 0; i < 300; i++) {
        memset(from, i, BYTES);
        case_up(device, from, BYTES);
        case_change(device, BYTES);
        case_down(to, device, BYTES);
        e2e_expect_value(to, BYTES, static_cast<unsigned char>(i + 1));
    }
    OK(cudaFree(device));
    OK(cudaFreeHost(from));
    OK(cudaFreeHost(to));
    puts("data ok");
    return 0;
}
