/* Case 7, a near miss: the host changes one byte of what came down before it goes up again.
 *
 * env: XFERSPY_FINGERPRINT=all
 * stdout: data ok
 *
 * That is another content, and a new one.
 * !
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
    between[BYTES / 2]++;
    case_up(b, between, BYTES);
    case_read(out, b, BYTES);
    case_change(out, BYTES);
    case_down(back, out, BYTES);
    back[BYTES / 2]--;
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
