/* XFERSPY_WINDOW=nvtx:NAME names a range that is never opened. There are no device times, and the trace says so.
 *
 * link: cuda
 * env: NVTX_INJECTION64_PATH=$xferspy_lib XFERSPY_WINDOW=nvtx:step XFERSPY_OUTSIDE=calls
 * stdout: data ok
 *
 * needs: cupti
 * > SELECT (SELECT count(*) FROM launch), (SELECT count(*) FROM device_kernel),
 * > (SELECT value FROM meta WHERE key = 'cupti.windows')
 * 10|0|0+0
 */
#include <nvtx3/nvToolsExt.h>

#include "asked.h"

int main(void) {
    asked_begin();
    nvtxRangePushA("another");
    asked_work(1);
    nvtxRangePop();
    return asked_end();
}
