/* C++ objects with static storage that copy out and free their device memory in destructors, after main and perhaps
 * after the profiler's last word: the program must end as it does without.
 *
 * stdout: main ends
 * stdout: destructor of first
 * stdout: destructor of second
 *
 * > SELECT direction, bytes, result FROM transfers WHERE direction = 'h2d' ORDER BY id
 * h2d|4096|0
 * h2d|4096|0
 *
 * > SELECT entry_point, count(*), sum(bytes) FROM allocations GROUP BY 1
 * cuMemAlloc_v2|2|8192
 */
#include <cuda_runtime.h>

#include "../check.h"

struct buffer {
    const char *name;
    void *device = nullptr;
    explicit buffer(const char *n) : name(n) {}
    void upload() {
        unsigned char host[4096];
        e2e_fill(host, sizeof host, 1);
        OK(cudaMalloc(&device, sizeof host));
        OK(cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice));
    }
    ~buffer() {
        unsigned char back[4096];
        if (cudaMemcpy(back, device, sizeof back, cudaMemcpyDeviceToHost) == cudaSuccess)
            e2e_expect(back, sizeof back, 1);
        cudaFree(device);
        printf("destructor of %s\n", name);
    }
};

static buffer second("second"), first("first");

int main() {
    second.upload();
    first.upload();
    OK(cudaDeviceSynchronize());
    puts("main ends");
    return 0;
}
