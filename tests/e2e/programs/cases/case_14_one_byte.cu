/* Case 14: 64 MiB go up again with one byte changed: 16,383 of 16,384 leaves were there already.
 *
 * env: XFERSPY_FINGERPRINT=all XFERSPY_SIM_PINNED_GBPS=1
 * stdout: data ok
 *
 * A kernel fills the region first, so that both uploads find memory that has been used (and, where the GPU is simulated
 * at a rate that any machine keeps up with, take the same time). The other copy is one download of what a kernel
 * changed.
 * !
 * mostly-unchanged|1|1|67108864
 *
 * > SELECT changed_leaves, leaves FROM fingerprints WHERE direction = 'h2d' ORDER BY transfer
 * 16384|16384
 * 1|16384
 */
#include "cases.h"

enum { BYTES = 64 << 20 };

int main() {
    unsigned char *host = case_pinned(BYTES), *device = case_device(BYTES);
    float *floats = reinterpret_cast<float *>(device);

    xs_fill<<<64, 256>>>(floats, 1, BYTES / sizeof(float));
    case_fill(host, BYTES, 1);
    case_up(device, host, BYTES);
    xs_read<<<64, 256>>>(floats, BYTES / sizeof(float));
    host[BYTES / 3]++;
    case_up(device, host, BYTES);
    xs_add_one_u8<<<64, 256>>>(device, BYTES);
    OK(cudaGetLastError());
    case_down(host, device, BYTES);
    host[BYTES / 3]--;
    case_expect(host, BYTES, 1, 1);
    OK(cudaFree(device));
    OK(cudaFreeHost(host));
    puts("data ok");
    return 0;
}
