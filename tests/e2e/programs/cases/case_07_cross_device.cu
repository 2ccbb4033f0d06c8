/* Case 7 with two devices: the result of one comes down and goes up to the other.
 *
 * env: XFERSPY_FINGERPRINT=all XFERSPY_SIM_DEVICES=2
 * stdout: data ok
 *
 * !
 * round-trip/cross-device|1|1|32768
 */
#include "cases.h"

enum { BYTES = 32768 };

int main() {
    int devices;
    OK(cudaGetDeviceCount(&devices));
    if (devices < 2)
        return E2E_SKIP;
    unsigned char *host = case_pinned(BYTES), *between = case_pinned(BYTES), *back = case_pinned(BYTES);
    unsigned char *a = case_device(BYTES);

    case_fill(host, BYTES, 1);
    case_up(a, host, BYTES);
    case_change(a, BYTES);
    case_down(between, a, BYTES);
    case_expect(between, BYTES, 1, 1);
    OK(cudaFree(a));

    OK(cudaSetDevice(1));
    unsigned char *b = case_device(BYTES), *out = case_device(BYTES);
    case_up(b, between, BYTES);
    case_read(out, b, BYTES);
    case_change(out, BYTES);
    case_down(back, out, BYTES);
    case_expect(back, BYTES, 1, 2);
    OK(cudaFree(b));
    OK(cudaFree(out));
    OK(cudaFreeHost(host));
    OK(cudaFreeHost(between));
    OK(cudaFreeHost(back));
    puts("data ok");
    return 0;
}
