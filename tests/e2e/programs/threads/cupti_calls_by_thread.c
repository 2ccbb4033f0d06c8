/* Which threads make CUPTI call the driver: of xferspy's the flusher, and the drain thread never. That one has a table
 * of file descriptors of its own, in which what the program opened is not open: the library in CUPTI's place ends the
 * program at such a call.
 *
 * The thread sanitizer is not told of a table of a thread's own.
 *
 * only: sim no-tsan
 * link: cuda
 * env: XFERSPY_CUPTI_LIBRARY=$lib/libwatched_cupti.so
 * stdout: data ok
 *
 * needs: cupti
 * > SELECT (SELECT count(*) FROM device_copy), (SELECT value FROM meta
 * > WHERE key = 'cupti.path') LIKE '%/libwatched_cupti.so'
 * 2001|1
 */
#include <cuda.h>

#include "../check.h"

enum { COPIES = 2000, BYTES = 4096, KEPT_OPEN = 100 };

int main(void) {
    unsigned char host[BYTES], back[BYTES] = {0};
    CUdeviceptr device;

    REQUIRE(dup2(STDIN_FILENO, KEPT_OPEN) == KEPT_OPEN);
    e2e_context();
    OK(cuMemAlloc(&device, BYTES));
    e2e_fill(host, BYTES, 1);
    for (int i = 0; i < COPIES; i++)
        OK(cuMemcpyHtoD(device, host, BYTES));
    OK(cuCtxSynchronize());
    OK(cuMemcpyDtoH(back, device, BYTES));
    e2e_expect(back, BYTES, 1);
    OK(cuMemFree(device));
    puts("data ok");
    return 0;
}
