/* A program that profiles itself with a CUPTI of CUDA 13.3 or later, which several subscribers can share, when xferspy
 * is subscribed already. Both get the records of all copies, and xferspy goes on when the program has ended.
 *
 * link: cuda
 * env: XFERSPY_SIM_CUPTI_VERSION=130301 XFERSPY_SIM_DRIVER_VERSION=13030
 * stdout: own records: 3 copies, 3072 bytes
 * stdout: own records: 4 copies, 4096 bytes
 *
 * needs: cupti
 * > SELECT count(*), count(device_ns), sum(device_ns > 0) FROM transfers
 * 7|7|7
 *
 * needs: cupti
 * > SELECT value FROM meta WHERE key = 'cupti.status'
 * active
 *
 * needs: cupti
 * > SELECT count(*) FROM note WHERE text LIKE '%both record%'
 * 1
 */
#include "../own_subscriber.h"

static CUdeviceptr device;
static unsigned char host[1024];

static void copy(void) {
    OK(cuMemcpyHtoD(device, host, sizeof host));
    OK(cuCtxSynchronize()); /* a record is there only when its copy is over */
}

int main(void) {
    e2e_context();
    if (!own_subscriber_open())
        return E2E_SKIP;
    OK(cuMemAlloc(&device, sizeof host));
    copy();
    copy();
    own_subscriber_begin(true);
    copy();
    copy();
    OK(cuMemcpyDtoH(host, device, sizeof host));
    own_subscriber_end();
    own_subscriber_print();
    copy();
    own_subscriber_begin(true);
    copy();
    own_subscriber_end();
    own_subscriber_print();
    return 0;
}
