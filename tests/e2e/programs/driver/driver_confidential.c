/* A GPU that refuses to page-lock the program's memory, as in confidential computing: the trace says so, and what could
 * not be page-locked is pageable.
 *
 * link: cuda
 * only: sim
 * env: XFERSPY_SIM_CONFIDENTIAL=1
 * stdout: cuMemHostRegister: 801
 * stdout: data ok
 *
 * > SELECT value FROM meta WHERE key = 'pinning_refused'
 * 1
 * > SELECT direction, bytes, src_kind, dst_kind, result FROM transfers ORDER BY id
 * h2d|4096|pageable|device|0
 * d2h|4096|device|pageable|0
 */
#include <cuda.h>

#include "../check.h"

static unsigned char host[4096], back[4096];

int main(void) {
    CUdeviceptr device;
    e2e_context();
    printf("cuMemHostRegister: %d\n", (int)cuMemHostRegister(host, sizeof host, 0));
    OK(cuMemAlloc(&device, sizeof host));
    e2e_fill(host, sizeof host, 1);
    OK(cuMemcpyHtoD(device, host, sizeof host));
    OK(cuMemcpyDtoH(back, device, sizeof back));
    e2e_expect(back, sizeof back, 1);
    OK(cuMemFree(device));
    puts("data ok");
    return 0;
}
