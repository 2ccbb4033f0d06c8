/* XFERSPY_SKIP_STEPS and XFERSPY_STEPS alone: the library finds the wait that ends each step of the program, and records
 * four steps from one wait to another. Waits in between, and what the program does before its loop, are no steps.
 *
 * link: cuda
 * only: no-repairs
 * env: XFERSPY_SKIP_STEPS=8 XFERSPY_STEPS=4
 * stdout: data ok
 *
 * Each step has one upload and ten kernels, which none of them shares with another:
 * > SELECT (SELECT count(*) FROM transfer), (SELECT count(*) FROM launch),
 * > (SELECT max(grid_x) - min(grid_x) FROM launch)
 * 4|40|3
 *
 * All else was counted: one upload and ten kernels in each of the other steps, and two uploads before the loop.
 * > SELECT 10 * (SELECT value - 2 FROM meta WHERE key = 'range.left_out_transfers') - value FROM meta
 * > WHERE key = 'range.left_out_launches'
 * 0
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

enum { STEPS = 60, MOST = 1500 };

static void pause_ms(long ms) {
    const struct timespec pause = {0, ms * 1000000};
    nanosleep(&pause, NULL);
}

/* On a machine that is busy with other things it may take long until some steps are of equal length. Where that can be
 * seen, it is waited for that device times were recorded, and are not any more. */
static bool is_recorded(void) {
    static bool was_attached;
    uint32_t (*attachment)(void);
    *(void **)&attachment = dlsym(RTLD_DEFAULT, "xs_sim_attachment");
    if (!asked_is_profiled() || !attachment)
        return true;
    bool is_attached = attachment() != 0, is_over = was_attached && !is_attached;
    was_attached |= is_attached;
    return is_over;
}

int main(void) {
    unsigned char bytes[64] = {0};
    bool recorded = false;
    asked_begin();
    for (int i = 0; i < 2; i++) {
        OK(cuMemcpyHtoD(asked_memory, bytes, sizeof bytes));
        OK(cuCtxSynchronize());
    }
    for (unsigned i = 1; i <= STEPS || (i <= MOST && !recorded); i++) {
        OK(cuMemcpyHtoD(asked_memory, bytes, sizeof bytes));
        for (int k = 0; k < 10; k++)
            asked_launch(i);
        if (i % 7 == 3 || i % 5 == 1)
            OK(cuStreamSynchronize(NULL)); /* the same call from another line */
        pause_ms(20);
        OK(cuStreamSynchronize(NULL));
        recorded = recorded || is_recorded();
    }
    return asked_end();
}
