/* The process is killed in its first call, when a call of another thread was already recorded. The next reader of the
 * trace gets that call.
 *
 * link: cuda
 * only: sim unsanitized
 * status: recovered
 * exit: 137
 *
 * > SELECT name, count(*) FROM api_call JOIN entry_point ON entry_point.id = entry_point GROUP BY 1 ORDER BY 1
 * cuCtxCreate_v4|1
 * cuCtxDestroy_v2|1
 *
 * Nothing but the trace is left behind:
 * $ ls $dir | grep -v '[.]db$'
 */
#define MEANWHILE (call_from_another_thread(), (void)kill(getpid(), SIGKILL))
#include "first_call.h"

int main(void) {
    call_first();
    copy_once();
    return 99;
}
