/* The saved frame pointers of frames are overwritten while the frames call: with garbage, with an address of unmapped
 * memory, with an address in the same frame. Nothing crashes with any way of taking stacks, and the first frame is
 * right.
 *
 * link: cuda
 * build: -g -O1 -fno-omit-frame-pointer
 * run: for how in fp dwarf auto; do XFERSPY_STACK=$how $program; done
 * traces: 3
 * stdout: data ok
 * stdout: data ok
 * stdout: data ok
 *
 * $ for t in $traces; do q "$t" "SELECT count(*), min(native_frames) > 0 FROM transfer t JOIN stack s ON s.id = t.stack"; done
 * 4|1
 * 4|1
 * 4|1
 */
#include <cuda.h>
#include <stdint.h>

#include "../check.h"

static unsigned char host[4096];
static CUdeviceptr device;

/* The chain is put back before anybody returns by it. */
static void __attribute__((noinline)) with_saved(uintptr_t wrong) {
    volatile uintptr_t *saved = __builtin_frame_address(0);
    uintptr_t right = *saved;
    *saved = wrong == 1 ? (uintptr_t)saved : wrong;
    CUresult result = cuMemcpyHtoD(device, host, sizeof host);
    *saved = right;
    OK(result);
}

int main(void) {
    e2e_context();
    OK(cuMemAlloc(&device, sizeof host));
    with_saved(0x4141414141414141);
    with_saved(0x1000);
    with_saved(1);
    with_saved((uintptr_t)&device);
    OK(cuMemFree(device));
    puts("data ok");
    return 0;
}
