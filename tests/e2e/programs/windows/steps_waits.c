/* XFERSPY_SKIP_STEPS and XFERSPY_STEPS alone: the library finds the wait that ends each step of the program, and records
 * four steps from one wait to another. Waits in between, and what the program does before its loop, are no steps.
 *
 * link: cuda
 * env: XFERSPY_SKIP_STEPS=8 XFERSPY_STEPS=4
 * stdout: data ok
 *
 * Each step has one upload and ten kernels, which none of them shares with another:
 * > SELECT (SELECT count(*) FROM transfer), (SELECT count(*) FROM launch),
 * > (SELECT max(grid_x) - min(grid_x) FROM launch)
 * 4|40|3
 *
 * What was left out was counted:
 * > SELECT (SELECT value FROM meta WHERE key = 'range.left_out_transfers') + (SELECT count(*) FROM transfer)
 * 122
 *
 * A step's number is its grid's, and the first one is the next behind the eight or more that were skipped:
 * > SELECT (SELECT min(grid_x) FROM launch) - value, value > 8 FROM meta WHERE key = 'range.steps_first'
 * 0|1
 *
 * > SELECT key, value FROM meta WHERE key IN ('range.count', 'range.steps', 'range.steps_by', 'range.steps_wait')
 * > ORDER BY key
 * range.count|1
 * range.steps|4
 * range.steps_by|wait
 * range.steps_wait|cuStreamSynchronize
 *
 * $ "$xferspy" report $traces | grep -c 'by the wait that came most regularly (cuStreamSynchronize)'
 * 1
 */
#include "asked.h"

enum { STEPS = 120 };

static void pause_ms(long ms) {
    const struct timespec pause = {0, ms * 1000000};
    nanosleep(&pause, NULL);
}

int main(void) {
    unsigned char bytes[64] = {0};
    asked_begin();
    for (int i = 0; i < 2; i++) {
        OK(cuMemcpyHtoD(asked_memory, bytes, sizeof bytes));
        OK(cuCtxSynchronize());
    }
    for (unsigned i = 1; i <= STEPS; i++) {
        OK(cuMemcpyHtoD(asked_memory, bytes, sizeof bytes));
        for (int k = 0; k < 10; k++)
            asked_launch(i);
        if (i % 7 == 3 || i % 5 == 1)
            OK(cuCtxSynchronize());
        pause_ms(20);
        OK(cuStreamSynchronize(NULL));
    }
    return asked_end();
}
