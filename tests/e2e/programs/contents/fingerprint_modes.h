/* The program of the three modes of XFERSPY_FINGERPRINT: each way to copy, small and large, blocking and not, from
 * pageable and from pinned memory, and the copies that have no content of their own. */
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

    OK(cuMemcpyHtoD(small[0], pageable, SMALL)); /* 1: one content, up by each way */
    OK(cuMemcpyHtoD(small[1], pinned, SMALL));
    OK(cuMemcpyHtoDAsync(small[2], pageable, SMALL, stream));
    OK(cuMemcpyHtoDAsync(small[3], pinned, SMALL, stream));
    OK(cuStreamSynchronize(stream));

    OK(cuMemcpyHtoD(large[0], pageable, LARGE)); /* 5 */
    OK(cuMemcpyHtoDAsync(large[1], pinned, LARGE, stream));
    OK(cuStreamSynchronize(stream));

    memset(pageable, 0, LARGE); /* 7: and down */
    OK(cuMemcpyDtoH(pageable, small[0], SMALL));
    e2e_expect(pageable, SMALL, 1);
    memset(pinned, 0, LARGE);
    OK(cuMemcpyDtoH(pinned, small[1], SMALL));
    e2e_expect(pinned, SMALL, 1);
    OK(cuMemcpyDtoHAsync(pageable, small[2], SMALL, stream));
    OK(cuMemcpyDtoHAsync(pinned, small[3], SMALL, stream));
    OK(cuStreamSynchronize(stream));
    e2e_expect(pinned, SMALL, 1);

    OK(cuMemcpyDtoH(pageable, large[0], LARGE)); /* 11 */
    e2e_expect(pageable, LARGE, 1);
    OK(cuMemcpyDtoHAsync(pinned, large[1], LARGE, stream));
    OK(cuStreamSynchronize(stream));
    e2e_expect(pinned, LARGE, 1);

    OK(cuMemsetD32(small[0], 0x01020304, SMALL / 4)); /* 13: one value again and again */
    OK(cuMemcpyDtoH(pageable, small[0], SMALL));
    OK(cuMemsetD32Async(small[3], 0x01020304, SMALL / 4, stream));
    OK(cuMemcpyDtoHAsync(pinned, small[3], SMALL, stream));
    OK(cuStreamSynchronize(stream));

    OK(cuMemcpyHtoD(small[0], pageable, 0)); /* 15 */
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
