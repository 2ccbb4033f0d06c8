/* A stream that captures is destroyed, and its capture never ends. That must not be the end of windows: CUPTI is
 * detached and attached again afterwards.
 *
 * link: cuda
 * only: sim cupti no-repairs
 * env: XFERSPY_WINDOW=20ms/40ms XFERSPY_STACK=none
 * stdout: data ok
 *
 * > SELECT (SELECT value FROM meta WHERE key = 'cupti.detachments') > 1,
 * > (SELECT count(*) FROM launch WHERE is_captured = 1), (SELECT count(*) FROM launch WHERE is_captured = 0) > 0
 * 1|2|1
 */
#include "asked.h"

static void launch_on(CUstream stream) {
    size_t bytes = 64;
    void *params[] = {&asked_memory, &bytes};
    OK(cuLaunchKernel(asked_add_one, 1, 1, 1, 64, 1, 1, 0, stream, params, NULL));
}

static void leave_a_capture(void) {
    CUstream stream;
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    launch_on(stream);
    OK(cuStreamDestroy(stream));
}

int main(void) {
    asked_begin();
    asked_work(1);
    leave_a_capture();
    leave_a_capture();
    for (int turn = 0; turn < 4; turn++) {
        asked_await(turn % 2 == 0);
        asked_work(1);
    }
    return asked_end();
}
