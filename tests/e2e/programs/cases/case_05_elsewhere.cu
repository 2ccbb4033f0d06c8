/* Case 5: two host buffers with the same content go to two regions of the device, which both live on.
 *
 * env: XFERSPY_FINGERPRINT=all
 * stdout: data ok
 *
 * When the second one goes up, the kernel that ran since had no pointer to the first region: it still holds the
 * content.
 * !
 * duplicate-upload/elsewhere|1|1|32768
 */
#include "cases.h"

enum { BYTES = 32768 };

int main() {
    unsigned char *first = case_pinned(BYTES), *second = case_pinned(BYTES), *back = case_pinned(BYTES);
    unsigned char *a = case_device(BYTES), *b = case_device(BYTES), *out = case_device(BYTES);

    case_fill(first, BYTES, 1);
    case_fill(second, BYTES, 1);
    case_up(a, first, BYTES);
    xs_fill<<<8, 256>>>(reinterpret_cast<float *>(out), 1, BYTES / sizeof(float));
    case_up(b, second, BYTES);
    case_read(out, a, BYTES);
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
