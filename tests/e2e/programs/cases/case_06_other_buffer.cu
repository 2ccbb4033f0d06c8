/* Case 6 with a host buffer for each direction: now nothing but the value says that an upload is what came down.
 *
 * env: XFERSPY_FINGERPRINT=all
 * stdout: data ok
 *
 * As case_06_wrapping_counter, but no round trip: 299 uploads have the value of a download of another region into
 * another buffer, which may be coincidence.
 * !
 * constant-content|300|300|1228800
 * duplicate-upload/overwritten|44|44|180224
 *
 * ?
 * round-trip|small contents may be equal by chance|299
 */
#include "cases.h"

enum { BYTES = 4096 };

int main() {
    unsigned char *from = case_pinned(BYTES), *to = case_pinned(BYTES);
    unsigned char *device = case_device(BYTES), *result = case_device(BYTES);

    for (int i = 0; i < 300; i++) {
        memset(from, i, BYTES);
        case_up(device, from, BYTES);
        case_read(result, device, BYTES);
        case_change(result, BYTES);
        case_down(to, result, BYTES);
        e2e_expect_value(to, BYTES, static_cast<unsigned char>(i + 1));
    }
    OK(cudaFree(device));
    OK(cudaFree(result));
    OK(cudaFreeHost(from));
    OK(cudaFreeHost(to));
    puts("data ok");
    return 0;
}
