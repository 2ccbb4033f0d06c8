/* jemalloc is preloaded before libxferspy.so, and serves the program and the library.
 *
 * only: unsanitized
 * preload: $jemalloc $xferspy_lib
 * stdout: jemalloc is there
 * stdout: data ok
 *
 * > SELECT direction, count(*), sum(bytes), sum(result), count(DISTINCT thread) FROM transfer GROUP BY 1 ORDER BY 1
 * 1|804|823296|0|5
 * 2|4|4096|0|1
 */
#include "jemalloc.h"
