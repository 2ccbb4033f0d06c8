/* Another thread makes a call while the first one is still in the driver: each is recorded once.
 *
 * link: cuda
 * only: sim unsanitized
 * stdout: data ok
 *
 * > SELECT name, count(*), count(DISTINCT thread) FROM api_call JOIN entry_point ON entry_point.id = entry_point
 * > WHERE name IN ('cuDevicePrimaryCtxRetain', 'cuCtxCreate_v4') GROUP BY 1 ORDER BY 1
 * cuCtxCreate_v4|1|1
 * cuDevicePrimaryCtxRetain|1|1
 *
 * The other call began later and returned earlier, and it may be the first that the trace got:
 * > SELECT a.enter_ns < b.enter_ns, b.return_ns < a.return_ns, a.thread <> b.thread FROM api_call a, api_call b
 * > WHERE a.entry_point = (SELECT id FROM entry_point WHERE name = 'cuDevicePrimaryCtxRetain')
 * > AND b.entry_point = (SELECT id FROM entry_point WHERE name = 'cuCtxCreate_v4')
 * 1|1|1
 *
 * > SELECT count(*) FROM transfer
 * 2
 */
#define MEANWHILE call_from_another_thread()
#include "first_call.h"

int main(void) {
    call_first();
    copy_once();
    return 0;
}
