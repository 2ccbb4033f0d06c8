/* Case 2: the same unchanged buffer ten times to the same region, read by a kernel each time.
 *
 * env: XFERSPY_FINGERPRINT=all
 * stdout: data ok
 *
 * The first upload goes to fresh memory, which has no content before. Each of the nine others finds its own bytes
 * there. A no-op is no duplicate. The download is of another region, into which nothing was uploaded: no bounce.
 * !
 * noop-upload|9|9|294912
 */
#include "cases.h"

enum { BYTES = 32768 };

int main() {
    unsigned char *host = case_pinned(BYTES), *back = case_pinned(BYTES);
    unsigned char *device = case_device(BYTES), *out = case_device(BYTES);

    case_fill(host, BYTES, 1);
    for (int i = 0; i < 10; i++) {
        case_up(device, host, BYTES);
        case_read(out, device, BYTES);
    }
    case_down(back, out, BYTES);
    case_expect(back, BYTES, 1);
    OK(cudaFree(device));
    OK(cudaFree(out));
    OK(cudaFreeHost(host));
    OK(cudaFreeHost(back));
    puts("data ok");
    return 0;
}
