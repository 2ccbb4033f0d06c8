/* A program that uses CUPTI itself between two windows, as torch.profiler does, while xferspy is detached: it gets all
 * its records, twice, and xferspy stays away from then on, although a window would begin.
 *
 * Only on the simulated GPU: a real one needs longer than the first window to make a context and to compile the kernel.
 * There, tests/gpu/run-workloads has torch.profiler.
 *
 * link: cuda
 * only: sim
 * env: XFERSPY_WINDOW=..50ms,600ms.. XFERSPY_OUTSIDE=calls XFERSPY_STACK=none
 * stdout: own records: 40 kernels, 2 copies
 * stdout: own records: 40 kernels, 2 copies
 * stdout: data ok
 *
 * needs: cupti
 * > SELECT (SELECT value FROM meta WHERE key = 'cupti.status'), (SELECT value FROM meta WHERE key = 'cupti.detachments'),
 * > (SELECT value FROM meta WHERE key = 'cupti.windows') LIKE '%,%'
 * stepped aside|1|0
 *
 * The trace has all calls, and of the device what ran in the first window:
 * needs: cupti
 * > SELECT (SELECT count(*) FROM launch WHERE grid_x = 7), (SELECT count(*) FROM device_kernel WHERE grid_x = 7),
 * > (SELECT count(*) FROM launch WHERE grid_x = 7 AND correlation IS NOT NULL),
 * > (SELECT count(*) FROM device_kernel WHERE grid_x = 1)
 * 80|0|0|10
 */
#include <cupti.h>

#include "asked.h"

static __typeof__(&cuptiActivityGetNextRecord) next_record;
static unsigned kernels, copies;

static void CUPTIAPI called(void *data, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void *parameters) {
    (void)data, (void)domain, (void)id, (void)parameters;
}

static void CUPTIAPI give(uint8_t **buffer, size_t *size, size_t *most) {
    *size = 1 << 20;
    *most = 0;
    *buffer = aligned_alloc(64, *size);
}

static void CUPTIAPI take(CUcontext context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid) {
    CUpti_Activity *record = NULL;
    (void)context, (void)stream, (void)size;
    while (valid > 0 && next_record(buffer, valid, &record) == CUPTI_SUCCESS) {
        kernels += record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
        copies += record->kind == CUPTI_ACTIVITY_KIND_MEMCPY;
    }
    free(buffer);
}

#define FROM_CUPTI(name)                                                                                               \
    __typeof__(&name) p_##name;                                                                                        \
    *(void **)&p_##name = dlsym(cupti, #name);                                                                         \
    REQUIRE(p_##name != NULL)

/* For longer than it is until xferspy's next window would begin. */
static void profile(void *cupti) {
    const struct timespec pause = {0, 100000000};
    unsigned char host[64] = {0};
    CUpti_SubscriberHandle subscriber;
    FROM_CUPTI(cuptiSubscribe);
    FROM_CUPTI(cuptiUnsubscribe);
    FROM_CUPTI(cuptiActivityRegisterCallbacks);
    FROM_CUPTI(cuptiActivityEnable);
    FROM_CUPTI(cuptiActivityDisable);
    FROM_CUPTI(cuptiActivityFlushAll);
    FROM_CUPTI(cuptiActivityGetNextRecord);
    next_record = p_cuptiActivityGetNextRecord;
    kernels = copies = 0;
    OK(p_cuptiSubscribe(&subscriber, called, NULL));
    OK(p_cuptiActivityRegisterCallbacks(give, take));
    OK(p_cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY));
    OK(p_cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
    OK(cuMemcpyHtoD(asked_memory, host, sizeof host));
    for (int i = 0; i < 4; i++) {
        asked_work(7);
        nanosleep(&pause, NULL);
    }
    OK(cuMemcpyDtoH(host, asked_memory, sizeof host));
    OK(p_cuptiActivityFlushAll(1));
    OK(p_cuptiActivityDisable(CUPTI_ACTIVITY_KIND_MEMCPY));
    OK(p_cuptiActivityDisable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
    OK(p_cuptiUnsubscribe(subscriber));
    printf("own records: %u kernels, %u copies\n", kernels, copies);
}

int main(void) {
    void *cupti = dlopen("libcupti.so.13", RTLD_NOW);
    if (cupti == NULL)
        return E2E_SKIP;
    asked_begin();
    asked_work(1);
    asked_await(false);
    profile(cupti);
    profile(cupti);
    return asked_end();
}
