/* XFERSPY_START=off, and nobody starts it: CUPTI is never attached, no line is printed, and neither a trace nor a socket
 * is left.
 *
 * link: cuda
 * only: no-repairs
 * env: XFERSPY_START=off XFERSPY_CONTROL=$dir
 * traces: 0
 * notices: 0
 * stdout: data ok
 *
 * $ ls $dir
 */
#include "control.h"

int main(void) {
    uint32_t (*attachment)(void);
    *(void **)&attachment = dlsym(RTLD_DEFAULT, "xs_sim_attachment");
    asked_begin();
    for (unsigned i = 0; i < 100; i++)
        asked_work(i + 1);
    control_ask("status", "ok\t");
    control_says("\tstate=asleep\t");
    REQUIRE(!asked_is_profiled() || !attachment || attachment() == 0);
    return asked_end();
}
