/* The trace is made while the driver makes the context. The first call is recorded once, with its whole time, although
 * it began before the trace existed; and the program waited for less than this time.
 *
 * link: cuda
 * only: sim
 * env: XFERSPY_SIM_CONTEXT_US=1500000 XFERSPY_CUPTI=off
 * stdout: data ok
 *
 * > SELECT count(*), min(return_ns - enter_ns >= 1500000000), min(enter_ns >= 0),
 * > min(enter_ns) < (SELECT value FROM meta WHERE key = 'cost.start_ns'),
 * > (SELECT value FROM meta WHERE key = 'cost.begin_ns') < 1500000000
 * > FROM api_call JOIN entry_point ON entry_point.id = entry_point WHERE name = 'cuDevicePrimaryCtxRetain'
 * 1|1|1|1|1
 */
#include "../one_copy.h"
