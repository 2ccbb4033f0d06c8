/* The program is killed by SIGKILL, and no code of the library runs then. The next reader of the trace moves the events
 * from the spool.
 *
 * link: cuda
 * status: recovered
 * exit: 137
 * stdout: data ok
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

#define ENDING                                                                                                         \
    (void)kill(getpid(), SIGKILL);                                                                                     \
    return 99
#include "ending.h"
