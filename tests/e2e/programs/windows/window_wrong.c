/* XFERSPY_WINDOW has a wrong value. One line says what may be given, and the budget decides. This program is so short
 * that it is recorded throughout.
 *
 * link: cuda
 * env: XFERSPY_WINDOW=nvtx:
 * notices: 2
 * stdout: data ok
 *
 * $ grep -c 'XFERSPY_WINDOW is no window (.*20ms/1s, nvtx:NAME or profiler); the budget decides' $stderr
 * 1
 *
 * needs: cupti
 * > SELECT grid_x, count(*) FROM device_kernel GROUP BY grid_x
 * 1|10
 */
#include "asked.h"

int main(void) {
    asked_begin();
    asked_work(1);
    return asked_end();
}
