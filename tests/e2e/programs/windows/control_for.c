/* A command starts the recording for a tenth of a second: it stops by itself. Before that, a second command makes the
 * time longer, and a third one takes the limit away.
 *
 * link: cuda
 * only: no-repairs cupti
 * env: XFERSPY_START=off XFERSPY_CONTROL=$dir
 * stdout: data ok
 *
 * > SELECT grid_x, count(*) FROM launch GROUP BY grid_x ORDER BY grid_x
 * 1|10
 * 3|10
 *
 * > SELECT value FROM meta WHERE key = 'range.count'
 * 2
 */
#include "control.h"

static bool is_recording(void) {
    control_ask("status", "ok\t");
    return strstr(control_reply, "\tstate=recording\t") != NULL;
}

int main(void) {
    const struct timespec pause = {0, 1000000};
    asked_begin();
    control_ask("start\tfor_ns=3600000000000", "ok\t");
    asked_work(1);
    control_ask("start\tfor_ns=100000000", "ok\t");
    for (int i = 0; asked_is_profiled() && is_recording(); i++) {
        REQUIRE(i < 60000);
        nanosleep(&pause, NULL);
    }
    control_says("\tleft_ns=0\t");
    asked_work(2);
    control_ask("start\tfor_ns=3600000000000", "ok\t");
    control_ask("start", "ok\t");
    control_says("\tleft_ns=0\t");
    asked_work(3);
    control_ask("stop", "ok\t");
    asked_work(4);
    return asked_end();
}
