/* A program that looks up the functions by which it would checkpoint itself. xferspy cannot know before the call that
 * they will be used, so CUPTI is attached, and the driver refuses. The user is told which variable helps, and device
 * times are recorded as before.
 *
 * link: cuda
 * env: XFERSPY_BUDGET=off
 * stdout: asked
 * notices: any
 *
 * needs: cupti
 * > SELECT (SELECT count(*) FROM note WHERE topic = 'cupti' AND text LIKE
 * > 'cuCheckpointProcessGetState failed: % run with XFERSPY_CUPTI=off'),
 * > (SELECT count(*) FROM transfers WHERE bytes = 2000 AND device_ns > 0)
 * 1|1
 *
 * needs: cupti
 * $ grep -c '^xferspy: cuCheckpointProcessGetState failed: .*run with XFERSPY_CUPTI=off$' $stderr
 * 1
 */
#include <cuda.h>
#include <dlfcn.h>
#include <string.h>

#include "../check.h"

int main(void) {
    CUdeviceptr memory;
    CUprocessState state;
    unsigned char host[2000];
    __typeof__(&cuCheckpointProcessGetState) get_state;
    void *found = dlsym(RTLD_DEFAULT, "cuCheckpointProcessGetState");
    e2e_context();
    OK(cuMemAlloc(&memory, sizeof host));
    if (!found)
        return E2E_SKIP;
    memcpy(&get_state, &found, sizeof found);
    CUresult result = get_state(getpid(), &state);
    REQUIRE(result == CUDA_SUCCESS || result == CUDA_ERROR_NOT_SUPPORTED);
    puts("asked");
    e2e_fill(host, sizeof host, 1);
    OK(cuMemcpyHtoD(memory, host, sizeof host));
    OK(cuMemFree(memory));
    return 0;
}
