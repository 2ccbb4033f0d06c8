/* Page-locked memory with every kind of flags, allocated and freed in every step. What was freed serves only an
 * allocation with the same flags by the same function, and has these flags.
 *
 * link: cuda
 * env: XFERSPY_REPAIR=keep-pinned XFERSPY_REPAIR_LOG=$dir/repair.json
 * stdout: data ok
 * notices: 2
 *
 * $ grep -o '"name".*' $dir/repair.json
 * "name":"keep-pinned","applied":45,"bytes":47185920,"wrong":0,"refused":{"too small to gain":10}}]}
 *
 * > SELECT kind, bytes, count(*), sum(free_enter_ns IS NOT NULL) FROM allocations WHERE kind = 'pinned'
 * > GROUP BY 1, 2
 * pinned|100|10|10
 * pinned|1048576|50|50
 */
#include <cuda.h>

#include "../check.h"

enum { STEPS = 10, MIB = 1 << 20, KINDS = 5 };

int main(void) {
    static const unsigned flags[KINDS] = {0, CU_MEMHOSTALLOC_PORTABLE, CU_MEMHOSTALLOC_DEVICEMAP,
                                          CU_MEMHOSTALLOC_WRITECOMBINED, 0};
    static unsigned char back[MIB];
    unsigned first[KINDS] = {0}, now;
    void *memory[KINDS], *small;
    CUdeviceptr device;
    e2e_context();
    OK(cuMemAlloc(&device, MIB));
    for (unsigned step = 0; step < STEPS; step++) {
        for (unsigned i = 0; i < KINDS - 1; i++)
            OK(cuMemHostAlloc(&memory[i], MIB, flags[i]));
        OK(cuMemAllocHost(&memory[KINDS - 1], MIB));
        OK(cuMemAllocHost(&small, 100));
        for (unsigned i = 0; i < KINDS; i++) {
            e2e_fill(memory[i], MIB, step * KINDS + i);
            OK(cuMemHostGetFlags(&now, memory[i]));
            first[i] = step == 0 ? now : first[i];
            REQUIRE(now == first[i]);
        }
        for (unsigned i = 0; i < KINDS; i++) {
            OK(cuMemcpyHtoDAsync(device, memory[i], MIB, NULL));
            OK(cuMemcpyDtoH(back, device, MIB));
            e2e_expect(back, MIB, step * KINDS + i);
        }
        for (unsigned i = 0; i < KINDS; i++)
            OK(cuMemFreeHost(memory[(i + step) % KINDS]));
        OK(cuMemFreeHost(small));
    }
    OK(cuMemFree(device));
    puts("data ok");
    return 0;
}
