/* Case 9, a near miss: all but the last byte of an upload is overwritten before the kernel reads the rest.
 *
 * env: XFERSPY_FINGERPRINT=all
 * stdout: data ok
 *
 * The second upload goes over a part of which all 8 leaves change.
 * !
 */
#include "cases.h"

enum { BYTES = 32768, HALF = BYTES / 2 };

int main() {
    unsigned char *first = case_pinned(BYTES), *second = case_pinned(BYTES), *back = case_pinned(BYTES);
    unsigned char *device = case_device(BYTES), *out = case_device(BYTES);

    case_fill(first, BYTES, 1);
    case_fill(second, BYTES, 2);
    case_up(device, first, BYTES);
    case_up(device, second, BYTES - 1);
    case_read(out, device, BYTES);
    case_down(back, out, BYTES);
    second[BYTES - 1] = first[BYTES - 1];
    REQUIRE(memcmp(back, second, BYTES) == 0);
    OK(cudaFree(device));
    OK(cudaFree(out));
    OK(cudaFreeHost(first));
    OK(cudaFreeHost(second));
    OK(cudaFreeHost(back));
    puts("data ok");
    return 0;
}
