/* Case 7: a result comes down, the host leaves it alone, and it goes up again into another region.
 *
 * env: XFERSPY_FINGERPRINT=all
 * stdout: data ok
 *
 * The content was made by a kernel: it was never uploaded, so the upload is no duplicate.
 * !
 * round-trip/same-device|1|1|32768
 */
#include "cases.h"

enum { BYTES = 32768 };

int main() {
    unsigned char *host = case_pinned(BYTES), *between = case_pinned(BYTES), *back = case_pinned(BYTES);
    unsigned char *a = case_device(BYTES), *b = case_device(BYTES), *out = case_device(BYTES);

    case_fill(host, BYTES, 1);
    case_up(a, host, BYTES);
    case_change(a, BYTES);
    case_down(between, a, BYTES);
    case_expect(between, BYTES, 1, 1);
    case_up(b, between, BYTES);
    case_read(out, b, BYTES);
    case_change(out, BYTES);
    case_down(back, out, BYTES);
    case_expect(back, BYTES, 1, 2);
    OK(cudaFree(a));
    OK(cudaFree(b));
    OK(cudaFree(out));
    OK(cudaFreeHost(host));
    OK(cudaFreeHost(between));
    OK(cudaFreeHost(back));
    puts("data ok");
    return 0;
}
