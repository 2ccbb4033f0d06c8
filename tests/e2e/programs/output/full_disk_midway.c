/* The disk fills up while the program copies: it runs on, unaffected; what was captured until then can be read, and one
 * line or the trace says that the rest is missing.
 *
 * link: cuda
 * mount: 10m
 * env: XFERSPY_OUTPUT=$dir/mnt/trace.%p.db
 * stdout: data ok
 * notices: any
 *
 * With ThreadSanitizer the 400,000 copies take longer than a program may:
 * only: no-tsan
 *
 * $ q $dir/mnt/trace.*.db "SELECT count(*) > 0 AND count(*) < 400000 FROM transfer"
 * 1
 *
 * $ q $dir/mnt/trace.*.db "SELECT (SELECT value FROM meta WHERE key = 'status') || ', ' || (SELECT count(*) > 0 FROM note)"
 * stopped, 1
 *
 * $ grep -c '[Nn]o space' $stderr
 * 1
 */
#include <cuda.h>

#include "../check.h"

int main(void) {
    unsigned char host[16], back[16] = {0};
    CUdeviceptr device;

    e2e_context();
    OK(cuMemAlloc(&device, sizeof host));
    e2e_fill(host, sizeof host, 1);
    for (int i = 0; i < 400000; i++)
        OK(cuMemcpyHtoDAsync(device, host, sizeof host, 0));
    OK(cuMemcpyDtoH(back, device, sizeof back));
    e2e_expect(back, sizeof back, 1);
    OK(cuMemFree(device));
    puts("data ok");
    return 0;
}
