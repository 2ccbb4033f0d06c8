/* The same on the static runtime, nvcc's default.
 *
 * only: gpu
 * link: cudart_static
 * stdout: sum 2560
 *
 * needs: cupti
 * > SELECT entry_point, direction, count(*), sum(bytes), sum(device_ns > 0) FROM transfers GROUP BY 1, 2 ORDER BY 1
 * cuMemcpyDtoH_v2|d2h|1|4|1
 * cuMemcpyHtoD_v2|h2d|2|8192|2
 *
 * needs: cupti
 * > SELECT name, launches, device_ns > 0 FROM summary_by_kernel ORDER BY 1
 * xs_axpy|4|1
 * xs_scale|1|1
 * xs_sum|1|1
 *
 * > SELECT kind, count(*), sum(bytes), sum(free_enter_ns IS NOT NULL) FROM allocations GROUP BY 1
 * device|3|8196|3
 */
#include "runtime_kernels.cu"
