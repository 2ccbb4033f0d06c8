/* The program of tests that are about a program's environment. It uploads 4096 bytes, and downloads and verifies
 * them. */
#include <cuda.h>

#include "check.h"

int main(void) {
    unsigned char host[4096], back[4096] = {0};
    CUdeviceptr device;

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
