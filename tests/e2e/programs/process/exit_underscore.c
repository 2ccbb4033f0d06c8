/* The program ends by _exit, which runs no handler.
 *
 * link: cuda
 * exit: 5
 * stdout: data ok
 *
 * > SELECT entry_point, count(*), sum(bytes) FROM transfers GROUP BY 1 ORDER BY 1
 * cuMemcpyDtoH_v2|1|4096
 * cuMemcpyHtoD_v2|3|12288
 *
 * > SELECT entry_point, bytes, free_entry_point IS NULL FROM allocations
 * cuMemAlloc_v2|4096|1
 *
 * Every copy has its device record, though no handler of atexit ran:
 * needs: cupti
 * > SELECT matched, without_record FROM coverage
 * 4|0
 *
 * Nothing but the trace is left behind:
 * $ ls $dir | grep -v '[.]db$'
 */
#include <signal.h>

#define ENDING                                                                                                         \
    _exit(5);                                                                                                          \
    return 99
#include "ending.h"
