/* Case 7, repeated: what was downloaded once is uploaded three times, to two regions and then back to where it came
 * from.
 *
 * env: XFERSPY_FINGERPRINT=all
 * stdout: data ok
 *
 * One download is one round trip, which the first upload consumes. The second upload is a duplicate of the first, whose
 * region still holds it. The third finds its own bytes: a no-op, and so no duplicate.
 * !
 * duplicate-upload/elsewhere|1|1|32768
 * noop-upload|1|1|32768
 * round-trip/same-device|1|1|32768
 */
#include "cases.h"

enum { BYTES = 32768 };

int main() {
    unsigned char *host = case_pinned(BYTES), *back = case_pinned(BYTES);
    unsigned char *a = case_device(BYTES), *b = case_device(BYTES), *c = case_device(BYTES), *out = case_device(BYTES);

    case_fill(host, BYTES, 1);
    case_up(a, host, BYTES);
    case_change(a, BYTES);
    case_down(host, a, BYTES);
    case_expect(host, BYTES, 1, 1);
    case_up(b, host, BYTES);
    case_up(c, host, BYTES);
    case_up(a, host, BYTES);
    case_read(out, a, BYTES);
    case_read(out, b, BYTES);
    case_read(out, c, BYTES);
    case_change(out, BYTES);
    case_down(back, out, BYTES);
    case_expect(back, BYTES, 1, 2);
    OK(cudaFree(a));
    OK(cudaFree(b));
    OK(cudaFree(c));
    OK(cudaFree(out));
    OK(cudaFreeHost(host));
    OK(cudaFreeHost(back));
    puts("data ok");
    return 0;
}
