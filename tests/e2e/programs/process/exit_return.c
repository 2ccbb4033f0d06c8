/* The program ends because main returns its own status.
 *
 * link: cuda
 * exit: 3
 * stdout: data ok
 * stdout: atexit handler ran
 *
 * > SELECT entry_point, count(*), sum(bytes) FROM transfers GROUP BY 1 ORDER BY 1
 * cuMemcpyDtoH_v2|1|4096
 * cuMemcpyHtoD_v2|3|12288
 *
 * > SELECT entry_point, bytes, free_entry_point IS NULL FROM allocations
 * cuMemAlloc_v2|4096|1
 *
 * Nothing but the trace is left behind:
 * $ ls $dir | grep -v '[.]db$'
 */
#include <signal.h>

#define ENDING return 3
#include "ending.h"
