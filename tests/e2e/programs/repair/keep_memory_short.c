/* The device has 256 MiB, of which 200 MiB were freed and are kept. The program is told that they are free, and gets
 * them for an allocation of another size, and for an allocation that is allowed beside a capture, although a free is
 * not.
 *
 * link: cuda
 * only: sim
 * env: XFERSPY_REPAIR=keep-allocations XFERSPY_REPAIR_LOG=$dir/repair.json XFERSPY_SIM_MEMORY_BYTES=268435456
 * stdout: free within 2 MiB of 256: 1
 * stdout: 150 MiB: 0
 * stdout: free within 2 MiB of 106: 1
 * stdout: 200 MiB of physical memory beside a capture: 0
 * stdout: 300 MiB: 2
 * stdout: free within 2 MiB of 256: 1
 * notices: 2
 *
 * $ grep -o '"name":[^}]*}' $dir/repair.json
 * "name":"keep-allocations","applied":10,"bytes":209715200,"wrong":0,"refused":{}
 */
#include <cuda.h>

#include "../check.h"

enum { BLOCKS = 10 };
static const size_t MIB = 1 << 20;

static void print_free(size_t expected_mib) {
    size_t free_bytes, total;
    OK(cuMemGetInfo(&free_bytes, &total));
    REQUIRE(free_bytes <= total);
    printf("free within 2 MiB of %zu: %d\n", expected_mib,
           free_bytes <= expected_mib * MIB && free_bytes >= (expected_mib - 2) * MIB);
}

static void use_all(void) {
    CUdeviceptr blocks[BLOCKS];
    for (int i = 0; i < BLOCKS; i++)
        OK(cuMemAlloc(&blocks[i], 20 * MIB));
    for (int i = 0; i < BLOCKS; i++)
        OK(cuMemFree(blocks[i]));
}

int main(void) {
    CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0}};
    CUmemGenericAllocationHandle handle;
    CUdeviceptr large;
    CUstream stream;
    CUgraph graph;
    e2e_context();
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    use_all();
    use_all();
    print_free(256);
    printf("150 MiB: %d\n", cuMemAlloc(&large, 150 * MIB));
    print_free(106);
    OK(cuMemFree(large));
    OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    printf("200 MiB of physical memory beside a capture: %d\n", cuMemCreate(&handle, 200 * MIB, &prop, 0));
    OK(cuStreamEndCapture(stream, &graph));
    OK(cuGraphDestroy(graph));
    OK(cuMemRelease(handle));
    printf("300 MiB: %d\n", cuMemAlloc(&large, 300 * MIB));
    print_free(256);
    return 0;
}
