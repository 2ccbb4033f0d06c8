/* A program that profiles itself with a CUPTI of CUDA 13.3, which subscribers share, while a window of xferspy's ends
 * and another one begins and ends. CUPTI is not finalized then, because that would end the program's profiling, too:
 * the program gets all its records, and xferspy those of its windows.
 *
 * link: cuda
 * only: sim no-repairs cupti
 * env: XFERSPY_WINDOW=profiler XFERSPY_OUTSIDE=calls XFERSPY_SIM_CUPTI_VERSION=130301 XFERSPY_SIM_DRIVER_VERSION=13030
 * stdout: own records: 4 copies, 10 bytes
 * stdout: data ok
 *
 * > SELECT group_concat(bytes) FROM (SELECT bytes FROM device_copy ORDER BY start_ns)
 * 1,3,6
 *
 * > SELECT group_concat(bytes) FROM (SELECT bytes FROM transfer ORDER BY id)
 * 1,2,3,4,5,6
 *
 * > SELECT (SELECT value FROM meta WHERE key = 'cupti.status'),
 * > (SELECT value FROM meta WHERE key = 'cupti.detachments')
 * active|3
 *
 * The ids of calls and records still belong together:
 * > SELECT count(*), count(device_ns) FROM transfers WHERE device_ns > 0
 * 3|3
 */
#include "../own_subscriber.h"
#include "asked.h"

CUresult cuProfilerStart(void);
CUresult cuProfilerStop(void);

static unsigned char host[64];

static void copy(size_t bytes) {
    OK(cuMemcpyHtoD(asked_memory, host, bytes));
    OK(cuCtxSynchronize());
}

/* Returns when so many subscribers record. Bare, xferspy is none of them. */
static void await_recording(unsigned own_ones, bool xferspy) {
    unsigned (*recording)(void);
    const struct timespec pause = {0, 1000000};
    *(void **)&recording = dlsym(own.library, "xs_sim_recording");
    REQUIRE(recording != NULL);
    for (int i = 0; recording() != own_ones + (xferspy && asked_is_profiled()); i++) {
        REQUIRE(i < 60000);
        OK(cuCtxSynchronize());
        nanosleep(&pause, NULL);
    }
}

int main(void) {
    asked_begin();
    if (!own_subscriber_open())
        return E2E_SKIP;
    OK(cuProfilerStart());
    await_recording(0, true);
    own_subscriber_begin(true);
    copy(1);
    OK(cuProfilerStop());
    await_recording(1, false);
    copy(2);
    OK(cuProfilerStart());
    await_recording(1, true);
    copy(3);
    OK(cuProfilerStop());
    await_recording(1, false);
    copy(4);
    own_subscriber_end();
    own_subscriber_print();
    asked_await(false); /* nobody is in the way of cuptiFinalize any more */
    copy(5);
    OK(cuProfilerStart()); /* and alone again, where CUPTI is finalized */
    await_recording(0, true);
    copy(6);
    OK(cuProfilerStop());
    await_recording(0, false);
    return asked_end();
}
