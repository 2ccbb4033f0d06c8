/* Case 9, near misses: a launch in between takes a pointer to it, to its first byte, and then to its last.
 *
 * env: XFERSPY_FINGERPRINT=all
 * stdout: data ok
 *
 * A kernel may use all of an allocation that it was given a pointer into: neither the first nor the second upload is
 * known to be unused, and none of the three contents is there twice.
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
    xs_set_one<<<1, 1>>>(device, 0, 0);
    case_up(device, second, BYTES);
    xs_set_one<<<1, 1>>>(device + BYTES - 1, 0, 0);
    OK(cudaGetLastError());
    case_fill(first, BYTES, 3);
    case_up(device, first, BYTES);
    case_read(out, device, BYTES);
    case_down(back, out, BYTES);
    case_expect(back, BYTES, 3);
    OK(cudaFree(device));
    OK(cudaFree(out));
    OK(cudaFreeHost(first));
    OK(cudaFreeHost(second));
    OK(cudaFreeHost(back));
    puts("data ok");
    return 0;
}
