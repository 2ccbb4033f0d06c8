/* Three-dimensional copies: a box within a pitched volume, up, across and down.
 *
 * link: cuda
 * stdout: data ok
 *
 * > SELECT e.name, d.name, t.bytes, t.width_bytes, t.height, t.depth, t.src_pitch_bytes, t.dst_pitch_bytes,
 * > t.src_slice_rows, t.dst_slice_rows, t.is_async, t.result
 * > FROM transfer t JOIN entry_point e ON e.id = t.entry_point JOIN direction d ON d.id = t.direction ORDER BY t.id
 * cuMemcpy3D_v2|h2d|4800|40|12|10|40|256|12|16|0|0
 * cuMemcpy3DAsync_v2|d2d|4800|40|12|10|256|256|16|16|1|0
 * cuMemcpy3D_v2|d2h|4800|40|12|10|256|64|16|20|0|0
 *
 * needs: cupti
 * > SELECT count(*), sum(device_ns > 0) FROM transfers
 * 3|3
 */
#include <cuda.h>
#include <string.h>

#include "../check.h"

enum { WIDTH = 40, HEIGHT = 12, DEPTH = 10, PITCH = 256, SLICE = 16 };

int main(void) {
    unsigned char *host = malloc(WIDTH * HEIGHT * DEPTH), *back = calloc(1, 64 * 20 * DEPTH);
    CUdeviceptr a, b;
    CUstream stream;
    CUDA_MEMCPY3D c;

    e2e_context();
    OK(cuMemAlloc(&a, PITCH * SLICE * DEPTH));
    OK(cuMemAlloc(&b, PITCH * SLICE * DEPTH));
    OK(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
    e2e_fill(host, WIDTH * HEIGHT * DEPTH, 1);

    memset(&c, 0, sizeof c);
    c.WidthInBytes = WIDTH, c.Height = HEIGHT, c.Depth = DEPTH;
    c.srcMemoryType = CU_MEMORYTYPE_HOST, c.srcHost = host, c.srcPitch = WIDTH, c.srcHeight = HEIGHT;
    c.dstMemoryType = CU_MEMORYTYPE_DEVICE, c.dstDevice = a, c.dstPitch = PITCH, c.dstHeight = SLICE;
    OK(cuMemcpy3D(&c));

    c.srcMemoryType = CU_MEMORYTYPE_DEVICE, c.srcHost = NULL, c.srcDevice = a, c.srcPitch = PITCH, c.srcHeight = SLICE;
    c.dstDevice = b;
    OK(cuMemcpy3DAsync(&c, stream));
    OK(cuStreamSynchronize(stream));

    c.srcDevice = b;
    c.dstMemoryType = CU_MEMORYTYPE_HOST, c.dstDevice = 0, c.dstHost = back, c.dstPitch = 64, c.dstHeight = 20;
    OK(cuMemcpy3D(&c));
    for (int z = 0; z < DEPTH; z++)
        for (int y = 0; y < HEIGHT; y++)
            REQUIRE(memcmp(host + (z * HEIGHT + y) * WIDTH, back + (z * 20 + y) * 64, WIDTH) == 0);

    OK(cuStreamDestroy(stream));
    OK(cuMemFree(a));
    OK(cuMemFree(b));
    puts("data ok");
    return 0;
}
