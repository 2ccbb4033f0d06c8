/* With XFERSPY_QUIET=on there is a trace, but no line.
 *
 * link: cuda
 * env: XFERSPY_QUIET=on
 * notices: 0
 * stdout: data ok
 *
 * > SELECT direction, count(*) FROM transfers GROUP BY 1 ORDER BY 1
 * d2h|1
 * h2d|1
 */
#include "../one_copy.h"
