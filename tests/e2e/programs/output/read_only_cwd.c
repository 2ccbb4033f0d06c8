/* A working directory in which nothing can be created, not even by root: with the trace elsewhere all is well.
 *
 * link: cuda
 * run: cd /proc && exec "$program"
 * stdout: data ok
 *
 * > SELECT direction, count(*), sum(bytes) FROM transfers GROUP BY 1 ORDER BY 1
 * d2h|1|4096
 * h2d|1|4096
 */
#include "../one_copy.h"
