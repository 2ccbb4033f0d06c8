/* Memory that another interface made and the program imported: only the host looks at it.
 *
 * only: sim
 * link: cuda
 * env: XFERSPY_FINGERPRINT=all
 * stdout: data ok
 *
 * > SELECT transfer, direction, taken_on, (SELECT min(g.transfer) FROM fingerprints g
 * > WHERE g.content = f.content), before, missing
 * > FROM fingerprints f ORDER BY transfer
 * 1|h2d||||another context than the current one
 * 2|d2h||||another context than the current one
 * 3|h2d|host|3||
 * 4|d2h|host|3||
 */
#define _GNU_SOURCE
#include <cuda.h>
#include <sys/mman.h>

#include "../check.h"

enum { BYTES = 65536 };

int main(void) {
    unsigned char *host = malloc(BYTES), *pinned;
    int fd = memfd_create("external", 0);
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC desc = {
        .type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD, .handle.fd = fd, .size = BYTES};
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC buffer = {.size = BYTES};
    CUexternalMemory memory;
    CUdeviceptr device;
    CUstream stream;

    e2e_context();
    REQUIRE(fd >= 0 && ftruncate(fd, BYTES) == 0);
    OK(cuImportExternalMemory(&memory, &desc));
    OK(cuExternalMemoryGetMappedBuffer(&device, memory, &buffer));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuMemAllocHost((void **)&pinned, BYTES));
    e2e_fill(pinned, BYTES, 1);
    e2e_fill(host, BYTES, 2);
    OK(cuMemcpyHtoDAsync(device, pinned, BYTES, stream));
    OK(cuMemcpyDtoHAsync(pinned, device, BYTES, stream));
    OK(cuStreamSynchronize(stream));
    e2e_expect(pinned, BYTES, 1);
    OK(cuMemcpyHtoD(device, host, BYTES));
    OK(cuMemcpyDtoH(host, device, BYTES));
    e2e_expect(host, BYTES, 2);
    OK(cuStreamDestroy(stream));
    OK(cuMemFreeHost(pinned));
    OK(cuDestroyExternalMemory(memory));
    free(host);
    puts("data ok");
    return 0;
}
