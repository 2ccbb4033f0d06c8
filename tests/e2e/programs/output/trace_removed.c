/* The trace is removed while the program runs, and its folder stays. Nothing can be kept, and one line says so.
 *
 * link: cuda
 * only: no-repairs
 * env: XFERSPY_OUTPUT=$dir/t.db XFERSPY_CUPTI=off
 * traces: 0
 * notices: 1
 * stdout: data ok
 *
 * $ grep -c 'capture stopped early: the trace was deleted while it was written; nothing is left of .*t[.]db' $stderr; ls $dir
 * 1
 */
#include <cuda.h>
#include <string.h>

#include "../check.h"

int main(void) {
    const char *name = getenv("XFERSPY_OUTPUT"), *preloaded = getenv("LD_PRELOAD");
    unsigned char host[64] = {0};
    CUdeviceptr device;

    REQUIRE(name != NULL);
    e2e_context();
    OK(cuMemAlloc(&device, sizeof host));
    OK(cuMemcpyHtoD(device, host, sizeof host));
    REQUIRE(unlink(name) == 0 || !preloaded || !strstr(preloaded, "libxferspy"));
    OK(cuMemcpyHtoD(device, host, sizeof host));
    puts("data ok");
    return 0;
}
