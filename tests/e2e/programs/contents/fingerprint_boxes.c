/* Boxes of two and three dimensions, with pitches on both sides: the content is that of the moved bytes, row after row,
 * whatever lies between them, so it is the content of the same bytes in one piece.
 *
 * link: cuda
 * env: XFERSPY_FINGERPRINT=all
 * stdout: data ok
 *
 * Two dimensions, 112 x 90: in one piece, then by other pitches up and down; asynchronously the device looks at what
 * comes down, too.
 * > SELECT t.id, f.direction, f.bytes, t.src_pitch_bytes, t.dst_pitch_bytes, (SELECT min(g.transfer)
 * > FROM fingerprints g
 * >   WHERE g.content = f.content), f.before IS NOT NULL, f.taken_on FROM fingerprints f
 * > JOIN transfer t ON t.id = f.transfer
 * > WHERE f.bytes = 10080 ORDER BY 1
 * 1|h2d|10080|||1|1|device
 * 2|h2d|10080|112|512|1|1|device
 * 3|h2d|10080|131|512|1|1|device
 * 4|d2h|10080|512|112|1|0|host
 * 5|d2h|10080|512|131|1|0|host
 * 6|h2d|10080|160|113|1|1|device
 * 7|d2h|10080|113|160|1|0|device
 *
 * Three dimensions, 40 x 12 x 10, not at the first byte of a row, a row or a slice:
 * > SELECT t.id, f.direction, t.src_pitch_bytes, t.src_slice_rows, t.dst_pitch_bytes, t.dst_slice_rows,
 * > (SELECT min(g.transfer)
 * >   FROM fingerprints g WHERE g.content = f.content), f.before IS NOT NULL, f.taken_on
 * > FROM fingerprints f JOIN transfer t ON t.id = f.transfer WHERE f.bytes = 4800 ORDER BY 1
 * 8|h2d|||||8|1|device
 * 9|h2d|40|12|512|16|8|1|device
 * 10|h2d|64|14|512|16|8|1|device
 * 11|d2h|512|16|40|12|8|0|host
 * 12|d2h|512|16|64|14|8|0|host
 * 13|d2h|512|16|64|14|8|0|device
 *
 * Up once more, with nothing in between: what was there is what is there now. One byte of another row, and it is one
 * leaf.
 * > SELECT transfer, before = content, changed_leaves, leaves, (SELECT min(g.transfer) FROM fingerprints g
 * > WHERE g.content = f.before)
 * > FROM fingerprints f WHERE bytes = 230400 ORDER BY transfer
 * 14|0|57|57|
 * 15|1|0|57|14
 * 16|0|1|57|14
 *
 * > SELECT count(*), count(content) FROM fingerprints
 * 16|16
 */
#include <cuda.h>
#include <string.h>

#include "../check.h"

enum { WIDTH = 112, ROWS = 90, X = 40, Y = 12, Z = 10, PITCH = 512, SLICE = 16, BIG = 640, BIG_ROWS = 360 };

static unsigned char content[WIDTH * ROWS], *pinned;
static CUdeviceptr device;

/* The 2D content into rows of `pitch` bytes, among bytes that are none of it. */
static void spread(unsigned char *to, size_t pitch) {
    memset(to, 0xEE, pitch * ROWS);
    for (size_t row = 0; row < ROWS; row++)
        memcpy(to + row * pitch, content + row * WIDTH, WIDTH);
}

static void expect_rows(const unsigned char *at, size_t pitch) {
    for (size_t row = 0; row < ROWS; row++)
        REQUIRE(memcmp(at + row * pitch, content + row * WIDTH, WIDTH) == 0);
}

static CUDA_MEMCPY2D flat(unsigned char *host, size_t host_pitch, size_t device_pitch, int up, size_t width,
                          size_t rows) {
    CUDA_MEMCPY2D c;
    memset(&c, 0, sizeof c);
    c.WidthInBytes = width, c.Height = rows;
    c.srcMemoryType = up ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
    c.dstMemoryType = up ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
    c.srcHost = up ? host : NULL, c.dstHost = up ? NULL : host;
    c.srcDevice = up ? 0 : device, c.dstDevice = up ? device : 0;
    c.srcPitch = up ? host_pitch : device_pitch, c.dstPitch = up ? device_pitch : host_pitch;
    return c;
}

