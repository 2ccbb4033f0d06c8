/* The limit on addresses (ulimit -v) leaves 128 MiB more than the program itself needs; glibc's malloc reserves 64 MiB
 * of them for each thread. So the spool reserves few addresses, and the program runs as it does without xferspy.
 *
 * link: cuda
 * only: sim unsanitized
 * run: ulimit -v $(($(LD_PRELOAD= "$program" size) + 131072)) && exec "$program"
 * env: XFERSPY_CUPTI=off
 * stdout: data ok
 * traces: 1
 * status: any
 *
 * > SELECT direction, count(*) FROM transfers GROUP BY 1
 * h2d|3000
 */
#include <cuda.h>
#include <string.h>

#include "../check.h"

/* Returns the most addresses that the program has used so far, in KiB. */
static long peak_kib(void) {
    char line[256];
    long kib = 0;
    FILE *status = fopen("/proc/self/status", "r");
    REQUIRE(status != NULL);
    while (fgets(line, sizeof line, status))
        if (sscanf(line, "VmPeak: %ld", &kib) == 1)
            break;
    fclose(status);
    return kib;
}

int main(int argc, char **argv) {
    unsigned char host[64] = {0};
    CUdeviceptr device;
    (void)argv;
    e2e_context();
    OK(cuMemAlloc(&device, sizeof host));
    for (int i = 0; i < 3000; i++)
        OK(cuMemcpyHtoD(device, host, sizeof host));
    if (argc > 1)
        printf("%ld\n", peak_kib());
    else
        puts("data ok");
    return 0;
}
