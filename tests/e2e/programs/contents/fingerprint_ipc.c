/* Device memory of another process: only the host looks at what is copied out of it.
 *
 * only: gpu
 * link: cuda
 * env: XFERSPY_FINGERPRINT=all
 * traces: 2
 * stdout: data ok
 *
 * $ for t in $traces; do q "$t" "SELECT direction, bytes, taken_on, missing FROM fingerprints"; done | sort
 * d2h|20000|host|
 * d2h|30000||another context than the current one
 * h2d|65536|device|
 *
 * The other process saw the same bytes:
 * $ for t in $traces; do q "$t" "SELECT bytes, content FROM fingerprints WHERE bytes = 20000"; done | sort | uniq | wc -l
 * 1
 */
#include <cuda.h>
#include <sys/wait.h>

#include "../check.h"

enum { BYTES = 65536 };

static int import(int from, int to) {
    unsigned char *host = calloc(1, BYTES), *pinned;
    CUipcMemHandle handle;
    CUdeviceptr device;
    CUstream stream;

    REQUIRE(read(from, &handle, sizeof handle) == sizeof handle);
    e2e_context();
    OK(cuIpcOpenMemHandle(&device, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuMemAllocHost((void **)&pinned, BYTES));
    OK(cuMemcpyDtoH(host, device, 20000));
    e2e_expect(host, 20000, 1);
    OK(cuMemcpyDtoHAsync(pinned, device, 30000, stream));
    OK(cuStreamSynchronize(stream));
    e2e_expect(pinned, 30000, 1);
    OK(cuIpcCloseMemHandle(device));
    REQUIRE(write(to, "k", 1) == 1);
    return 0;
}

int main(void) {
    unsigned char *host = malloc(BYTES);
    CUipcMemHandle handle;
    CUdeviceptr device;
    int down[2], up[2], status;
    char done = 0;

    REQUIRE(pipe(down) == 0 && pipe(up) == 0);
    pid_t child = fork();
    if (child == 0) {
        close(down[1]);
        close(up[0]);
        return import(down[0], up[1]);
    }
    close(down[0]);
    close(up[1]);
    e2e_context();
    e2e_fill(host, BYTES, 1);
    OK(cuMemAlloc(&device, BYTES));
    OK(cuMemcpyHtoD(device, host, BYTES));
    CUresult result = cuIpcGetMemHandle(&handle, device);
    if (result == CUDA_ERROR_NOT_SUPPORTED) {
        close(down[1]);
        waitpid(child, &status, 0);
        return E2E_SKIP;
    }
    OK(result);
    REQUIRE(write(down[1], &handle, sizeof handle) == sizeof handle);
    close(down[1]);
    REQUIRE(read(up[0], &done, 1) == 1 && done == 'k');
    REQUIRE(waitpid(child, &status, 0) == child && status == 0);
    OK(cuMemFree(device));
    puts("data ok");
    return 0;
}