/* At byte 3 of row 2 of slice 1 of the device's, and 5, 1, 1 of the host's where that has room. */
static CUDA_MEMCPY3D box(unsigned char *host, size_t host_pitch, size_t host_rows, int up) {
    CUDA_MEMCPY3D c;
    size_t hx = host_pitch > X ? 5 : 0, hy = host_rows > Y ? 1 : 0;
    memset(&c, 0, sizeof c);
    c.WidthInBytes = X, c.Height = Y, c.Depth = Z;
    if (up) {
        c.srcMemoryType = CU_MEMORYTYPE_HOST, c.dstMemoryType = CU_MEMORYTYPE_DEVICE;
        c.srcHost = host, c.srcPitch = host_pitch, c.srcHeight = host_rows, c.srcXInBytes = hx, c.srcY = hy,
        c.srcZ = hy;
        c.dstDevice = device, c.dstPitch = PITCH, c.dstHeight = SLICE, c.dstXInBytes = 3, c.dstY = 2, c.dstZ = 1;
    } else {
        c.dstMemoryType = CU_MEMORYTYPE_HOST, c.srcMemoryType = CU_MEMORYTYPE_DEVICE;
        c.dstHost = host, c.dstPitch = host_pitch, c.dstHeight = host_rows, c.dstXInBytes = hx, c.dstY = hy,
        c.dstZ = hy;
        c.srcDevice = device, c.srcPitch = PITCH, c.srcHeight = SLICE, c.srcXInBytes = 3, c.srcY = 2, c.srcZ = 1;
    }
    return c;
}

static void two_dimensions(CUstream stream) {
    CUDA_MEMCPY2D c;
    unsigned char *host = malloc(PITCH * ROWS);

    OK(cuMemcpyHtoD(device, content, sizeof content));
    spread(host, 112), c = flat(host, 112, PITCH, 1, WIDTH, ROWS);
    OK(cuMemcpy2D(&c));
    spread(host, 131), c = flat(host, 131, PITCH, 1, WIDTH, ROWS);
    OK(cuMemcpy2D(&c));
    memset(host, 0, PITCH * ROWS);
    c = flat(host, 112, PITCH, 0, WIDTH, ROWS);
    OK(cuMemcpy2D(&c));
    expect_rows(host, 112);
    c = flat(host, 131, PITCH, 0, WIDTH, ROWS);
    OK(cuMemcpy2D(&c));
    expect_rows(host, 131);

    spread(pinned, 160), c = flat(pinned, 160, 113, 1, WIDTH, ROWS);
    OK(cuMemcpy2DAsync(&c, stream));
    OK(cuStreamSynchronize(stream));
    memset(pinned, 0, 160 * ROWS);
    c = flat(pinned, 160, 113, 0, WIDTH, ROWS);
    OK(cuMemcpy2DAsync(&c, stream));
    OK(cuStreamSynchronize(stream));
    expect_rows(pinned, 160);
    free(host);
}

static void three_dimensions(CUstream stream) {
    unsigned char *host = malloc(64 * 14 * 12);
    CUDA_MEMCPY3D c;

    OK(cuMemcpyHtoD(device, content, X * Y * Z));
    memcpy(host, content, X * Y * Z);
    c = box(host, X, Y, 1);
    OK(cuMemcpy3D(&c));
    memset(host, 0xEE, 64 * 14 * 12);
    for (size_t row = 0; row < Y * Z; row++)
        memcpy(host + (row / Y + 1) * 64 * 14 + (row % Y + 1) * 64 + 5, content + row * X, X);
    c = box(host, 64, 14, 1);
    OK(cuMemcpy3D(&c));

    c = box(host, X, Y, 0);
    OK(cuMemcpy3D(&c));
    REQUIRE(memcmp(host, content, X * Y * Z) == 0);
    c = box(host, 64, 14, 0);
    OK(cuMemcpy3D(&c));
    c = box(pinned, 64, 14, 0);
    OK(cuMemcpy3DAsync(&c, stream));
    OK(cuStreamSynchronize(stream));
    REQUIRE(memcmp(pinned + 64 * 14 + 64 + 5, content, X) == 0);
    free(host);
}

static void again(void) {
    CUDA_MEMCPY2D c = flat(pinned, BIG, BIG + 128, 1, BIG, BIG_ROWS);
    OK(cuMemsetD8(device, 0x77, (BIG + 128) * BIG_ROWS));
    OK(cuCtxSynchronize());
    e2e_fill(pinned, BIG * BIG_ROWS, 2);
    OK(cuMemcpy2D(&c));
    OK(cuMemcpy2D(&c));
    pinned[200 * BIG + 17]++;
    OK(cuMemcpy2D(&c));
}

int main(void) {
    CUstream stream;

    e2e_context();
    OK(cuMemAlloc(&device, 2 * (BIG + 128) * BIG_ROWS));
    OK(cuMemAllocHost((void **)&pinned, BIG * BIG_ROWS));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    e2e_fill(content, sizeof content, 1);
    two_dimensions(stream);
    three_dimensions(stream);
    again();
    OK(cuStreamDestroy(stream));
    OK(cuMemFree(device));
    OK(cuMemFreeHost(pinned));
    puts("data ok");
    return 0;
}
