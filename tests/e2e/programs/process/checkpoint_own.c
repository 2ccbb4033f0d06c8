/* A program that checkpoints itself, as cuda-checkpoint does for others, while another thread copies. The driver refuses
 * that in a process in which CUPTI has ever been attached. So xferspy does not use CUPTI in a program that is linked to
 * these functions, and says so. It records everything else.
 *
 * link: cuda
 * env: XFERSPY_BUDGET=off
 * stdout: checkpointed and restored
 * stdout: data ok
 *
 * needs: cupti
 * > SELECT (SELECT value FROM meta WHERE key = 'cupti.status'), (SELECT value FROM meta WHERE key = 'cupti.text')
 * > LIKE 'the program is linked to cuCheckpointProcess%'
 * off|1
 *
 * > SELECT (SELECT count(*) FROM transfers WHERE bytes = 3000), (SELECT count(*) FROM transfers WHERE bytes = 2000)
 * 1|2
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
