/* Started with standard input, output and error closed: none of the profiler's files takes their places, where the
 * program's own output would end in them.
 *
 * link: cuda
 * run: "$program" <&- >&- 2>&-
 * notices: 0
 *
 * > SELECT direction, count(*), sum(bytes) FROM transfers GROUP BY 1 ORDER BY 1
 * d2h|1|4096
 * h2d|1|4096
 *
 * $ grep -rl "data ok" $dir
 */
#include "../one_copy.h"
