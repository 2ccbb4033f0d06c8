/* In a trace that reaches its largest size, the rows and the sums together have everything that the program did. How
 * large the file becomes is tested where no busy machine lets records wait (unit.schema.store_thin).
 *
 * link: cuda
 * env: XFERSPY_MAX_SIZE=4 XFERSPY_FINGERPRINT=off XFERSPY_BUDGET=off
 * stdout: data ok
 *
 * > SELECT (SELECT count(*) FROM transfer) < 120001,
 * >   (SELECT count(*) FROM transfer) + (SELECT sum(rows) FROM thinned WHERE source = 'transfer'),
 * >   (SELECT sum(bytes) FROM transfer) + (SELECT sum(bytes) FROM thinned WHERE source = 'transfer'),
 * >   (SELECT count(*) FROM launch) + (SELECT sum(rows) FROM thinned WHERE source = 'launch'),
 * >   (SELECT count(*) FROM sync) + (SELECT sum(rows) FROM thinned WHERE source = 'sync')
 * 1|120001|120064096|60000|1876
 *
 * needs: cupti
 * > SELECT (SELECT count(*) FROM device_copy) + (SELECT sum(rows) FROM thinned WHERE source = 'device_copy'),
 * >   (SELECT sum(bytes) FROM device_copy) + (SELECT sum(bytes) FROM thinned WHERE source = 'device_copy'),
 * >   (SELECT count(*) FROM device_kernel) + (SELECT sum(rows) FROM thinned WHERE source = 'device_kernel')
 * 120001|120064096|60000
 *
 * > SELECT count(*) FROM allocation
 * 2
 *
 * The report says so, and its totals are those of all calls.
 * needs: cupti
 * $ "$xferspy" report $traces | grep -c '^  The trace reached its largest size (XFERSPY_MAX_SIZE): from '
 * $ "$xferspy" report --format=json $traces | python3 -c "import json, sys
 * $ t = json.load(sys.stdin)['traces'][0]
 * $ print(*(t['transfers']['total'][k] for k in ('count', 'bytes', 'timed_count', 'timed_bytes')))
 * $ print(sum(l['count'] for l in t['launches']), sum(s['count'] for s in t['syncs']), t['coverage']['matched'])"
 * 1
 * 120001 120064096 120001 120064096
 * 60000 1876 120001
 *
 * A burst can make the file longer than the limit; at the end, it is short enough again.
 * $ test "$(stat -c %s $traces)" -le 4194304 && echo "not larger"
 * not larger
 */
#include <cuda.h>

#include "../arguments/add_one_ptx.h"
#include "../check.h"

enum { COPIES = 120000, BYTES = 4096, PER_WAIT = 64 };

int main(void) {
    unsigned char *pinned;
    CUdeviceptr device;
    CUmodule module;
    CUfunction add_one;
    size_t count = 16;
    e2e_context();
    OK(cuModuleLoadData(&module, add_one_ptx));
    OK(cuModuleGetFunction(&add_one, module, "xs_add_one_u8"));
    OK(cuMemAlloc(&device, BYTES));
    OK(cuMemAllocHost((void **)&pinned, BYTES));
    void *arguments[] = {&device, &count};
    e2e_fill(pinned, BYTES, 1);
    for (unsigned i = 0; i < COPIES; i++) {
        OK(cuMemcpyHtoDAsync(device + i % 5 * 16, pinned, 1 + i % 2000, NULL));
        if (i % 2 == 0)
            OK(cuLaunchKernel(add_one, 1, 1, 1, 16, 1, 1, 0, NULL, arguments, NULL));
        if (i % PER_WAIT == 0)
            OK(cuStreamSynchronize(NULL));
    }
    OK(cuStreamSynchronize(NULL));
    OK(cuMemcpyHtoD(device, pinned, BYTES));
    puts("data ok");
    return 0;
}
