/* The same result is downloaded again: after nothing, after a kernel that only read it, after a kernel that changed a
 * byte, and a part of it.
 *
 * env: XFERSPY_FINGERPRINT=all
 * stdout: data ok
 *
 * The second and the third download repeat the first. The fourth has a new byte. The fifth has bytes that came down
 * before, but not as a region of their own.
 * !
 * repeat-download|2|2|65536
 */
#include "../cases/cases.h"

enum { BYTES = 32768 };

int main() {
    unsigned char *host = case_pinned(BYTES), *device = case_device(BYTES), *out = case_device(BYTES);

    case_fill(host, BYTES, 1);
    case_up(device, host, BYTES);
    case_change(device, BYTES);
    case_down(host, device, BYTES);
    case_down(host, device, BYTES);
    case_read(out, device, BYTES);
    case_down(host, device, BYTES);
    case_expect(host, BYTES, 1, 1);
    host[5]++;
    xs_set_one<<<1, 1>>>(device, 5, host[5]);
    OK(cudaGetLastError());
    case_down(host, device, BYTES);
    case_down(host, device, BYTES / 2);
    host[5]--;
    case_expect(host, BYTES, 1, 1);
    OK(cudaFree(device));
    OK(cudaFree(out));
    OK(cudaFreeHost(host));
    puts("data ok");
    return 0;
}
