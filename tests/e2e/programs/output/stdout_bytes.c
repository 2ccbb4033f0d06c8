/* Every byte that the program writes to standard output comes out as it was, and only those.
 *
 * link: cuda
 * run: "$program" | cksum
 * stdout: 128821845 1048576
 *
 * > SELECT direction, count(*), sum(bytes) FROM transfers GROUP BY 1
 * d2h|16|1048576
 * h2d|16|1048576
 */
#include <cuda.h>

#include "../check.h"

int main(void) {
    enum { BYTES = 65536 };
    unsigned char *host = malloc(BYTES), *back = malloc(BYTES);
    CUdeviceptr device;

    e2e_context();
    OK(cuMemAlloc(&device, BYTES));
    for (unsigned i = 0; i < 16; i++) {
        e2e_fill(host, BYTES, i);
        OK(cuMemcpyHtoD(device, host, BYTES));
        OK(cuMemcpyDtoH(back, device, BYTES));
        REQUIRE(fwrite(back, 1, BYTES, stdout) == BYTES);
    }
    OK(cuMemFree(device));
    return 0;
}
