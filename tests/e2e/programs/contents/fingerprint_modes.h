/* The tests of XFERSPY_FINGERPRINT's three modes run this program. It copies in each way: small and large, blocking and
 * asynchronous, with pageable and with pinned memory. It also makes copies that get no fingerprint: an empty one, and
 * one within the device. */
#include <cuda.h>
#include <string.h>

#include "../check.h"

enum { SMALL = 4096 * 2 + 100, LARGE = 200000 };

int main(void) {
    unsigned char *pageable = malloc(LARGE), *pinned;
    CUdeviceptr small[4], large[2];
    CUstream stream;

    e2e_context();
    OK(cuMemAllocHost((void **)&pinned, LARGE));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    for (int i = 0; i < 4; i++)
        OK(cuMemAlloc(&small[i], SMALL));
    for (int i = 0; i < 2; i++)
        OK(cuMemAlloc(&large[i], LARGE));
    e2e_fill(pageable, LARGE, 1);
    e2e_fill(pinned, LARGE, 1);

    OK(cuMemcpyHtoD(small[0], pageable, SMALL)); /* copies 1 to 4: uploads one content in each way */
    OK(cuMemcpyHtoD(small[1], pinned, SMALL));
    OK(cuMemcpyHtoDAsync(small[2], pageable, SMALL, stream));
    OK(cuMemcpyHtoDAsync(small[3], pinned, SMALL, stream));
    OK(cuStreamSynchronize(stream));

    OK(cuMemcpyHtoD(large[0], pageable, LARGE)); /* copies 5 and 6 */
    OK(cuMemcpyHtoDAsync(large[1], pinned, LARGE, stream));
    OK(cuStreamSynchronize(stream));

    memset(pageable, 0, LARGE); /* copies 7 to 10: downloads the content in each way */
    OK(cuMemcpyDtoH(pageable, small[0], SMALL));
    e2e_expect(pageable, SMALL, 1);
    memset(pinned, 0, LARGE);
    OK(cuMemcpyDtoH(pinned, small[1], SMALL));
    e2e_expect(pinned, SMALL, 1);
    OK(cuMemcpyDtoHAsync(pageable, small[2], SMALL, stream));
    OK(cuMemcpyDtoHAsync(pinned, small[3], SMALL, stream));
    OK(cuStreamSynchronize(stream));
    e2e_expect(pinned, SMALL, 1);

    OK(cuMemcpyDtoH(pageable, large[0], LARGE)); /* copies 11 and 12 */
    e2e_expect(pageable, LARGE, 1);
    OK(cuMemcpyDtoHAsync(pinned, large[1], LARGE, stream));
    OK(cuStreamSynchronize(stream));
    e2e_expect(pinned, LARGE, 1);

    OK(cuMemsetD32(small[0], 0x01020304, SMALL / 4)); /* copies 13 and 14: one value is repeated */
    OK(cuMemcpyDtoH(pageable, small[0], SMALL));
    OK(cuMemsetD32Async(small[3], 0x01020304, SMALL / 4, stream));
    OK(cuMemcpyDtoHAsync(pinned, small[3], SMALL, stream));
    OK(cuStreamSynchronize(stream));

    OK(cuMemcpyHtoD(small[0], pageable, 0)); /* copies 15 and 16 */
    OK(cuMemcpyDtoD(small[0], small[1], SMALL));

    for (int i = 0; i < 4; i++)
        OK(cuMemFree(small[i]));
    for (int i = 0; i < 2; i++)
        OK(cuMemFree(large[i]));
    OK(cuStreamDestroy(stream));
    OK(cuMemFreeHost(pinned));
    free(pageable);
    puts("data ok");
    return 0;
}
