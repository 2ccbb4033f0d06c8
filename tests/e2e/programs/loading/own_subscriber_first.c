/* A program that has subscribed to a CUPTI of CUDA 13.3 before its first call of the driver, and is still subscribed
 * when it ends: xferspy subscribes, too, and both get the records of all copies.
 *
 * link: cuda
 * env: XFERSPY_SIM_CUPTI_VERSION=130301 XFERSPY_SIM_DRIVER_VERSION=13030
 * stdout: own records: 3 copies, 3072 bytes
 *
 * needs: cupti
 * > SELECT count(*), count(device_ns), sum(device_ns > 0) FROM transfers
 * 3|3|3
 *
 * needs: cupti
 * > SELECT value FROM meta WHERE key = 'cupti.status'
 * active
 */
#include "../own_subscriber.h"

int main(void) {
    CUdeviceptr device;
    unsigned char host[1024] = {0};
    if (!own_subscriber_open())
        return E2E_SKIP;
    own_subscriber_begin(true);
    e2e_context();
    OK(cuMemAlloc(&device, sizeof host));
    OK(cuMemcpyHtoD(device, host, sizeof host));
    OK(cuMemcpyHtoD(device, host, sizeof host));
    OK(cuMemcpyDtoH(host, device, sizeof host));
    own_subscriber_flush();
    own_subscriber_print();
    return 0;
}
