/* A shim of libcuda that hands out its functions, as those do that share GPUs, behind libxferspy.so. A
 * repair takes uploads away, or sends them in another way, before the shim sees them.
 *
 * link: cuda cudart
 * only: unsanitized no-repairs
 * preload: $xferspy_lib $lib/libdriver_shim.so
 * stdout: linked, 32 MiB: 2
 * stdout: looked up, 32 MiB: 2
 * stdout: looked up, 32 MiB: 2
 * stdout: the shim saw 8 uploads
 * stdout: data ok
 *
 * Each copy is there once:
 * > SELECT bytes, count(*), sum(result) FROM transfer WHERE direction = 1 GROUP BY 1 ORDER BY 1
 * 1001|1|0
 * 1002|1|0
 * 2001|1|0
 * 2002|1|0
 * 2003|1|0
 * 3001|1|0
 * 3002|1|0
 * 4001|1|0
 *
 * > SELECT bytes, count(*) FROM transfer WHERE direction = 2 GROUP BY 1 ORDER BY 1
 * 3001|1
 * 3002|1
 * 4001|1
 */
#include "driver_shim.h"
