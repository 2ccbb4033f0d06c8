/* XFERSPY_OUTSIDE=allocations and contents: what an upload overwrites is measured on the device, so a no-op is found
 * across the edge of a range, too. A kernel, a copy and a memset that are left out change the memory all the same, and
 * what was there before them is not taken for what is there. What rests on the order of calls is found within a range
 * alone: what nothing read before it was overwritten, a download of what was uploaded, a second download.
 *
 * link: cuda
 * env: XFERSPY_WINDOW=profiler XFERSPY_OUTSIDE=allocations XFERSPY_FINGERPRINT=all XFERSPY_CUPTI=off
 * stdout: data ok
 *
 * The upload of the first range, again in it, and once more in the second; none of the three behind a change.
 * > SELECT count(*), sum(before_low = content_low AND before_high = content_high) FROM fingerprint f
 * > JOIN transfer t ON t.fingerprint = f.id WHERE t.direction = 1 AND t.dst_address = (SELECT address FROM allocation
 * > WHERE bytes = 100000 AND kind = 4 ORDER BY id LIMIT 1)
 * 6|2
 *
 * > SELECT value FROM meta WHERE key = 'range.left_out_transfers'
 * 1
 *
 * !
 * bounce|1|1|100000
 * noop-upload|2|2|200000
 * repeat-download|1|1|100000
 * unused-upload/certain|1|1|100000
 */
#include <string.h>

#include "asked.h"

/* Of cudaProfiler.h, which is a package of its own. */
CUresult cuProfilerStart(void);
CUresult cuProfilerStop(void);

enum { BYTES = 100000 };

static unsigned char *data, *other, *back;
static CUdeviceptr memory, elsewhere;

static void upload(void) {
    OK(cuProfilerStart());
    OK(cuMemcpyHtoD(memory, data, BYTES));
    OK(cuProfilerStop());
}

static void add_one(void) {
    size_t bytes = BYTES;
    void *params[] = {&memory, &bytes};
    OK(cuLaunchKernel(asked_add_one, (BYTES + 63) / 64, 1, 1, 64, 1, 1, 0, NULL, params, NULL));
    OK(cuCtxSynchronize());
}

int main(void) {
    asked_begin();
    OK(cuMemAllocHost((void **)&data, BYTES));
    OK(cuMemAllocHost((void **)&other, BYTES));
    OK(cuMemAllocHost((void **)&back, BYTES));
    for (unsigned i = 0; i < BYTES; i++) {
        data[i] = (unsigned char)(i * i / 251 + i);
        other[i] = (unsigned char)(i * i / 241 + 3 * i);
    }
    OK(cuMemAlloc(&memory, BYTES));
    OK(cuMemAlloc(&elsewhere, BYTES));
    OK(cuProfilerStart());
    OK(cuMemcpyHtoD(memory, data, BYTES));
    OK(cuMemcpyHtoD(memory, data, BYTES));
    OK(cuProfilerStop());
    upload();
    add_one();
    upload();
    OK(cuMemcpyHtoD(memory, other, BYTES));
    upload();
    OK(cuMemsetD8(memory, 5, BYTES));
    upload();
    OK(cuProfilerStart()); /* uploaded before, to another place */
    OK(cuMemcpyHtoD(elsewhere, data, BYTES));
    OK(cuMemcpyDtoH(back, elsewhere, BYTES));
    OK(cuProfilerStop());
    REQUIRE(memcmp(back, data, BYTES) == 0);
    OK(cuProfilerStart()); /* downloaded before */
    OK(cuMemcpyDtoH(back, elsewhere, BYTES));
    OK(cuMemcpyDtoH(back, elsewhere, BYTES));
    OK(cuProfilerStop());
    OK(cuMemFree(elsewhere));
    OK(cuMemFree(memory));
    OK(cuMemFreeHost(data));
    OK(cuMemFreeHost(other));
    OK(cuMemFreeHost(back));
    return asked_end();
}
