/* XFERSPY_STEP has a digit after its #, and XFERSPY_WINDOW has two #: no name can fit them. One line for each says so,
 * and the whole run is recorded.
 *
 * link: cuda
 * env: NVTX_INJECTION64_PATH=$xferspy_lib XFERSPY_STEP=it_#0 XFERSPY_WINDOW=nvtx:it_##
 * notices: 3
 * stdout: data ok
 *
 * $ grep -o 'XFERSPY_.*can follow it.*' $stderr
 * XFERSPY_STEP is ignored: a # in a name is all digits of a number, so no digit and no other # can follow it
 * XFERSPY_WINDOW is no window (a # in a name is all digits of a number, so no digit and no other # can follow it); the budget decides
 *
 * > SELECT (SELECT count(*) FROM launch), (SELECT group_concat(name) FROM nvtx_range)
 * 10|it_10
 */
#include <nvtx3/nvToolsExt.h>

#include "asked.h"

int main(void) {
    asked_begin();
    nvtxRangePushA("it_10");
    asked_work(1);
    nvtxRangePop();
    return asked_end();
}
