/* A program that wants a CUPTI of CUDA 13.3 for itself alone, while xferspy shares it: xferspy steps aside.
 *
 * link: cuda
 * env: XFERSPY_SIM_CUPTI_VERSION=130301 XFERSPY_SIM_DRIVER_VERSION=13030
 * stdout: own records: 2 copies, 2048 bytes
 *
 * needs: cupti
 * > SELECT count(*), count(device_ns) FROM transfers
 * 3|1
 *
 * needs: cupti
 * > SELECT value FROM meta WHERE key = 'cupti.status'
 * stepped aside
 */
#include "../own_subscriber.h"

int main(void) {
    CUdeviceptr device;
    unsigned char host[1024] = {0};
    e2e_context();
    if (!own_subscriber_open())
        return E2E_SKIP;
    OK(cuMemAlloc(&device, sizeof host));
    OK(cuMemcpyHtoD(device, host, sizeof host));
    OK(cuCtxSynchronize()); /* else the program's records may have it */
    own_subscriber_begin(false);
    OK(cuMemcpyHtoD(device, host, sizeof host));
    OK(cuMemcpyDtoH(host, device, sizeof host));
    own_subscriber_end();
    own_subscriber_print();
    return 0;
}
