/* A program that asks a CUPTI of CUDA 13.3 for what only the first subscriber of a process may choose (HES). Alone it is
 * the first one, so xferspy steps aside for it.
 *
 * link: cuda
 * only: sim
 * env: XFERSPY_SIM_CUPTI_VERSION=130301 XFERSPY_SIM_DRIVER_VERSION=13030
 * stdout: own records: 1 copies, 1024 bytes
 *
 * needs: cupti
 * > SELECT value FROM meta WHERE key = 'cupti.status'
 * stepped aside
 *
 * needs: cupti
 * > SELECT value FROM meta WHERE key = 'cupti.text'
 * for cuptiActivitySetAttribute_v2
 */
#include "../own_subscriber.h"

/* As the first subscriber would: before it enables a kind. */
static void choose(void) {
    struct xs_cupti_subscriber_params params = {.bytes = sizeof params, .allow_multiple_subscribers = 1};
    uint8_t hes = 1;
    size_t bytes = sizeof hes;
    OK(OWN(cuptiSubscribe_v2)(&own.handle, own_subscriber_called, NULL, (CUpti_SubscriberParams *)(void *)&params));
    OK(OWN_MULTI(cuptiActivitySetAttribute_v2)(own.handle, (CUpti_ActivityAttribute)13, &bytes, &hes));
    OK(OWN_MULTI(cuptiActivityRegisterCallbacks_v2)(own.handle, own_subscriber_give, own_subscriber_take));
    OK(OWN_MULTI(cuptiActivityEnable_v2)(own.handle, CUPTI_ACTIVITY_KIND_MEMCPY, NULL));
}

int main(void) {
    CUdeviceptr device;
    unsigned char host[1024] = {0};
    e2e_context();
    if (!own_subscriber_open())
        return E2E_SKIP;
    OK(cuMemAlloc(&device, sizeof host));
    choose();
    OK(cuMemcpyDtoH(host, device, sizeof host));
    own_subscriber_end();
    own_subscriber_print();
    return 0;
}
