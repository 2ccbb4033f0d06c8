/* A handler in the first call ends the process by _exit: the trace has nothing, and is whole.
 *
 * link: cuda
 * only: sim unsanitized
 * exit: 5
 *
 * > SELECT (SELECT count(*) FROM api_call), (SELECT count(*) FROM transfer)
 * 0|0
 *
 * Nothing but the trace is left behind:
 * $ ls $dir | grep -v '[.]db$'
 */
#define MEANWHILE _exit(5)
#include "first_call.h"

int main(void) {
    call_first();
    copy_once();
    return 99;
}
