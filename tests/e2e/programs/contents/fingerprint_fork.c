/* The program forks again and again while fingerprints are under way. The parent's results arrive where they belong.
 * The children touch none of them, neither when they end nor in a call that CUDA refuses.
 *
 * link: cuda
 * env: XFERSPY_FINGERPRINT=all
 * traces: 1
 * stdout: 20 children, data ok
 *
 * > SELECT direction, count(*), count(content), sum(before IS NOT NULL), group_concat(DISTINCT taken_on),
 * > count(missing)
 * > FROM fingerprints GROUP BY 1 ORDER BY 1
 * d2h|1|1|0|device|0
 * h2d|400|400|400|device|0
 *
 * Two contents in turn, each upload finding the one before:
 * > SELECT count(DISTINCT f.content), sum(f.before = g.content) FROM fingerprints f
 * > JOIN fingerprints g ON g.transfer = f.transfer - 1
 * > WHERE f.direction = 'h2d'
 * 2|399
 */
#include <cuda.h>
#include <sys/wait.h>

#include "../check.h"

enum { BYTES = 100000, CHILDREN = 20, COPIES = 20 };

int main(void) {
    unsigned char *pinned;
    CUdeviceptr memory, refused;
    CUstream stream;
    int status;

    e2e_context();
    OK(cuMemAlloc(&memory, BYTES));
    OK(cuMemAllocHost((void **)&pinned, 2 * BYTES));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    e2e_fill(pinned, BYTES, 1);
    e2e_fill(pinned + BYTES, BYTES, 2);
    for (int child = 0; child < CHILDREN; child++) {
        for (int i = 0; i < COPIES; i++)
            OK(cuMemcpyHtoDAsync(memory, pinned + i % 2 * BYTES, BYTES, stream));
        fflush(NULL);
        pid_t pid = fork();
        if (pid == 0 && child % 3 == 0)
            _exit(0);
        else if (pid == 0)
            exit(child % 3 == 1 || cuMemAlloc(&refused, 64) != CUDA_SUCCESS ? 0 : 1);
        REQUIRE(pid > 0 && waitpid(pid, &status, 0) == pid && status == 0);
    }
    OK(cuMemcpyDtoHAsync(pinned, memory, BYTES, stream));
    OK(cuStreamSynchronize(stream));
    e2e_expect(pinned, BYTES, 2);
    OK(cuStreamDestroy(stream));
    OK(cuMemFree(memory));
    printf("%d children, data ok\n", CHILDREN);
    return 0;
}
