/* A CUPTI of CUDA 13.3 that refuses subscribers which allow others: xferspy subscribes by the global functions, has its
 * device times, and notes why another profiler could not record beside it.
 *
 * link: cuda
 * only: sim
 * env: XFERSPY_SIM_CUPTI_VERSION=130301 XFERSPY_SIM_DRIVER_VERSION=13030 XFERSPY_SIM_CUPTI_SHARING=0
 * stdout: data ok
 *
 * needs: cupti
 * > SELECT (SELECT value FROM meta WHERE key = 'cupti.status'), count(*), count(device_ns) FROM transfers
 * active|2|2
 *
 * needs: cupti
 * > SELECT count(*) FROM note WHERE text LIKE 'CUPTI is not shared with other profilers of this process: cuptiSubscribe%'
 * 1
 */
#include <cuda.h>

#include "../check.h"

int main(void) {
    CUdeviceptr device;
    unsigned char host[1024];
    e2e_context();
    OK(cuMemAlloc(&device, sizeof host));
    e2e_fill(host, sizeof host, 1);
    OK(cuMemcpyHtoD(device, host, sizeof host));
    OK(cuMemcpyDtoH(host, device, sizeof host));
    e2e_expect(host, sizeof host, 1);
    puts("data ok");
    return 0;
}
