/* Case 3: the same buffer ten times to the same region, which a kernel changes each time.
 *
 * env: XFERSPY_FINGERPRINT=all
 * stdout: data ok
 *
 * From the second on each upload brings what the region once held and no longer does: overwritten, and never a no-op.
 * All leaves differ, and the download at the end has what the kernel made.
 * !
 * duplicate-upload/overwritten|9|9|294912
 */
#include "cases.h"

enum { BYTES = 32768 };

int main() {
    unsigned char *host = case_pinned(BYTES), *back = case_pinned(BYTES), *device = case_device(BYTES);

    case_fill(host, BYTES, 1);
    for (int i = 0; i < 10; i++) {
        case_up(device, host, BYTES);
        case_change(device, BYTES);
    }
    case_down(back, device, BYTES);
    case_expect(back, BYTES, 1, 1);
    OK(cudaFree(device));
    OK(cudaFreeHost(host));
    OK(cudaFreeHost(back));
    puts("data ok");
    return 0;
}
