/* XFERSPY_STEPS in a program that waits in copies that block, and once at its end: no wait tells its steps, and the line
 * says why and what works; the headline of the report is that nothing was recorded.
 *
 * link: cuda
 * env: XFERSPY_SKIP_STEPS=2 XFERSPY_STEPS=4
 * notices: 2
 * stdout: data ok
 *
 * $ grep -c 'of 1 waits none came regularly, and copies that block tell no steps; give the name' $stderr
 * 1
 *
 * $ "$xferspy" report $traces | grep -c 'wasted *not known: nothing was recorded\.'
 * 1
 * $ "$xferspy" report $traces | grep -c 'choose steps in the report (`xferspy report --skip-steps=2 --steps=4'
 * 1
 */
#include "asked.h"

int main(void) {
    unsigned char bytes[64] = {0};
    asked_begin();
    for (int i = 0; i < 30; i++) {
        OK(cuMemcpyHtoD(asked_memory, bytes, sizeof bytes));
        asked_launch(1);
        OK(cuMemcpyDtoH(bytes, asked_memory, sizeof bytes));
    }
    OK(cuCtxSynchronize());
    return asked_end();
}
