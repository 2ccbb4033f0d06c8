/* A program that uses CUPTI itself, as torch.profiler does, when xferspy already holds the one place there is: xferspy
 * steps aside for it, the program gets all its records, and the trace says what happened.
 *
 * stdout: own records: 3 copies, 3072 bytes
 *
 * > SELECT direction, count(*), sum(bytes) FROM transfers GROUP BY 1 ORDER BY 1
 * d2h|2|2048
 * h2d|4|4096
 *
 * The copies before are matched, those of the program's own profiling are not:
 * needs: cupti
 * > SELECT count(*), sum(device_ns > 0) FROM transfers WHERE id <= 2
 * 2|2
 *
 * > SELECT count(*), count(device_ns) FROM transfers WHERE id BETWEEN 3 AND 5
 * 3|0
 *
 * needs: cupti
 * > SELECT value FROM meta WHERE key = 'cupti.status'
 * stepped aside
 */
#include <cupti.h>

#include "../driver_by_hand.h"

static void *library, *cupti;
static __typeof__(&cuptiActivityGetNextRecord) next_record;
static unsigned copies;
static unsigned long bytes_copied;

static void *find(const char *symbol) { return dlsym(library, symbol); }

static void CUPTIAPI called(void *data, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void *parameters) {
    (void)data, (void)domain, (void)id, (void)parameters;
}

static void CUPTIAPI give(uint8_t **buffer, size_t *size, size_t *most) {
    *size = 65536;
    *most = 0;
    *buffer = aligned_alloc(64, *size);
}

static void CUPTIAPI take(CUcontext context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid) {
    CUpti_Activity *record = NULL;
    (void)context, (void)stream, (void)size;
    while (valid > 0 && next_record(buffer, valid, &record) == CUPTI_SUCCESS) {
        if (record->kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
            copies++;
            bytes_copied += ((CUpti_ActivityMemcpy6 *)record)->bytes;
        }
    }
    free(buffer);
}

#define FROM_CUPTI(name)                                                                                               \
    __typeof__(&name) p_##name;                                                                                        \
    *(void **)&p_##name = dlsym(cupti, #name);                                                                         \
    REQUIRE(p_##name != NULL)

int main(void) {
    struct by_hand driver;
    unsigned char host[1024] = {0};
    CUpti_SubscriberHandle subscriber;
    CUcontext context;
    CUdeviceptr device;

    library = dlopen("libcuda.so.1", RTLD_NOW);
    cupti = dlopen("libcupti.so.13", RTLD_NOW);
    if (library == NULL || cupti == NULL) {
        return E2E_SKIP;
    }
    FROM_CUPTI(cuptiSubscribe);
    FROM_CUPTI(cuptiUnsubscribe);
    FROM_CUPTI(cuptiActivityRegisterCallbacks);
    FROM_CUPTI(cuptiActivityEnable);
    FROM_CUPTI(cuptiActivityDisable);
    FROM_CUPTI(cuptiActivityFlushAll);
    FROM_CUPTI(cuptiActivityGetNextRecord);
    next_record = p_cuptiActivityGetNextRecord;

    by_hand_load(&driver, find);
    OK(driver.init(0));
    OK(driver.retain(&context, 0));
    OK(driver.set_current(context));
    OK(driver.alloc(&device, sizeof host));
    OK(driver.up(device, host, sizeof host));
    OK(driver.down(host, device, sizeof host)); /* waits: a record is there only when its copy is over */

    OK(p_cuptiSubscribe(&subscriber, called, NULL));
    OK(p_cuptiActivityRegisterCallbacks(give, take));
    OK(p_cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY));
    OK(driver.up(device, host, sizeof host));
    OK(driver.up(device, host, sizeof host));
    OK(driver.down(host, device, sizeof host));
    OK(p_cuptiActivityFlushAll(1));
    OK(p_cuptiActivityDisable(CUPTI_ACTIVITY_KIND_MEMCPY));
    OK(p_cuptiUnsubscribe(subscriber));
    OK(driver.up(device, host, sizeof host));
    printf("own records: %u copies, %lu bytes\n", copies, bytes_copied);
    return 0;
}
