/* The tests that check a finding's source lines run this program. It uploads the same bytes to the same address again
 * and again, from two lines of one function that has two callers. */
#include <cuda.h>

#include "../check.h"

static unsigned char host[4096];
static CUdeviceptr device;

static int __attribute__((noinline, noclone)) upload(int value) {
    OK(cuMemcpyHtoD(device, host, 1000)); // the first line
    OK(cuMemcpyHtoD(device, host, 1000)); // the second line
    return value + 1;
}
static int __attribute__((noinline, noclone)) one_caller(int value) { return upload(value) + 1; }
static int __attribute__((noinline, noclone)) other_caller(int value) { return upload(value) + 2; }

int main(void) {
    unsigned char back[1000];
    int pid = (int)getpid();
    e2e_context();
    OK(cuMemAlloc(&device, sizeof host));
    e2e_fill(host, sizeof host, 1);
    REQUIRE(one_caller(pid) + one_caller(pid) + other_caller(pid) == 3 * pid + 7);
    OK(cuMemcpyDtoH(back, device, sizeof back));
    e2e_expect(back, sizeof back, 1);
    OK(cuMemFree(device));
    puts("data ok");
    return 0;
}
