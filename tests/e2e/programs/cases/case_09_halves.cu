/* Case 9 in parts: an upload overwritten half by half.
 *
 * env: XFERSPY_FINGERPRINT=all
 * stdout: data ok
 *
 * Neither half overwrites all of it; together they do. Nothing ran in between.
 * !
 * unused-upload/certain|1|1|32768
 */
#include "cases.h"

enum { BYTES = 32768, HALF = BYTES / 2 };

int main() {
    unsigned char *first = case_pinned(BYTES), *second = case_pinned(BYTES), *back = case_pinned(BYTES);
    unsigned char *device = case_device(BYTES), *out = case_device(BYTES);

    case_fill(first, BYTES, 1);
    case_fill(second, BYTES, 2);
    case_up(device, first, BYTES);
    case_up(device, second, HALF);
    case_up(device + HALF, second + HALF, HALF);
    case_read(out, device, BYTES);
    case_down(back, out, BYTES);
    case_expect(back, BYTES, 2);
    OK(cudaFree(device));
    OK(cudaFree(out));
    OK(cudaFreeHost(first));
    OK(cudaFreeHost(second));
    OK(cudaFreeHost(back));
    puts("data ok");
    return 0;
}
