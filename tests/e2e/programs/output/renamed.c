/* The trace gets another name while the program runs: all of it is there, and the closing line has the new name.
 *
 * link: cuda
 * only: no-repairs
 * env: XFERSPY_OUTPUT=$dir/t.db XFERSPY_CUPTI=off
 * stdout: data ok
 *
 * > SELECT direction, count(*) FROM transfers GROUP BY 1
 * h2d|2000
 *
 * $ grep -c 'events in .*other[.]db' $stderr; grep -c 'stopped early' $stderr; ls $dir
 * 1
 * 0
 * other.db
 */
#include <cuda.h>
#include <string.h>

#include "../check.h"

enum { COPIES = 2000 };

static void copy(CUdeviceptr device) {
    unsigned char host[64] = {0};
    for (int i = 0; i < COPIES / 2; i++)
        OK(cuMemcpyHtoD(device, host, sizeof host));
}

int main(void) {
    const char *name = getenv("XFERSPY_OUTPUT"), *preloaded = getenv("LD_PRELOAD");
    char other[4096];
    CUdeviceptr device;

    REQUIRE(name != NULL);
    snprintf(other, sizeof other, "%.*sother.db", (int)(strrchr(name, '/') + 1 - name), name);
    e2e_context();
    OK(cuMemAlloc(&device, 64));
    copy(device);
    REQUIRE(rename(name, other) == 0 || !preloaded || !strstr(preloaded, "libxferspy"));
    copy(device);
    puts("data ok");
    return 0;
}
