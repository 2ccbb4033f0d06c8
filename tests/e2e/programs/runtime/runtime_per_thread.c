/* The runtime compiled for the per-thread default stream: the driver's suffixed symbols, a default stream a thread.
 *
 * build: -DCUDA_API_PER_THREAD_DEFAULT_STREAM
 * link: cudart
 * stdout: data ok
 *
 * > SELECT direction, is_async, count(*), sum(bytes), sum(entry_point LIKE '%~_ptds' ESCAPE '~'),
 * > sum(entry_point LIKE '%~_ptsz' ESCAPE '~') FROM transfers GROUP BY 1, 2 ORDER BY 1, 2
 * d2h|1|3|6144|0|3
 * h2d|0|3|3072|3|0
 * h2d|1|3|6144|0|3
 *
 * > SELECT s.handle, count(DISTINCT t.stream), count(DISTINCT t.thread), count(*) FROM transfer t
 * > JOIN stream s ON s.id = t.stream
 * > GROUP BY 1
 * 2|3|3|9
 */
#include <cuda_runtime_api.h>
#include <pthread.h>

#include "../check.h"

static void *work(void *seed) {
    unsigned n = (unsigned)(unsigned long)seed;
    unsigned char *pinned;
    void *device;
    OK(cudaMalloc(&device, 2048));
    OK(cudaMallocHost((void **)&pinned, 4096));
    e2e_fill(pinned, 2048, n);
    OK(cudaMemcpy(device, pinned, 1024, cudaMemcpyHostToDevice));
    OK(cudaMemcpyAsync(device, pinned, 2048, cudaMemcpyHostToDevice, 0));
    OK(cudaMemcpyAsync(pinned + 2048, device, 2048, cudaMemcpyDeviceToHost, 0));
    OK(cudaStreamSynchronize(0));
    e2e_expect(pinned + 2048, 2048, n);
    OK(cudaFreeHost(pinned));
    OK(cudaFree(device));
    return NULL;
}

int main(void) {
    pthread_t thread[3];
    for (unsigned long i = 0; i < 3; i++)
        OK(pthread_create(&thread[i], NULL, work, (void *)i));
    for (int i = 0; i < 3; i++)
        OK(pthread_join(thread[i], NULL));
    puts("data ok");
    return 0;
}
