/* Device memory handed to another process: the importer's trace knows it as such.
 *
 * only: gpu
 * link: cuda
 * traces: 2
 * stdout: data ok
 *
 * $ for t in $traces; do q "$t" "SELECT entry_point, bytes, kind, origin, free_entry_point FROM allocations"; done | sort
 * cuIpcOpenMemHandle_v2|65536|device|ipc|cuIpcCloseMemHandle
 * cuMemAlloc_v2|65536|device|alloc|cuMemFree_v2
 *
 * $ for t in $traces; do q "$t" "SELECT direction, bytes, src_allocation IS NOT NULL FROM transfers"; done | sort
 * d2h|65536|1
 * h2d|65536|0
 */
#include <cuda.h>
#include <sys/wait.h>

#include "../check.h"

enum { BYTES = 65536 };

static int import(int from, int to) {
    unsigned char *host = calloc(1, BYTES);
    CUipcMemHandle handle;
    CUdeviceptr device;

    REQUIRE(read(from, &handle, sizeof handle) == sizeof handle);
    e2e_context();
    OK(cuIpcOpenMemHandle(&device, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
    OK(cuMemcpyDtoH(host, device, BYTES));
    e2e_expect(host, BYTES, 1);
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
