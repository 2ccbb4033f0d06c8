/* A near miss: memory is freed and allocated again, most likely at the same address, and the same content comes down
 * from it again.
 *
 * env: XFERSPY_FINGERPRINT=all
 * stdout: data ok
 *
 * Another allocation is another region: no repeat-download, though address, size and content agree. What goes up into
 * the new memory is new content over what the old one left there: nothing either, and the old memory's upload was used.
 * !
 */
#include "../cases/cases.h"

enum { BYTES = 32768 };

int main() {
    unsigned char *host = case_pinned(BYTES), *source = case_device(BYTES), *out = case_device(BYTES);

    case_fill(host, BYTES, 1);
    case_up(source, host, BYTES);
    for (unsigned i = 0; i < 2; i++) {
        unsigned char *device = case_device(BYTES);
        case_read(device, source, BYTES);
        case_down(host, device, BYTES);
        case_expect(host, BYTES, 1);
        case_fill(host, BYTES, 2 + i);
        case_up(device, host, BYTES);
        case_read(out, device, BYTES);
        OK(cudaFree(device));
    }
    case_down(host, out, BYTES);
    case_expect(host, BYTES, 3);
    OK(cudaFree(source));
    OK(cudaFree(out));
    OK(cudaFreeHost(host));
    puts("data ok");
    return 0;
}
