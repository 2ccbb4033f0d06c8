/* 131,072 distinct stacks: each has its number, and the process does not grow by more than 64 MiB for them.
 *
 * link: cuda
 * build: -O1 -fno-optimize-sibling-calls
 * env: XFERSPY_CUPTI=off XFERSPY_FINGERPRINT=off
 * only: unsanitized
 * stdout: data ok
 *
 * If the machine is too busy for so many calls, some of them may not be recorded, and they are counted.
 * > SELECT count(*) = count(DISTINCT stack), count(*) + (SELECT value FROM meta WHERE key = 'coverage.dropped'),
 * > count(*) > 60000 FROM transfer WHERE bytes > 0
 * 1|131072|1
 */
#include <cuda.h>
#include <string.h>

#include "../check.h"

enum { LEVELS = 17 };
static unsigned char host[16];
static CUdeviceptr device;

static int left(unsigned way, int levels);
static int right(unsigned way, int levels);
static inline int deeper(unsigned way, int levels) {
    if (levels)
        return way & 1 ? left(way >> 1, levels - 1) : right(way >> 1, levels - 1);
    OK(cuMemcpyHtoD(device, host, sizeof host));
    return 0;
}
static int __attribute__((noinline)) left(unsigned way, int levels) { return deeper(way, levels) + 1; }
static int __attribute__((noinline, noclone)) right(unsigned way, int levels) { return deeper(way, levels) + 1; }

static long kib_of(const char *what) {
    char line[200];
    long kib = -1;
    FILE *status = fopen("/proc/self/status", "r");
    REQUIRE(status);
    while (fgets(line, sizeof line, status))
        if (strncmp(line, what, strlen(what)) == 0)
            kib = strtol(line + strlen(what), NULL, 10);
    fclose(status);
    REQUIRE(kib > 0);
    return kib;
}

int main(void) {
    e2e_context();
    OK(cuMemAlloc(&device, sizeof host));
    OK(cuMemcpyHtoD(device, host, 0)); /* what the first copy needs is there; of 0 bytes, so that it is none */
    long before = kib_of("VmRSS:");
    for (unsigned way = 0; way < 1u << LEVELS; way++)
        REQUIRE(deeper(way, LEVELS) == LEVELS);
    REQUIRE(kib_of("VmRSS:") - before < 64 * 1024);
    OK(cuMemFree(device));
    puts("data ok");
    return 0;
}
