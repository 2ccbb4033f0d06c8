/* Case 5 with a kernel in between that was given a pointer to the first region: it may have changed it.
 *
 * env: XFERSPY_FINGERPRINT=all
 * stdout: data ok
 *
 * It only read the region, but nothing in the trace says so; no upload or download has looked at the region since.
 * !
 * duplicate-upload/unknown|1|1|32768
 */
#include "cases.h"

enum { BYTES = 32768 };

int main() {
    unsigned char *first = case_pinned(BYTES), *second = case_pinned(BYTES), *back = case_pinned(BYTES);
    unsigned char *a = case_device(BYTES), *b = case_device(BYTES), *out = case_device(BYTES);

    case_fill(first, BYTES, 1);
    case_fill(second, BYTES, 1);
    case_up(a, first, BYTES);
    case_read(out, a, BYTES);
    case_up(b, second, BYTES);
    case_read(out, b, BYTES);
    case_down(back, out, BYTES);
    case_expect(back, BYTES, 1);
    OK(cudaFree(a));
    OK(cudaFree(b));
    OK(cudaFree(out));
    OK(cudaFreeHost(first));
    OK(cudaFreeHost(second));
    OK(cudaFreeHost(back));
    puts("data ok");
    return 0;
}
