/* Compiled for the per-thread default stream: the suffixed symbols of the driver, and one default stream a thread.
 *
 * build: -DCUDA_API_PER_THREAD_DEFAULT_STREAM
 * link: cuda
 * stdout: data ok
 *
 * > SELECT entry_point, direction, is_async, count(*), sum(bytes) FROM transfers GROUP BY 1, 2, 3 ORDER BY 1
 * cuMemcpyDtoHAsync_v2_ptsz|d2h|1|2|4096
 * cuMemcpyHtoDAsync_v2_ptsz|h2d|1|2|4096
 * cuMemcpyHtoD_v2_ptds|h2d|0|2|2048
 *
 * > SELECT entry_point, count(*) FROM memsets GROUP BY 1
 * cuMemsetD8_v2_ptds|2
 *
 * Each thread has a default stream of its own:
 * > SELECT s.handle, count(DISTINCT t.stream), count(DISTINCT t.thread), count(*) FROM transfer t
 * > JOIN stream s ON s.id = t.stream
 * > GROUP BY 1
 * 2|2|2|6
 *
 * > SELECT count(*) FROM transfer t JOIN stream s ON s.id = t.stream WHERE s.thread = t.thread
 * 6
 *
 * > SELECT entry_point, count(*) FROM syncs GROUP BY 1
 * cuStreamSynchronize_ptsz|2
 */
#include <cuda.h>
#include <pthread.h>

#include "../check.h"

static CUcontext context;

static void *work(void *seed) {
    unsigned char *pinned;
    CUdeviceptr device;

    OK(cuCtxSetCurrent(context));
    OK(cuMemAlloc(&device, 4096));
    OK(cuMemAllocHost((void **)&pinned, 8192));
    OK(cuMemsetD8(device, 0, 4096));
    e2e_fill(pinned, 2048, *(unsigned *)seed);
    OK(cuMemcpyHtoD(device, pinned, 1024));
    OK(cuMemcpyHtoDAsync(device, pinned, 2048, 0));
    OK(cuMemcpyDtoHAsync(pinned + 4096, device, 2048, 0));
    OK(cuStreamSynchronize(0));
    e2e_expect(pinned + 4096, 2048, *(unsigned *)seed);
    OK(cuMemFreeHost(pinned));
    OK(cuMemFree(device));
    return NULL;
}

int main(void) {
    unsigned seeds[2] = {1, 2};
    pthread_t thread[2];

    context = e2e_context();
    for (int i = 0; i < 2; i++)
        OK(pthread_create(&thread[i], NULL, work, &seeds[i]));
    for (int i = 0; i < 2; i++)
        OK(pthread_join(thread[i], NULL));
    puts("data ok");
    return 0;
}
