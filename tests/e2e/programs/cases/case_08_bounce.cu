/* Case 8: up, a kernel that only reads, down again: the device never changed it.
 *
 * env: XFERSPY_FINGERPRINT=all
 * stdout: data ok
 *
 * !
 * bounce|1|1|32768
 */
#include "cases.h"

enum { BYTES = 32768 };

int main() {
    unsigned char *host = case_pinned(BYTES), *back = case_pinned(BYTES);
    unsigned char *device = case_device(BYTES), *out = case_device(BYTES);

    case_fill(host, BYTES, 1);
    case_up(device, host, BYTES);
    case_read(out, device, BYTES);
    case_down(back, device, BYTES);
    case_expect(back, BYTES, 1);
    OK(cudaFree(device));
    OK(cudaFree(out));
    OK(cudaFreeHost(host));
    OK(cudaFreeHost(back));
    puts("data ok");
    return 0;
}
