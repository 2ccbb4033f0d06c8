/* Case 4: the same buffer ten times, each time into memory allocated for it and freed after the kernel that reads it.
 *
 * env: XFERSPY_FINGERPRINT=all
 * stdout: data ok
 *
 * An allocation at the old address is a new region: though it may still hold the bytes, no upload is a no-op. Whatever
 * held the content before was freed. Nine allocations follow a free of their size.
 * !
 * duplicate-upload/freed|9|9|294912
 * repeated-allocation|9|0|294912
 */
#include "cases.h"

enum { BYTES = 32768 };

int main() {
    unsigned char *host = case_pinned(BYTES), *back = case_pinned(BYTES), *out = case_device(BYTES);

    case_fill(host, BYTES, 1);
    for (int i = 0; i < 10; i++) {
        unsigned char *device = case_device(BYTES);
        case_up(device, host, BYTES);
        case_read(out, device, BYTES);
        OK(cudaFree(device));
    }
    case_down(back, out, BYTES);
    case_expect(back, BYTES, 1);
    OK(cudaFree(out));
    OK(cudaFreeHost(host));
    OK(cudaFreeHost(back));
    puts("data ok");
    return 0;
}
