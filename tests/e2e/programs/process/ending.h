/* The program of the exit_* tests. It makes three uploads and one download, and then ends in the way that ENDING
 * defines. All calls that have returned must be in the trace. */
#include <cuda.h>

#include "../check.h"

static void late(void) { puts("atexit handler ran"); }

int main(void) {
    unsigned char host[4096], back[4096];
    CUdeviceptr device;

    e2e_context();
    atexit(late);
    OK(cuMemAlloc(&device, 4096));
    e2e_fill(host, 4096, 1);
    for (int i = 0; i < 3; i++)
        OK(cuMemcpyHtoD(device, host, 4096));
    OK(cuMemcpyDtoH(back, device, 4096));
    e2e_expect(back, 4096, 1);
    puts("data ok");
    fflush(stdout);
    ENDING;
}
