/* The program of the tests of known lines: main calls outer, outer calls inner, inner makes an upload; another line of
 * outer makes a download. No function ends with a call, because the compiler would make a jump of such a call. */
#include <cuda.h>

#include "../check.h"

static unsigned char host[4096], back[4096];
static CUdeviceptr device;

static int __attribute__((noinline, noclone)) inner(int value) {
    OK(cuMemcpyHtoD(device, host, sizeof host));
    return value + 1;
}

static int __attribute__((noinline, noclone)) outer(int value) {
    value = inner(value) + 1;
    OK(cuMemcpyDtoH(back, device, sizeof back));
    return value + 1;
}

int main(void) {
    e2e_context();
    OK(cuMemAlloc(&device, sizeof host));
    e2e_fill(host, sizeof host, 1);
    REQUIRE(outer((int)getpid()) == (int)getpid() + 3);
    e2e_expect(back, sizeof back, 1);
    OK(cuMemFree(device));
    puts("data ok");
    return 0;
}
