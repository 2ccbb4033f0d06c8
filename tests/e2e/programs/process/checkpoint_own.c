/* A program that checkpoints itself, as cuda-checkpoint does for others, while another thread copies. While CUPTI is
 * attached every such call fails, the question about the state included. So xferspy detaches CUPTI before the first one,
 * says so, and goes on recording without device times. A call for another process changes nothing.
 *
 * link: cuda
 * env: XFERSPY_BUDGET=off
 * stdout: checkpointed and restored
 * stdout: data ok
 *
 * needs: cupti
 * > SELECT (SELECT value FROM meta WHERE key = 'cupti.status'), (SELECT value FROM meta WHERE key = 'cupti.text')
 * stepped aside|for cuCheckpointProcessGetState
 *
 * The copies of before have device times, and none of after. The one of before is the only one with 3000 bytes:
 * needs: cupti
 * > SELECT (SELECT count(*) FROM transfers WHERE bytes = 3000 AND device_ns > 0),
 * > (SELECT count(*) FROM transfers WHERE bytes = 2000), (SELECT count(device_ns) FROM transfers WHERE bytes = 2000)
 * 1|2|0
 *
 * needs: cupti
 * > SELECT count(*) FROM note WHERE text LIKE '%could not be detached%'
 * 0
 */
#include <cuda.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "../check.h"

static CUcontext context;
static atomic_bool ends;
static atomic_uint copied;

static void *copy(void *argument) {
    CUdeviceptr memory;
    unsigned char host[64] = {0};
    OK(cuCtxSetCurrent(context));
    OK(cuMemAlloc(&memory, sizeof host));
    while (!ends) {
        OK(cuMemcpyHtoD(memory, host, sizeof host));
        copied++;
    }
    OK(cuMemFree(memory));
    return argument;
}

static void await_copies(void) {
    for (unsigned before = copied; copied < before + 20;) {
    }
}

int main(void) {
    pthread_t thread;
    CUdeviceptr memory;
    CUprocessState state;
    unsigned char host[3000];
    const pid_t self = getpid();
    context = e2e_context();
    OK(cuMemAlloc(&memory, sizeof host));
    e2e_fill(host, sizeof host, 1);
    OK(pthread_create(&thread, NULL, copy, NULL));
    await_copies();
    REQUIRE(cuCheckpointProcessLock(getppid(), NULL) != CUDA_SUCCESS); /* it uses no CUDA */
    OK(cuMemcpyHtoD(memory, host, 3000));
    OK(cuCtxSynchronize());
    OK(cuCheckpointProcessGetState(self, &state));
    REQUIRE(state == CU_PROCESS_STATE_RUNNING);

    CUresult result = cuCheckpointProcessLock(self, NULL);
    if (result == CUDA_ERROR_NOT_SUPPORTED)
        return E2E_SKIP;
    OK(result);
    OK(cuCheckpointProcessCheckpoint(self, NULL));
    OK(cuCheckpointProcessGetState(self, &state));
    REQUIRE(state == CU_PROCESS_STATE_CHECKPOINTED);
    OK(cuCheckpointProcessRestore(self, NULL));
    OK(cuCheckpointProcessUnlock(self, NULL));
    puts("checkpointed and restored");

    await_copies();
    OK(cuMemcpyDtoH(host, memory, 2000));
    OK(cuMemcpyHtoD(memory, host, 2000));
    e2e_expect(host, 2000, 1);
    ends = true;
    OK(pthread_join(thread, NULL));
    puts("data ok");
    return 0;
}
