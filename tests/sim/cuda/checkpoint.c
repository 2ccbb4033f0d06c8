/* Checkpoints of the calling process: its states, and that every other call stands still from the lock on until it is
 * unlocked. Memory stays where it is. Once CUPTI has been attached all of these calls fail, as with driver 580, even if
 * it was finalized. */
#include "sim.h"

#include <string.h>
#include <unistd.h>

#include "xs_sim_tools.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t unlocked = PTHREAD_COND_INITIALIZER;
static _Atomic int state; /* a CUprocessState */
static atomic_bool refuses;

void xs_checkpoint_refuse(void) { atomic_store(&refuses, true); }

static bool stands_still(void) { return atomic_load(&state) != CU_PROCESS_STATE_RUNNING; }

void xs_checkpoint_wait(const char *name) {
    if (!stands_still() || strncmp(name, "cuCheckpoint", strlen("cuCheckpoint")) == 0)
        return;
    pthread_mutex_lock(&lock);
    while (stands_still() && !xs_exiting())
        pthread_cond_wait(&unlocked, &lock);
    pthread_mutex_unlock(&lock);
}

static CUresult refusal(int pid) {
    if (pid != getpid())
        return CUDA_ERROR_INVALID_VALUE;
    return atomic_load(&refuses) ? CUDA_ERROR_NOT_SUPPORTED : CUDA_SUCCESS;
}

static CUresult change(int pid, int from, int to) {
    CUresult refused = refusal(pid);
    if (refused != CUDA_SUCCESS)
        return refused;
    pthread_mutex_lock(&lock);
    bool fits = atomic_load(&state) == from;
    if (fits)
        atomic_store(&state, to);
    pthread_cond_broadcast(&unlocked);
    pthread_mutex_unlock(&lock);
    return fits ? CUDA_SUCCESS : CUDA_ERROR_ILLEGAL_STATE;
}

CUresult xs_cuCheckpointProcessGetState(int pid, CUprocessState *result) {
    if (result == NULL || refusal(pid) != CUDA_SUCCESS)
        return result == NULL ? CUDA_ERROR_INVALID_VALUE : refusal(pid);
    *result = (CUprocessState)atomic_load(&state);
    return CUDA_SUCCESS;
}

CUresult xs_cuCheckpointProcessGetRestoreThreadId(int pid, int *tid) {
    if (tid == NULL || refusal(pid) != CUDA_SUCCESS)
        return tid == NULL ? CUDA_ERROR_INVALID_VALUE : refusal(pid);
    *tid = pid;
    return CUDA_SUCCESS;
}

CUresult xs_cuCheckpointProcessLock(int pid, CUcheckpointLockArgs *args) {
    (void)args;
    CUresult result = change(pid, CU_PROCESS_STATE_RUNNING, CU_PROCESS_STATE_LOCKED);
    if (result == CUDA_SUCCESS)
        xs_quiesce(UINT64_C(10000000000));
    return result;
}

CUresult xs_cuCheckpointProcessCheckpoint(int pid, CUcheckpointCheckpointArgs *args) {
    (void)args;
    return change(pid, CU_PROCESS_STATE_LOCKED, CU_PROCESS_STATE_CHECKPOINTED);
}

CUresult xs_cuCheckpointProcessRestore(int pid, CUcheckpointRestoreArgs *args) {
    (void)args;
    return change(pid, CU_PROCESS_STATE_CHECKPOINTED, CU_PROCESS_STATE_LOCKED);
}

CUresult xs_cuCheckpointProcessUnlock(int pid, CUcheckpointUnlockArgs *args) {
    (void)args;
    return change(pid, CU_PROCESS_STATE_LOCKED, CU_PROCESS_STATE_RUNNING);
}
