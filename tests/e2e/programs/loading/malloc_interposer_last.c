/* Another preloaded library that interposes malloc, after libxferspy.so.
 *
 * only: unsanitized
 * preload: $xferspy_lib $lib/libmalloc_counter.so
 * stdout: interposer counted the program's calls
 * stdout: data ok
 *
 * > SELECT entry_point, count(*), sum(bytes) FROM transfers GROUP BY 1 ORDER BY 1
 * cuMemcpyDtoH_v2|1|4096
 * cuMemcpyHtoD_v2|1|4096
 */
#include "malloc_interposer.h"
