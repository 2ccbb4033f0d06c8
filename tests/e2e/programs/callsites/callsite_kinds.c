/* Not only copies, but also allocations, frees, memsets and waits have the line that called them.
 *
 * link: cuda
 * build: -g -O2
 * stdout: data ok
 *
 * $ frames $traces 'SELECT stack FROM allocation WHERE bytes = 5000'
 * get|OK(cuMemAlloc(&memory, 5000));
 * main|CUdeviceptr device = get();
 * $ frames $traces 'SELECT free_stack FROM allocation WHERE bytes = 5000'
 * give_back|CALLED void give_back(CUdeviceptr memory) { OK(cuMemFree(memory)); }
 * main|give_back(device);
 * $ frames $traces 'SELECT stack FROM allocation WHERE bytes = 6000'
 * get_pinned|OK(cuMemAllocHost(&memory, 6000));
 * main|unsigned char *host = get_pinned();
 * $ frames $traces 'SELECT free_stack FROM allocation WHERE bytes = 6000'
 * give_back_pinned|CALLED void give_back_pinned(void *memory) { OK(cuMemFreeHost(memory)); }
 * main|give_back_pinned(host);
 * $ frames $traces 'SELECT stack FROM memset WHERE bytes = 5000'
 * clear|CALLED void clear(CUdeviceptr memory) { OK(cuMemsetD8(memory, 7, 5000)); }
 * main|clear(device);
 * $ frames $traces "SELECT s.stack FROM sync s JOIN entry_point e ON e.id = s.entry_point WHERE e.name = 'cuStreamSynchronize'"
 * finish|CALLED void finish(CUstream stream) { OK(cuStreamSynchronize(stream)); }
 * main|finish(stream);
 */
#include <cuda.h>

#include "../check.h"

#define CALLED static __attribute__((noinline, noclone))

CALLED CUdeviceptr get(void) {
    CUdeviceptr memory;
    OK(cuMemAlloc(&memory, 5000));
    return memory;
}

CALLED void *get_pinned(void) {
    void *memory;
    OK(cuMemAllocHost(&memory, 6000));
    return memory;
}

CALLED void clear(CUdeviceptr memory) { OK(cuMemsetD8(memory, 7, 5000)); }

CALLED void finish(CUstream stream) { OK(cuStreamSynchronize(stream)); }

CALLED void give_back(CUdeviceptr memory) { OK(cuMemFree(memory)); }

CALLED void give_back_pinned(void *memory) { OK(cuMemFreeHost(memory)); }

int main(void) {
    CUstream stream;
    e2e_context();
    OK(cuStreamCreate(&stream, CU_STREAM_DEFAULT)); /* which waits for the memset */
    CUdeviceptr device = get();
    unsigned char *host = get_pinned();
    clear(device);
    OK(cuMemcpyDtoHAsync(host, device, 5000, stream));
    finish(stream);
    e2e_expect_value(host, 5000, 7);
    give_back(device);
    give_back_pinned(host);
    OK(cuStreamDestroy(stream));
    puts("data ok");
    return 0;
}
