/* Every memory set of the driver's API: three element sizes, one and two dimensions, blocking and in a stream.
 *
 * link: cuda
 * stdout: data ok
 *
 * > SELECT e.name, m.bytes, m.value, m.element_bytes, m.width_bytes, m.height, m.pitch_bytes, m.is_async, m.result
 * > FROM memset m JOIN entry_point e ON e.id = m.entry_point ORDER BY m.id
 * cuMemsetD8_v2|1000|17|1||||0|0
 * cuMemsetD16_v2|2000|8755|2||||0|0
 * cuMemsetD32_v2|4000|1145324612|4||||0|0
 * cuMemsetD2D8_v2|600|85|1|60|10|256|0|0
 * cuMemsetD2D16_v2|1200|26214|2|120|10|256|0|0
 * cuMemsetD2D32_v2|2400|2004318071|4|240|10|256|0|0
 * cuMemsetD8Async|1000|136|1||||1|0
 * cuMemsetD16Async|2000|39321|2||||1|0
 * cuMemsetD32Async|4000|2863311530|4||||1|0
 * cuMemsetD2D8Async|600|187|1|60|10|256|1|0
 * cuMemsetD2D16Async|1200|52428|2|120|10|256|1|0
 * cuMemsetD2D32Async|2400|3722304989|4|240|10|256|1|0
 *
 * needs: cupti
 * > SELECT count(*), sum(kind = 'device'), sum(end_ns > start_ns) FROM memsets
 * 12|12|12
 *
 * > SELECT direction, count(*), sum(bytes) FROM transfers GROUP BY 1
 * d2h|12|49152
 */
#include <cuda.h>
#include <string.h>

#include "../check.h"

static unsigned char host[4096];
static CUdeviceptr device;

static void expect(unsigned char value, size_t width, size_t height) {
    OK(cuCtxSynchronize());
    OK(cuMemcpyDtoH(host, device, sizeof host));
    for (size_t row = 0; row < height; row++)
        e2e_expect_value(host + row * 256, width, value);
}

int main(void) {
    CUstream stream;

    e2e_context();
    OK(cuMemAlloc(&device, 4096));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuMemsetD8(device, 0x11, 1000));
    expect(0x11, 1000, 1);
    OK(cuMemsetD16(device, 0x2233, 1000));
    expect(0x33, 1, 1);
    OK(cuMemsetD32(device, 0x44444444, 1000));
    expect(0x44, 4000, 1);
    OK(cuMemsetD2D8(device, 256, 0x55, 60, 10));
    expect(0x55, 60, 10);
    OK(cuMemsetD2D16(device, 256, 0x6666, 60, 10));
    expect(0x66, 120, 10);
    OK(cuMemsetD2D32(device, 256, 0x77777777, 60, 10));
    expect(0x77, 240, 10);
    OK(cuMemsetD8Async(device, 0x88, 1000, stream));
    expect(0x88, 1000, 1);
    OK(cuMemsetD16Async(device, 0x9999, 1000, stream));
    expect(0x99, 2000, 1);
    OK(cuMemsetD32Async(device, 0xaaaaaaaa, 1000, stream));
    expect(0xaa, 4000, 1);
    OK(cuMemsetD2D8Async(device, 256, 0xbb, 60, 10, stream));
    expect(0xbb, 60, 10);
    OK(cuMemsetD2D16Async(device, 256, 0xcccc, 60, 10, stream));
    expect(0xcc, 120, 10);
    OK(cuMemsetD2D32Async(device, 256, 0xdddddddd, 60, 10, stream));
    expect(0xdd, 240, 10);
    OK(cuStreamDestroy(stream));
    OK(cuMemFree(device));
    puts("data ok");
    return 0;
}
