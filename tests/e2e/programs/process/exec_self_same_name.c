/* exec of a process with a live session when both would write the same file name (same program, same pid): the second
 * does not overwrite the first.
 *
 * link: cuda
 * status: any
 * traces: 2
 * stdout: stage one
 * stdout: stage two
 *
 * $ for t in $traces; do q "$t" "SELECT direction, count(*), sum(bytes) FROM transfers GROUP BY 1"; done | sort
 * d2h|1|1000
 * d2h|1|2000
 * h2d|1|1000
 * h2d|1|2000
 */
#include "exec_self.h"
