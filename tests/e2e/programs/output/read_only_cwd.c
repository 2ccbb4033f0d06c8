/* Nothing can be created in the working directory, not even by root. If the trace is elsewhere, everything works.
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
