/* Case 5 with the first region overwritten by another content in between.
 *
 * env: XFERSPY_FINGERPRINT=all
 * stdout: data ok
 *
 * The region lives, but its content is gone, and the third upload goes to another region. Nothing on the device holds
 * the content any more, so the verdict is `freed`.
 * !
 * duplicate-upload/freed|1|1|32768
 */
#include "cases.h"

enum { BYTES = 32768 };

int main() {
    unsigned char *first = case_pinned(BYTES), *second = case_pinned(BYTES), *back = case_pinned(BYTES);
    unsigned char *a = case_device(BYTES), *b = case_device(BYTES), *out = case_device(BYTES);

    case_fill(first, BYTES, 1);
    case_fill(second, BYTES, 2);
    case_up(a, first, BYTES);
    case_read(out, a, BYTES);
    case_up(a, second, BYTES);
    case_read(out, a, BYTES);
    case_up(b, first, BYTES);
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
