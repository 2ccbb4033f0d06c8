/* The runtime's copies, linked to the shared runtime: linear, two- and three-dimensional, to and from arrays, sets.
 *
 * link: cudart
 * stdout: data ok
 *
 * > SELECT direction, bytes, src_kind, dst_kind, is_async, result FROM transfers ORDER BY id
 * h2d|4096|pageable|device|0|0
 * d2d|4096|device|device|0|0
 * d2h|4096|device|pageable|0|0
 * h2d|8192|pinned|device|1|0
 * d2d|8192|device|device|1|0
 * d2h|8192|device|pinned|1|0
 * h2d|12288|pageable|device|0|0
 * d2h|12288|device|pageable|0|0
 * h2d|6400|pageable|device|0|0
 * d2h|6400|device|pageable|0|0
 * h2d|4096|pageable|array|0|0
 * d2h|2048|array|pageable|0|0
 * h2d|4800|pageable|device|0|0
 * d2h|4800|device|pageable|0|0
 *
 * The plain ones reach the driver under these names, with nvcc's static runtime too:
 * > SELECT entry_point FROM transfers WHERE bytes IN (4096, 8192) AND direction <> 'd2d' AND dst_kind <> 'array'
 * > ORDER BY id
 * cuMemcpyHtoD_v2
 * cuMemcpyDtoH_v2
 * cuMemcpyHtoDAsync_v2
 * cuMemcpyDtoHAsync_v2
 *
 * > SELECT bytes, width_bytes, height, coalesce(depth, 1) FROM transfer WHERE height > 1 AND bytes IN (6400, 4800)
 * > ORDER BY id
 * 6400|100|64|1
 * 6400|100|64|1
 * 4800|40|12|10
 * 4800|40|12|10
 *
 * > SELECT sum(bytes), count(*) FROM memsets
 * 1000|1
 *
 * > SELECT kind, count(*), sum(free_enter_ns IS NOT NULL) FROM allocations GROUP BY 1 ORDER BY 1
 * array|1|1
 * device|4|4
 * pinned|1|1
 *
 * > SELECT scope, count(*) FROM syncs GROUP BY 1 ORDER BY 1
 * context|2
 * stream|1
 */
#include <cuda_runtime_api.h>
#include <string.h>

#include "../check.h"

static void volume(void) {
    enum { WIDTH = 40, HEIGHT = 12, DEPTH = 10, BYTES = WIDTH * HEIGHT * DEPTH };
    unsigned char *host = malloc(BYTES), *back = calloc(1, BYTES);
    struct cudaExtent extent = {WIDTH, HEIGHT, DEPTH};
    struct cudaPitchedPtr device;
    struct cudaMemcpy3DParms copy;

    e2e_fill(host, BYTES, 6);
    OK(cudaMalloc3D(&device, extent));
    memset(&copy, 0, sizeof copy);
    copy.extent = extent;
    copy.srcPtr.ptr = host, copy.srcPtr.pitch = WIDTH, copy.srcPtr.xsize = WIDTH, copy.srcPtr.ysize = HEIGHT;
    copy.dstPtr = device;
    copy.kind = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&copy));
    copy.dstPtr = copy.srcPtr, copy.dstPtr.ptr = back;
    copy.srcPtr = device;
    copy.kind = cudaMemcpyDeviceToHost;
    OK(cudaMemcpy3D(&copy));
    e2e_expect(back, BYTES, 6);
    OK(cudaFree(device.ptr));
    free(host);
    free(back);
}

int main(void) {
    unsigned char *host = malloc(65536), *back = malloc(65536), *pinned;
    void *a, *b, *pitched;
    size_t pitch;
    struct cudaChannelFormatDesc format = {32, 0, 0, 0, cudaChannelFormatKindUnsigned};
    cudaArray_t array;
    cudaStream_t stream;

    OK(cudaMalloc(&a, 65536));
    OK(cudaMalloc(&b, 65536));
    OK(cudaMallocHost((void **)&pinned, 65536));
    OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));

    e2e_fill(host, 4096, 1);
    OK(cudaMemcpy(a, host, 4096, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(b, a, 4096, cudaMemcpyDeviceToDevice));
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(back, b, 4096, cudaMemcpyDeviceToHost));
    e2e_expect(back, 4096, 1);

    e2e_fill(pinned, 8192, 2);
    OK(cudaMemcpyAsync(a, pinned, 8192, cudaMemcpyHostToDevice, stream));
    OK(cudaMemcpyAsync(b, a, 8192, cudaMemcpyDeviceToDevice, stream));
    OK(cudaMemcpyAsync(pinned + 8192, b, 8192, cudaMemcpyDeviceToHost, stream));
    OK(cudaStreamSynchronize(stream));
    e2e_expect(pinned + 8192, 8192, 2);

    e2e_fill(host, 12288, 3);
    OK(cudaMemcpy(a, host, 12288, cudaMemcpyDefault));
    OK(cudaMemcpy(back, a, 12288, cudaMemcpyDefault));
    e2e_expect(back, 12288, 3);

    OK(cudaMallocPitch(&pitched, &pitch, 100, 64));
    e2e_fill(host, 6400, 4);
    OK(cudaMemcpy2D(pitched, pitch, host, 100, 100, 64, cudaMemcpyHostToDevice));
    memset(back, 0, 6400);
    OK(cudaMemcpy2D(back, 100, pitched, pitch, 100, 64, cudaMemcpyDeviceToHost));
    e2e_expect(back, 6400, 4);

    OK(cudaMallocArray(&array, &format, 32, 32, 0));
    e2e_fill(host, 4096, 5);
    OK(cudaMemcpy2DToArray(array, 0, 0, host, 128, 128, 32, cudaMemcpyHostToDevice));
    OK(cudaMemcpy2DFromArray(back, 128, array, 0, 0, 128, 16, cudaMemcpyDeviceToHost));
    e2e_expect(back, 2048, 5);

    volume();
    OK(cudaMemset(a, 0, 1000));
    OK(cudaDeviceSynchronize());

    OK(cudaStreamDestroy(stream));
    OK(cudaFree(a));
    OK(cudaFree(b));
    OK(cudaFree(pitched));
    OK(cudaFreeArray(array));
    OK(cudaFreeHost(pinned));
    puts("data ok");
    return 0;
}
