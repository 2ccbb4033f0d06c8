/* A function of a newer driver only enqueues its work. The work runs after a later upload, and overwrites what that
 * upload brought. The next upload has the same bytes again, and is needed: it must not be called a no-op upload. Its
 * region is small, so without the call of the unknown function the contents before it would be inferred.
 *
 * link: cuda
 * only: sim
 * stdout: data ok
 *
 * > SELECT count(*) FROM transfer WHERE direction = 1
 * 3
 *
 * !
 * bounce|1|1|1024
 * duplicate-upload/unknown|2|2|2048
 *
 * ?
 * noop-upload|the destination's contents before were not measured|2
 * unused-upload|launch arguments not seen|1
 */
#include <cuda.h>
#include <semaphore.h>

#include "../check.h"

enum { BYTES = 1024 };

static sem_t opened;

static void wait_until_opened(void *unused) {
    (void)unused;
    REQUIRE(sem_wait(&opened) == 0);
}

int main(void) {
    CUresult (*fill)(CUdeviceptr, size_t, CUstream, double, int, int, int, int, int, unsigned char);
    unsigned char *host, *back;
    CUdeviceptr device, kept; /* `kept`: what the last upload overwrites */
    CUstream stream;
    e2e_context();
    REQUIRE(sem_init(&opened, 0, 0) == 0);
    OK(cuGetProcAddress("cuSomethingNew", (void **)&fill, 99000, CU_GET_PROC_ADDRESS_DEFAULT, NULL));
    OK(cuMemAlloc(&device, BYTES));
    OK(cuMemAlloc(&kept, BYTES));
    OK(cuMemAllocHost((void **)&host, BYTES));
    OK(cuMemAllocHost((void **)&back, BYTES));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    e2e_fill(host, BYTES, 1);

    OK(cuMemcpyHtoD(device, host, BYTES));
    OK(cuLaunchHostFunc(stream, wait_until_opened, NULL));
    OK(fill(device, BYTES, stream, 15.0, 1, 2, 3, 4, 5, 0xa0));
    OK(cuMemcpyHtoD(device, host, BYTES)); /* before the work of `fill`, which waits */
    REQUIRE(sem_post(&opened) == 0);
    OK(cuStreamSynchronize(stream));
    OK(cuMemcpyDtoD(kept, device, BYTES));
    OK(cuMemcpyHtoD(device, host, BYTES));
    OK(cuMemcpyDtoH(back, device, BYTES));
    e2e_expect(back, BYTES, 1);
    OK(cuMemcpyDtoH(back, kept, BYTES));
    for (int i = 0; i < BYTES; i++)
        REQUIRE(back[i] == 0xa0);

    OK(cuStreamDestroy(stream));
    OK(cuMemFree(device));
    OK(cuMemFree(kept));
    OK(cuMemFreeHost(host));
    OK(cuMemFreeHost(back));
    puts("data ok");
    return 0;
}
