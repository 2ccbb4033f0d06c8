/* A device of 256 MiB, of which 200 MiB were freed and are kept. The program hears that they are free, and gets them
 * for an allocation of another size and for one that is no cuMemAlloc.
 *
 * link: cuda
 * only: sim
 * env: XFERSPY_REPAIR=keep-allocations XFERSPY_REPAIR_LOG=$dir/repair.json XFERSPY_SIM_MEMORY_BYTES=268435456
 * stdout: free within 2 MiB of 256: 1
 * stdout: 150 MiB: 0
 * stdout: free within 2 MiB of 106: 1
 * stdout: 200 MiB of physical memory: 0
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
    for (int i = 0; i < BLOCKS; i++) {
        OK(cuMemAlloc(&blocks[i], 20 * MIB));
    }
    for (int i = 0; i < BLOCKS; i++) {
        OK(cuMemFree(blocks[i]));
    }
}

int main(void) {
    CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0}};
    CUmemGenericAllocationHandle handle;
    CUdeviceptr large;
    e2e_context();
    use_all();
    use_all();
    print_free(256);
    printf("150 MiB: %d\n", cuMemAlloc(&large, 150 * MIB));
    print_free(106);
    OK(cuMemFree(large));
    printf("200 MiB of physical memory: %d\n", cuMemCreate(&handle, 200 * MIB, &prop, 0));
    OK(cuMemRelease(handle));
    printf("300 MiB: %d\n", cuMemAlloc(&large, 300 * MIB));
    print_free(256);
    return 0;
}
