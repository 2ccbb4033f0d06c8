/* Which threads call the driver: of xferspy's the drain thread never does, for its table of file descriptors has none
 * of the driver's. Without CUPTI it is the only thread of that name. What it does after main has returned counts, too.
 *
 * only: sim
 * link: cuda
 * env: XFERSPY_CUPTI=off XFERSPY_FINGERPRINT=all XFERSPY_SPOOL_MIB=2
 * stdout: data ok
 *
 * The drain thread had all to do that it does:
 * > SELECT (SELECT count(*) FROM context), (SELECT count(*) FROM device), (SELECT count(*) FROM transfer),
 * >   (SELECT count(*) FROM fingerprint)
 * 2|1|4002|4002
 */
#define _GNU_SOURCE
#include <cuda.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/prctl.h>

#include "../sim_tools.h"

enum { COPIES = 4000, BYTES = 4096 };

static atomic_int calls;

static void on_call(const struct xs_sim_api *call) {
    char name[16] = "";
    (void)call;
    prctl(PR_GET_NAME, name);
    calls++;
    if (strcmp(name, "xferspy") == 0)
        abort(); /* it has no standard output either */
}

int main(void) {
    unsigned char *host, *back;
    CUdeviceptr device, of_other;
    CUcontext other;
    CUstream stream;

    OK(cuInit(0));
    sim_on_calls(on_call); /* the session starts with the first context */
    e2e_context();
    OK(cuMemAllocHost((void **)&host, BYTES));
    OK(cuMemAllocHost((void **)&back, BYTES));
    OK(cuMemAlloc(&device, BYTES));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    e2e_fill(host, BYTES, 1);
    for (int i = 0; i < COPIES; i++)
        OK(cuMemcpyHtoDAsync(device, host, BYTES, stream));
    OK(cuStreamSynchronize(stream));
    OK(cuMemcpyDtoH(back, device, BYTES));
    e2e_expect(back, BYTES, 1);
    OK(cuCtxCreate(&other, NULL, 0, 0));
    OK(cuMemAlloc(&of_other, BYTES));
    OK(cuMemcpyHtoD(of_other, host, BYTES));
    OK(cuMemFree(of_other));
    OK(cuCtxDestroy(other));
    REQUIRE(calls > 2 * COPIES);
    puts("data ok");
    return 0;
}
