/* Another thread finds that the trace cannot be made, while the first call is still in the driver: CUPTI, which records
 * already, is given up behind that call (the simulated driver ends the program if it is not). The program runs on.
 *
 * link: cuda
 * only: sim unsanitized
 * env: XFERSPY_OUTPUT=$dir/no/such/folder/trace.db XFERSPY_SIM_CUPTI_CHECKS=2
 * traces: 0
 * notices: 1
 * stdout: data ok
 *
 * $ grep -c 'no/such/folder/trace.db.*No such file' $stderr
 * 1
 *
 * $ ls $dir
 */
#define MEANWHILE call_from_another_thread()
#include "first_call.h"

int main(void) {
    call_first();
    copy_once();
    return 0;
}
