/* Stream memory operations: values written and awaited on the device, single and in a batch.
 *
 * link: cuda
 * stdout: 7 9 11 13
 *
 * > SELECT e.name, count(*), sum(a.result = 0) FROM api_call a JOIN entry_point e ON e.id = a.entry_point
 * > JOIN category c ON c.id = e.category WHERE c.name = 'stream memory operation' GROUP BY 1 ORDER BY 1
 * cuStreamBatchMemOp_v2|1|1
 * cuStreamWaitValue32_v2|1|1
 * cuStreamWaitValue64_v2|1|1
 * cuStreamWriteValue32_v2|1|1
 * cuStreamWriteValue64_v2|1|1
 *
 * > SELECT direction, bytes FROM transfers
 * d2h|32
 */
#include <cuda.h>
#include <string.h>

#include "../check.h"

int main(void) {
    unsigned long long value[4];
    CUdeviceptr device;
    CUstreamBatchMemOpParams ops[2];
    CUstream stream;

    e2e_context();
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuMemAlloc(&device, 4096));
    OK(cuMemsetD8(device, 0, 4096));
    OK(cuCtxSynchronize());
    OK(cuStreamWriteValue32(stream, device, 7, 0));
    OK(cuStreamWaitValue32(stream, device, 7, CU_STREAM_WAIT_VALUE_EQ));
    OK(cuStreamWriteValue64(stream, device + 8, 9, 0));
    OK(cuStreamWaitValue64(stream, device + 8, 9, CU_STREAM_WAIT_VALUE_EQ));
    memset(ops, 0, sizeof ops);
    for (unsigned i = 0; i < 2; i++) {
        ops[i].operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
        ops[i].writeValue.address = device + 16 + 8 * i;
        ops[i].writeValue.value = 11 + 2 * i;
    }
    OK(cuStreamBatchMemOp(stream, 2, ops, 0));
    OK(cuStreamSynchronize(stream));
    OK(cuMemcpyDtoH(value, device, sizeof value));
    printf("%llu %llu %llu %llu\n", value[0], value[1], value[2], value[3]);
    OK(cuStreamDestroy(stream));
    OK(cuMemFree(device));
    return 0;
}
