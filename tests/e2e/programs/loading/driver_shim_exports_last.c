/* A shim of libcuda for linked programs, behind libxferspy.so. Here the program is linked only: with libxferspy.so, the
 * look-ups of a linked program pass such a shim, too (docs/develop/internals.md). A repair
 * takes uploads away before the shim sees them.
 *
 * link: cuda
 * only: unsanitized no-repairs
 * preload: $xferspy_lib $lib/libdriver_shim_exports.so
 * stdout: linked, 32 MiB: 2
 * stdout: the shim saw 2 uploads
 * stdout: data ok
 *
 * Each copy is there once:
 * > SELECT bytes, count(*), sum(result) FROM transfer WHERE direction = 1 GROUP BY 1 ORDER BY 1
 * 1001|1|0
 * 1002|1|0
 */
#define DRIVER_SHIM_LINKED_ONLY
#include "driver_shim.h"
