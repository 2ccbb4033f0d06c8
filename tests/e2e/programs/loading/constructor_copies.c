/* A library that the program is linked to copies in its constructor, which runs before any constructor of the preloaded
 * library: its calls are recorded like any others.
 *
 * link: copies_at_start cuda
 * stdout: data ok
 *
 * > SELECT direction, bytes, count(*) FROM transfers GROUP BY 1, 2 ORDER BY 1, 2
 * d2h|100|1
 * d2h|4096|1
 * h2d|100|1
 * h2d|4096|1
 *
 * > SELECT bytes, free_entry_point FROM allocations ORDER BY bytes
 * 100|cuMemFree_v2
 * 4096|cuMemFree_v2
 */
#include <cuda.h>

#include "../check.h"

extern int copies_at_start_failed;

int main(void) {
    unsigned char host[4096], back[4096] = {0};
    CUdeviceptr device;

    OK(copies_at_start_failed);
    e2e_context();
    OK(cuMemAlloc(&device, sizeof host));
    e2e_fill(host, sizeof host, 1);
    OK(cuMemcpyHtoD(device, host, sizeof host));
    OK(cuMemcpyDtoH(back, device, sizeof back));
    e2e_expect(back, sizeof back, 1);
    OK(cuMemFree(device));
    puts("data ok");
    return 0;
}
