/* A program that profiles the device itself: from its first call of CUPTI on no kernel of ours runs, which would show
 * in its records. What the host can look at has content still.
 *
 * link: cuda
 * env: XFERSPY_FINGERPRINT=all
 * stdout: own records: 7 copies, 0 kernels, 0 memsets
 *
 * Contents by the first transfer that had the same: before, during and after the program's own profiling.
 * > SELECT transfer, direction, bytes, taken_on, (SELECT min(g.transfer) FROM fingerprints g
 * > WHERE g.content = f.content),
 * >   before IS NOT NULL, missing FROM fingerprints f ORDER BY transfer
 * 1|h2d|100000|device|1|1|
 * 2|h2d|100000|device|1|1|
 * 3|h2d|100000|||0|the application profiles the device itself
 * 4|h2d|5000|||0|the application profiles the device itself
 * 5|d2h|100000|||0|the application profiles the device itself
 * 6|h2d|100000|host|1|0|
 * 7|h2d|5000|host|7|0|
 * 8|d2h|100000|host|1|0|
 * 9|d2h|5000|host|7|0|
 * 10|h2d|100000|||0|the application profiles the device itself
 *
 * needs: cupti
 * > SELECT value FROM meta WHERE key = 'cupti.status'
 * stepped aside
 */
#include <cuda.h>
#include <cupti.h>
#include <dlfcn.h>

#include "../check.h"

enum { SMALL = 5000, BYTES = 100000 };

static void *cupti;
static __typeof__(&cuptiActivityGetNextRecord) next_record;
static unsigned copies, kernels, memsets;

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
        copies += record->kind == CUPTI_ACTIVITY_KIND_MEMCPY;
        kernels += record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL || record->kind == CUPTI_ACTIVITY_KIND_KERNEL;
        memsets += record->kind == CUPTI_ACTIVITY_KIND_MEMSET;
    }
    free(buffer);
}

#define FROM_CUPTI(name)                                                                                               \
    __typeof__(&name) p_##name;                                                                                        \
    *(void **)&p_##name = dlsym(cupti, #name);                                                                         \
    REQUIRE(p_##name != NULL)

int main(void) {
    unsigned char *pinned, *host = malloc(BYTES);
    CUpti_SubscriberHandle subscriber;
    CUdeviceptr memory;
    CUstream stream;

    cupti = dlopen("libcupti.so.13", RTLD_NOW);
    if (cupti == NULL) {
        free(host);
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

    e2e_context();
    OK(cuMemAlloc(&memory, BYTES));
    OK(cuMemAllocHost((void **)&pinned, BYTES));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    e2e_fill(pinned, BYTES, 1);
    e2e_fill(host, BYTES, 1);
    OK(cuMemcpyHtoDAsync(memory, pinned, BYTES, stream)); /* 1 */
    OK(cuMemcpyHtoDAsync(memory, pinned, BYTES, stream));
    OK(cuStreamSynchronize(stream));

    OK(p_cuptiSubscribe(&subscriber, called, NULL));
    OK(p_cuptiActivityRegisterCallbacks(give, take));
    OK(p_cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY));
    OK(p_cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMSET));
    OK(p_cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
    OK(cuMemcpyHtoDAsync(memory, pinned, BYTES, stream)); /* 3 */
    OK(cuMemcpyHtoDAsync(memory, pinned, SMALL, stream));
    OK(cuMemcpyDtoHAsync(pinned, memory, BYTES, stream));
    OK(cuStreamSynchronize(stream));
    OK(cuMemcpyHtoD(memory, host, BYTES)); /* 6 */
    OK(cuMemcpyHtoD(memory, pinned, SMALL));
    OK(cuMemcpyDtoH(host, memory, BYTES));
    OK(cuMemcpyDtoH(host, memory, SMALL));
    e2e_expect(host, BYTES, 1);
    OK(p_cuptiActivityFlushAll(1));
    OK(p_cuptiActivityDisable(CUPTI_ACTIVITY_KIND_MEMCPY));
    OK(p_cuptiUnsubscribe(subscriber));
    OK(cuMemcpyHtoDAsync(memory, pinned, BYTES, stream)); /* 10 */
    OK(cuStreamSynchronize(stream));
    printf("own records: %u copies, %u kernels, %u memsets\n", copies, kernels, memsets);
    return 0;
}
