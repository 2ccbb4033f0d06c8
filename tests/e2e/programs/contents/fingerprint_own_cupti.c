/* The program profiles the device itself. From its first call of CUPTI on, no kernel of xferspy's runs, because the
 * program's records would show it. The host can still read some contents.
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

#include "../check.h"
#include "../own_cupti.h"

enum { SMALL = 5000, BYTES = 100000 };

static unsigned copies, kernels, memsets;

static void own_cupti_got(const CUpti_Activity *record) {
    copies += record->kind == CUPTI_ACTIVITY_KIND_MEMCPY;
    kernels += record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL || record->kind == CUPTI_ACTIVITY_KIND_KERNEL;
    memsets += record->kind == CUPTI_ACTIVITY_KIND_MEMSET;
}

int main(void) {
    unsigned char *pinned, *host = malloc(BYTES);
    CUdeviceptr memory;
    CUstream stream;

    if (!own_cupti_open()) {
        free(host);
        return E2E_SKIP;
    }
    own_cupti_find();

    e2e_context();
    OK(cuMemAlloc(&memory, BYTES));
    OK(cuMemAllocHost((void **)&pinned, BYTES));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    e2e_fill(pinned, BYTES, 1);
    e2e_fill(host, BYTES, 1);
    OK(cuMemcpyHtoDAsync(memory, pinned, BYTES, stream)); /* 1 */
    OK(cuMemcpyHtoDAsync(memory, pinned, BYTES, stream));
    OK(cuStreamSynchronize(stream));

    own_cupti_subscribe();
    OK(own_cupti.enable(CUPTI_ACTIVITY_KIND_MEMCPY));
    OK(own_cupti.enable(CUPTI_ACTIVITY_KIND_MEMSET));
    OK(own_cupti.enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
    OK(cuMemcpyHtoDAsync(memory, pinned, BYTES, stream)); /* 3 */
    OK(cuMemcpyHtoDAsync(memory, pinned, SMALL, stream));
    OK(cuMemcpyDtoHAsync(pinned, memory, BYTES, stream));
    OK(cuStreamSynchronize(stream));
    OK(cuMemcpyHtoD(memory, host, BYTES)); /* 6 */
    OK(cuMemcpyHtoD(memory, pinned, SMALL));
    OK(cuMemcpyDtoH(host, memory, BYTES));
    OK(cuMemcpyDtoH(host, memory, SMALL));
    e2e_expect(host, BYTES, 1);
    OK(own_cupti.flush_all(1));
    OK(own_cupti.disable(CUPTI_ACTIVITY_KIND_MEMCPY));
    OK(own_cupti.unsubscribe(own_cupti.subscriber));
    OK(cuMemcpyHtoDAsync(memory, pinned, BYTES, stream)); /* 10 */
    OK(cuStreamSynchronize(stream));
    printf("own records: %u copies, %u kernels, %u memsets\n", copies, kernels, memsets);
    return 0;
}
