/* Case 6: a buffer filled with a counter of one byte, 300 times; a kernel adds one into the result, which comes down
 * into the same host buffer before the next fill.
 *
 * env: XFERSPY_FINGERPRINT=all
 * stdout: data ok
 *
 * Upload i has the value i mod 256, download i the value i + 1. constant-content: each upload. noop-upload: none, the
 * region held the value before. duplicate-upload: the value was there 256 uploads ago for i = 256 to 299, 44 of them,
 * and the region has been overwritten since. round-trip: upload i has what download i - 1 had, from i = 1 on; one
 * repeated value is small content, but the source is where the download went, so it counts. Download i - 257 has the
 * value too, and was consumed 256 uploads ago. Nothing came down twice in a row, and nothing was uploaded into the
 * result's region.
 * !
 * constant-content|300|300|1228800
 * duplicate-upload/overwritten|44|44|180224
 * round-trip/same-device|299|299|1224704
 *
 * ?
 */
#include "cases.h"

enum { BYTES = 4096 };

int main() {
    unsigned char *host = case_pinned(BYTES), *device = case_device(BYTES), *result = case_device(BYTES);

    for (int i = 0; i < 300; i++) {
        memset(host, i, BYTES);
        case_up(device, host, BYTES);
        case_read(result, device, BYTES);
        case_change(result, BYTES);
        case_down(host, result, BYTES);
        e2e_expect_value(host, BYTES, static_cast<unsigned char>(i + 1));
    }
    OK(cudaFree(device));
    OK(cudaFree(result));
    OK(cudaFreeHost(host));
    puts("data ok");
    return 0;
}
