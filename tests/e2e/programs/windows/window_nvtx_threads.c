/* XFERSPY_WINDOW=nvtx:NAME with ranges of two threads that overlap, one of which was opened before CUDA began: the
 * window lasts from the first one's beginning to the last one's end, by another thread than began it.
 *
 * link: cuda
 * env: NVTX_INJECTION64_PATH=$xferspy_lib XFERSPY_WINDOW=nvtx:step XFERSPY_OUTSIDE=calls
 * stdout: data ok
 *
 * needs: cupti
 * > SELECT grid_x, count(*) FROM device_kernel GROUP BY grid_x ORDER BY grid_x
 * 1|10
 * 2|10
 * 3|10
 *
 * One window:
 * needs: cupti
 * > SELECT value LIKE '%+%' AND value NOT LIKE '%,%' FROM meta WHERE key = 'cupti.windows'
 * 1
 */
#include <nvtx3/nvToolsExt.h>

#include "asked.h"

static nvtxRangeId_t second;
static pthread_barrier_t opened, over;

static void *on_another_thread(void *data) {
    OK(cuCtxSetCurrent(asked_context));
    second = nvtxRangeStartA("step");
    asked_work(2);
    pthread_barrier_wait(&opened);
    pthread_barrier_wait(&over);
    return data;
}

int main(void) {
    pthread_t thread;
    OK(pthread_barrier_init(&opened, NULL, 2));
    OK(pthread_barrier_init(&over, NULL, 2));
    nvtxRangePushA("step");
    asked_begin();
    asked_work(1);
    OK(pthread_create(&thread, NULL, on_another_thread, NULL));
    pthread_barrier_wait(&opened);
    nvtxRangePop();
    asked_work(3); /* the other range is open */
    nvtxRangeEnd(second);
    asked_await(false);
    asked_work(4);
    pthread_barrier_wait(&over);
    OK(pthread_join(thread, NULL));
    return asked_end();
}
