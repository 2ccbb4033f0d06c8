/* XFERSPY_START=off: the program sleeps, without CUPTI, until it is started from outside. It is started and stopped
 * twice; only what it does then is recorded, with device times. Allocations are recorded throughout, so a launch knows
 * the memory that was allocated before.
 *
 * link: cuda
 * only: no-repairs cupti
 * env: XFERSPY_START=off XFERSPY_CONTROL=$dir
 * stdout: data ok
 *
 * > SELECT grid_x, count(*) FROM launch GROUP BY grid_x ORDER BY grid_x
 * 2|10
 * 4|10
 *
 * > SELECT grid_x, count(*) FROM device_kernel GROUP BY grid_x ORDER BY grid_x
 * 2|10
 * 4|10
 *
 * > SELECT key, value FROM meta WHERE key IN ('range.count', 'range.left_out_launches', 'cupti.status') ORDER BY key
 * cupti.status|active
 * range.count|2
 * range.left_out_launches|30
 *
 * > SELECT count(*) FROM allocation WHERE bytes = 64
 * 1
 *
 * $ ls $dir | grep -c "[.]control"
 * 0
 */
#include "control.h"

static void require_attached(bool is_attached) {
    uint32_t (*attachment)(void);
    *(void **)&attachment = dlsym(RTLD_DEFAULT, "xs_sim_attachment");
    REQUIRE(!asked_is_profiled() || !attachment || (attachment() != 0) == is_attached);
}

int main(void) {
    asked_begin();
    require_attached(false);
    control_ask("status", "ok\t");
    control_says("\tstate=asleep\t");
    control_says("\tdevice_times=off\t");
    asked_work(1);
    require_attached(false);
    control_ask("start", "ok\t");
    control_says("\tstate=recording\t");
    asked_await(true);
    asked_work(2);
    control_ask("stop", "ok\t");
    control_says("\tstate=asleep\t");
    control_says("\twindows=1\t");
    asked_await(false);
    asked_work(3);
    control_ask("start", "ok\t");
    control_ask("start", "ok\t"); /* once more changes nothing */
    asked_await(true);
    asked_work(4);
    control_ask("stop", "ok\t");
    asked_await(false);
    asked_work(5);
    control_ask("dance", "no\t");
    return asked_end();
}
