/* Gathered uploads of two contexts, the first of which is made by the call that starts the repairs. Each upload goes to
 * the device in its own context. One without a context fails, and so does one to memory that went with its context.
 *
 * link: cuda
 * env: XFERSPY_ENABLE=off XFERSPY_REPAIR=gather XFERSPY_REPAIR_LOG=$dir/repair.json
 * traces: 0
 * notices: 1
 * stdout: data ok
 *
 * The first context is the one that is gathered in:
 * $ grep -o '"name":"gather","applied":[0-9]*' $dir/repair.json
 * "name":"gather","applied":28
 *
 * $ grep -o '"[a-z ]*context[a-z ]*":[0-9]*' $dir/repair.json | sort
 * "another context is gathered in":24
 * "no context":1
 */
#include <cuda.h>

#include "../check.h"

/* Fewer uploads than single ones in a row after which gather pauses: on a slow machine each may be sent alone. */
enum { PIECE = 1000, PIECES = 4, BYTES = PIECE * PIECES, ROUNDS = 6 };

static unsigned char source[BYTES];

static void upload_and_look(CUdeviceptr to, unsigned char *back, unsigned seed) {
    e2e_fill(source, BYTES, seed);
    for (int i = 0; i < PIECES; i++)
        OK(cuMemcpyHtoDAsync(to + (size_t)i * PIECE, source + (size_t)i * PIECE, PIECE, NULL));
    OK(cuMemcpyDtoHAsync(back, to, BYTES, NULL));
    OK(cuCtxSynchronize());
    e2e_expect(back, BYTES, seed);
}

int main(void) {
    CUcontext contexts[2], popped;
    CUdeviceptr memory[2];
    unsigned char *back;

    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&contexts[0], 0));
    OK(cuCtxPushCurrent(contexts[0]));
    OK(cuMemAlloc(&memory[0], BYTES));
    OK(cuMemHostAlloc((void **)&back, BYTES, CU_MEMHOSTALLOC_PORTABLE));
    upload_and_look(memory[0], back, 1);

    OK(cuCtxPopCurrent(&popped));
    REQUIRE(cuMemcpyHtoD(memory[0], source, PIECE) == CUDA_ERROR_INVALID_CONTEXT);

    OK(cuCtxCreate(&contexts[1], NULL, 0, 0));
    OK(cuMemAlloc(&memory[1], BYTES));
    for (unsigned round = 0; round < ROUNDS; round++)
        for (unsigned i = 0; i < 2; i++) {
            OK(cuCtxSetCurrent(contexts[i]));
            upload_and_look(memory[i], back, 2 + 2 * round + i);
        }
    OK(cuMemFreeHost(back));
    OK(cuCtxDestroy(contexts[1]));
    OK(cuDevicePrimaryCtxReset(0));
    OK(cuDevicePrimaryCtxRetain(&contexts[0], 0));
    OK(cuCtxSetCurrent(contexts[0]));
    REQUIRE(cuMemcpyHtoD(memory[0], source, PIECE) != CUDA_SUCCESS);
    puts("data ok");
    return 0;
}
