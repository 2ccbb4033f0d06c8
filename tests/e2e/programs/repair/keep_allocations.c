/* Device memory of three kinds and sizes, allocated and freed in every step. From the second step on, all of it is what
 * the step before had freed, and the trace still has every allocation of the program.
 *
 * link: cudart
 * env: XFERSPY_REPAIR=keep-allocations XFERSPY_REPAIR_LOG=$dir/repair.json
 * stdout: data ok
 * notices: 2
 *
 * The driver allocates small memory as always:
 * $ grep -o '"name".*' $dir/repair.json
 * "name":"keep-allocations","applied":147,"bytes":719323136,"wrong":0,"refused":{"too small to gain":50}}]}
 *
 * > SELECT bytes, count(*), sum(free_enter_ns IS NOT NULL) FROM allocation GROUP BY 1 ORDER BY 1
 * 4096|50|50
 * 2097152|50|50
 * 4194304|50|50
 * 8388608|50|50
 */
#include <cuda_runtime_api.h>

#include "../check.h"

enum { STEPS = 50, MIB = 1 << 20, WIDTH = 1000, PITCH = 1024, ROWS = 2048 };

static unsigned char host[8 * MIB], back[8 * MIB];

static void round_trip(void *device, size_t bytes, unsigned seed) {
    e2e_fill(host, 4096, seed);
    e2e_fill(host + bytes - 4096, 4096, seed + 1);
    OK(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(back, device, bytes, cudaMemcpyDeviceToHost));
    e2e_expect(back, 4096, seed);
    e2e_expect(back + bytes - 4096, 4096, seed + 1);
}

int main(void) {
    for (unsigned step = 0; step < STEPS; step++) {
        void *four, *eight, *rows, *small;
        size_t pitch;
        OK(cudaMalloc(&four, 4 * MIB));
        OK(cudaMalloc(&eight, 8 * MIB));
        OK(cudaMalloc(&small, 4096));
        OK(cudaMallocPitch(&rows, &pitch, WIDTH, ROWS));
        REQUIRE(pitch == PITCH);
        round_trip(four, 4 * MIB, step);
        round_trip(eight, 8 * MIB, step + 1000);
        round_trip(rows, pitch * ROWS, step + 2000);
        OK(cudaFree(step % 2 ? four : eight));
        OK(cudaFree(rows));
        OK(cudaFree(small));
        OK(cudaFree(step % 2 ? eight : four));
    }
    puts("data ok");
    return 0;
}
