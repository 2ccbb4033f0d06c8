/* Calls that fail return their code to the program, and the trace has the code and nothing else about them.
 *
 * link: cuda
 * stdout: 1 1 1 2 1 713
 *
 * > SELECT entry_point, bytes, result FROM transfers ORDER BY id
 * cuMemcpyHtoD_v2|64|1
 * cuMemcpyHtoD_v2|64|0
 * cuMemcpyDtoH_v2|8192|1
 * cuMemcpyDtoH_v2|64|0
 *
 * > SELECT entry_point, bytes, result FROM memsets ORDER BY id
 * cuMemsetD8_v2|8192|1
 *
 * > SELECT e.name, a.bytes, a.result FROM api_call a JOIN entry_point e ON e.id = a.entry_point
 * > JOIN category c ON c.id = e.category WHERE c.name IN ('allocate', 'free') ORDER BY a.id
 * cuMemAlloc_v2|1125899906842624|2
 * cuMemFree_v2|0|1
 * cuMemHostUnregister|0|713
 *
 * > SELECT bytes, free_entry_point FROM allocations
 * 4096|cuMemFree_v2
 *
 * A failed transfer does not count as one that ran:
 * > SELECT sum(transfers), sum(bytes) FROM summary_by_direction
 * 2|128
 */
#include <cuda.h>

#include "../check.h"

int main(void) {
    unsigned char host[8192];
    CUdeviceptr device, huge;
    int codes[6];

    e2e_context();
    OK(cuMemAlloc(&device, 4096));
    codes[0] = (int)cuMemcpyHtoD(0x10, host, 64);
    OK(cuMemcpyHtoD(device, host, 64));
    codes[1] = (int)cuMemcpyDtoH(host, device, 8192);
    OK(cuMemcpyDtoH(host, device, 64));
    codes[2] = (int)cuMemsetD8(device, 0, 8192);
    codes[3] = (int)cuMemAlloc(&huge, (size_t)1 << 50);
    codes[4] = (int)cuMemFree(0x10);
    codes[5] = (int)cuMemHostUnregister(host);
    OK(cuMemFree(device));
    printf("%d %d %d %d %d %d\n", codes[0], codes[1], codes[2], codes[3], codes[4], codes[5]);
    return 0;
}
