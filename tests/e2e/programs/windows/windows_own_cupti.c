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
#include "../own_cupti.h"
#include "asked.h"

static unsigned kernels, copies;

static void own_cupti_got(const CUpti_Activity *record) {
    kernels += record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
    copies += record->kind == CUPTI_ACTIVITY_KIND_MEMCPY;
}

/* For longer than it is until xferspy's next window would begin. */
static void profile(void) {
    const struct timespec pause = {0, 100000000};
    unsigned char host[64] = {0};
    own_cupti_find();
    kernels = copies = 0;
    own_cupti_subscribe();
    OK(own_cupti.enable(CUPTI_ACTIVITY_KIND_MEMCPY));
    OK(own_cupti.enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
    OK(cuMemcpyHtoD(asked_memory, host, sizeof host));
    for (int i = 0; i < 4; i++) {
        asked_work(7);
        nanosleep(&pause, NULL);
    }
    OK(cuMemcpyDtoH(host, asked_memory, sizeof host));
    OK(own_cupti.flush_all(1));
    OK(own_cupti.disable(CUPTI_ACTIVITY_KIND_MEMCPY));
    OK(own_cupti.disable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
    OK(own_cupti.unsubscribe(own_cupti.subscriber));
    printf("own records: %u kernels, %u copies\n", kernels, copies);
}

int main(void) {
    if (!own_cupti_open())
        return E2E_SKIP;
    asked_begin();
    asked_work(1);
    asked_await(false);
    profile();
    profile();
    return asked_end();
}
