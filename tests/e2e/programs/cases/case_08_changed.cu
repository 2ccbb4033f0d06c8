/* Case 8, near misses: a kernel changes one element before the download; then a download of a part alone.
 *
 * env: XFERSPY_FINGERPRINT=all
 * stdout: data ok
 *
 * The first download has another content than the upload. The second has what the upload brought, but its region is the
 * first half, into which nothing was uploaded as such.
 * !
 */
#include "cases.h"

enum { BYTES = 32768 };

int main() {
    unsigned char *host = case_pinned(BYTES), *back = case_pinned(BYTES), *device = case_device(BYTES);
    size_t changed = BYTES - 1;

    case_fill(host, BYTES, 1);
    case_up(device, host, BYTES);
    host[changed]++;
    xs_set_one<<<1, 1>>>(device, changed, host[changed]);
    OK(cudaGetLastError());
    case_down(back, device, BYTES);
    REQUIRE(memcmp(back, host, BYTES) == 0);
    case_down(back, device, BYTES / 2);
    case_expect(back, BYTES / 2, 1);
    OK(cudaFree(device));
    OK(cudaFreeHost(host));
    OK(cudaFreeHost(back));
    puts("data ok");
    return 0;
}
