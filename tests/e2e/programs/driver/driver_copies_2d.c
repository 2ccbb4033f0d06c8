/* Two-dimensional copies have pitches on both sides. Their bytes are the moved bytes, not the spanned ones.
 *
 * link: cuda
 * stdout: data ok
 *
 * > SELECT e.name, d.name, t.bytes, t.width_bytes, t.height, t.src_pitch_bytes, t.dst_pitch_bytes, t.is_async, t.result
 * > FROM transfer t JOIN entry_point e ON e.id = t.entry_point JOIN direction d ON d.id = t.direction ORDER BY t.id
 * cuMemcpy2D_v2|h2d|3000|100|30|160|512|0|0
 * cuMemcpy2DUnaligned_v2|d2d|3000|100|30|512|512|0|0
 * cuMemcpy2D_v2|d2h|3000|100|30|512|200|0|0
 * cuMemcpy2DAsync_v2|h2d|2048|64|32|64|512|1|0
 * cuMemcpy2DAsync_v2|d2h|2048|64|32|512|64|1|0
 * cuMemcpy2DUnaligned_v2|h2d|77|7|11|13|512|0|0
 * cuMemcpy2D_v2|d2h|77|7|11|512|13|0|0
 *
 * The box's first byte, not the memory's base, is the address:
 * > SELECT t.bytes, t.dst_address - a.address FROM transfer t JOIN allocation a ON a.id = t.dst_allocation
 * > WHERE t.direction = 1 ORDER BY t.id
 * 3000|0
 * 2048|0
 * 77|1541
 *
 * needs: cupti
 * > SELECT count(*), sum(device_ns > 0) FROM transfers
 * 7|7
 */
#include <cuda.h>
#include <string.h>

#include "../check.h"

enum { PITCH = 512, ROWS = 64 };

static CUDA_MEMCPY2D box(size_t width, size_t height) {
    CUDA_MEMCPY2D c;
    memset(&c, 0, sizeof c);
    c.WidthInBytes = width;
    c.Height = height;
    return c;
}

static void from_host(CUDA_MEMCPY2D *c, const void *host, size_t pitch) {
    c->srcMemoryType = CU_MEMORYTYPE_HOST;
    c->srcHost = host;
    c->srcPitch = pitch;
}

static void to_host(CUDA_MEMCPY2D *c, void *host, size_t pitch) {
    c->dstMemoryType = CU_MEMORYTYPE_HOST;
    c->dstHost = host;
    c->dstPitch = pitch;
}

static void from_device(CUDA_MEMCPY2D *c, CUdeviceptr device) {
    c->srcMemoryType = CU_MEMORYTYPE_DEVICE;
    c->srcDevice = device;
    c->srcPitch = PITCH;
}

static void to_device(CUDA_MEMCPY2D *c, CUdeviceptr device) {
    c->dstMemoryType = CU_MEMORYTYPE_DEVICE;
    c->dstDevice = device;
    c->dstPitch = PITCH;
}

static void same_rows(const unsigned char *x, size_t x_pitch, const unsigned char *y, size_t y_pitch, size_t width,
                      size_t height) {
    for (size_t row = 0; row < height; row++)
        REQUIRE(memcmp(x + row * x_pitch, y + row * y_pitch, width) == 0);
}

int main(void) {
    unsigned char *host = malloc(65536), *back = calloc(1, 65536), *pinned;
    CUdeviceptr a, b;
    CUstream stream;
    CUDA_MEMCPY2D c;

    e2e_context();
    OK(cuMemAlloc(&a, PITCH * ROWS));
    OK(cuMemAlloc(&b, PITCH * ROWS));
    OK(cuMemAllocHost((void **)&pinned, 65536));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    e2e_fill(host, 65536, 1);

    c = box(100, 30), from_host(&c, host, 160), to_device(&c, a);
    OK(cuMemcpy2D(&c));
    c = box(100, 30), from_device(&c, a), to_device(&c, b);
    OK(cuMemcpy2DUnaligned(&c));
    c = box(100, 30), from_device(&c, b), to_host(&c, back, 200);
    OK(cuMemcpy2D(&c));
    same_rows(host, 160, back, 200, 100, 30);

    e2e_fill(pinned, 2048, 2);
    c = box(64, 32), from_host(&c, pinned, 64), to_device(&c, a);
    OK(cuMemcpy2DAsync(&c, stream));
    c = box(64, 32), from_device(&c, a), to_host(&c, pinned + 4096, 64);
    OK(cuMemcpy2DAsync(&c, stream));
    OK(cuStreamSynchronize(stream));
    e2e_expect(pinned + 4096, 2048, 2);

    c = box(7, 11), from_host(&c, host, 13), to_device(&c, a);
    c.dstXInBytes = 5, c.dstY = 3;
    OK(cuMemcpy2DUnaligned(&c));
    c = box(7, 11), from_device(&c, a), to_host(&c, back, 13);
    c.srcXInBytes = 5, c.srcY = 3;
    OK(cuMemcpy2D(&c));
    same_rows(host, 13, back, 13, 7, 11);

    OK(cuStreamDestroy(stream));
    OK(cuMemFree(a));
    OK(cuMemFree(b));
    OK(cuMemFreeHost(pinned));
    puts("data ok");
    return 0;
}
