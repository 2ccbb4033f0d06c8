/* Case 2 in parts: the second half of what lies on the device again, then a stretch across the middle, then a stretch
 * of which one byte is new.
 *
 * env: XFERSPY_FINGERPRINT=all
 * stdout: data ok
 *
 * What counts is what the destination held, not which upload brought it: the second and the third upload are no-ops
 * though no upload had their regions. The fourth differs by its last byte, in the fourth of its four leaves: one of
 * four is no less than a quarter, and its content was not there before, so it is nothing.
 * !
 * noop-upload|2|2|32768
 */
#include "cases.h"

enum { BYTES = 32768, HALF = BYTES / 2 };

int main() {
    unsigned char *host = case_pinned(BYTES), *back = case_pinned(BYTES);
    unsigned char *device = case_device(BYTES), *out = case_device(BYTES);

    case_fill(host, BYTES, 1);
    case_up(device, host, BYTES);
    case_read(out, device, BYTES);
    case_up(device + HALF, host + HALF, HALF);
    case_read(out, device, BYTES);
    case_up(device + HALF / 2, host + HALF / 2, HALF);
    case_read(out, device, BYTES);
    host[HALF - 1]++;
    case_up(device, host, HALF);
    case_read(out, device, BYTES);
    case_down(back, out, BYTES);
    REQUIRE(memcmp(back, host, BYTES) == 0);
    OK(cudaFree(device));
    OK(cudaFree(out));
    OK(cudaFreeHost(host));
    OK(cudaFreeHost(back));
    puts("data ok");
    return 0;
}
