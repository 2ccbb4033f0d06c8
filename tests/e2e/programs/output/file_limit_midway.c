/* The program lowers the largest size of its files to less than the trace already has: it is not killed by SIGXFSZ, and every copy that it
 * made before is in the trace.
 *
 * link: cuda
 * stdout: data ok
 * status: stopped
 * notices: any
 *
 * > SELECT count(*) >= 30001 FROM transfer
 * 1
 *
 * $ grep -c 'stopped early: the largest size of a file is reached (RLIMIT_FSIZE)' $stderr
 * 1
 */
#include <cuda.h>
#include <sys/resource.h>

#include "../check.h"

enum { BEFORE = 30001, AFTER = 10000 };

int main(void) {
    unsigned char host[64] = {0};
    struct rlimit limit;
    CUdeviceptr device;

    e2e_context();
    OK(cuMemAlloc(&device, sizeof host));
    for (int i = 0; i < BEFORE; i++)
        OK(cuMemcpyHtoD(device, host, sizeof host));
    OK(getrlimit(RLIMIT_FSIZE, &limit));
    limit.rlim_cur = 16384;
    OK(setrlimit(RLIMIT_FSIZE, &limit));
    for (int i = 0; i < AFTER; i++)
        OK(cuMemcpyHtoD(device, host, sizeof host));
    puts("data ok");
    return 0;
}
