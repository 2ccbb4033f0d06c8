/* A function of a newer driver, which xferspy does not know, fills the memory that an upload went to. The upload that
 * follows has the bytes of the first one, and is needed. It is called as programs call such functions: by cuGetProcAddress
 * and by dlsym, of the library and of the program, with arguments in registers and on the stack. Without contents nobody
 * notices, so the digests of the device are asked for, and those that are inferred.
 *
 * link: cuda
 * only: sim
 * env: XFERSPY_FINGERPRINT=all
 * stdout: data ok
 *
 * What was there before each upload: what the upload brings, once for each of the two regions, because between them and
 * the first ones is a call alone that is known to change nothing.
 * > SELECT f.bytes, f.content IS f.before, count(*) FROM fingerprints f JOIN transfer t ON t.id = f.transfer
 * > WHERE f.direction = 'h2d' AND t.id > 2 GROUP BY 1, 2 ORDER BY 1, 2
 * 1024|0|3
 * 1024|1|1
 * 262144|0|3
 * 262144|1|1
 *
 * So there are two uploads that change nothing. The others are needed, as the device's memory was written by the function
 * that nobody knows: its contents had to come again. What they bring may have been read by it, but nothing can have read
 * what the first ones brought.
 * !
 * duplicate-upload/overwritten|6|6|789504
 * noop-upload|2|2|263168
 * repeat-download|2|2|526336
 * unused-upload/certain|2|2|263168
 *
 * ?
 * unused-upload|launch arguments not seen|2
 *
 * One call in the trace before the next event of each round, however many there were, and the names in meta.
 * > SELECT e.name, count(*), group_concat(DISTINCT a.argument) FROM api_call a JOIN entry_point e ON e.id = a.entry_point
 * > WHERE e.name = 'cuUnknownFunction' GROUP BY 1
 * cuUnknownFunction|3|2
 *
 * > SELECT key, value FROM meta WHERE key LIKE 'coverage.unknown%' ORDER BY key
 * coverage.unknown_called|cuSomethingNew,cuFuncGetParamCount
 * coverage.unknown_looked_up|cuSomethingOut
 *
 * $ "$xferspy" report --color=never $traces | grep 'newer driver'
 *   Functions of a newer driver: the program called 2 (cuSomethingNew, cuFuncGetParamCount) and looked up 1 more (cuSomethingOut). xferspy does not record these calls. Unless it knows that a function changes no device memory, it takes it that all of it may change at any time after the first call.
 */
#define _GNU_SOURCE
#include <cuda.h>
#include <dlfcn.h>

#include "../check.h"

enum { LARGE = 256 << 10, SMALL = 1024 };

typedef CUresult (*something_new)(CUdeviceptr, size_t, CUstream, double, int, int, int, int, int, unsigned char);

static unsigned char *large, *small, *back; /* page-locked */
static CUdeviceptr device;
static CUstream stream;

static void upload(void) {
    OK(cuMemcpyHtoD(device, large, LARGE));
    OK(cuMemcpyHtoD(device + LARGE, small, SMALL));
}

static void overwrite(something_new fill, unsigned char value) {
    for (int i = 0; i < 3; i++)
        OK(fill(device, LARGE + SMALL, stream, 15.0, 1, 2, 3, 4, 5, value));
    REQUIRE(fill(device, LARGE + SMALL, stream, 15.0, 1, 2, 3, 4, 6, value) == CUDA_ERROR_INVALID_VALUE);
    OK(cuStreamSynchronize(stream));
    upload();
    OK(cuMemcpyDtoH(back, device, LARGE + SMALL));
    e2e_expect(back, LARGE, 1);
    e2e_expect(back + LARGE, SMALL, 2);
}

int main(void) {
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    something_new fill[3];
    CUresult (*count_parameters)(CUfunction, size_t *);
    size_t count;
    REQUIRE(driver != NULL);
    e2e_context();
    OK(cuGetProcAddress("cuSomethingNew", (void **)&fill[0], 99000, CU_GET_PROC_ADDRESS_DEFAULT, NULL));
    *(void **)&fill[1] = dlsym(driver, "cuSomethingNew");
    *(void **)&fill[2] = dlsym(RTLD_DEFAULT, "cuSomethingNew");
    *(void **)&count_parameters = dlsym(driver, "cuFuncGetParamCount");
    REQUIRE(fill[0] && fill[0] == fill[1] && fill[0] == fill[2] && count_parameters);
    REQUIRE(dlsym(driver, "cuSomethingOut") != NULL);
    OK(cuMemAlloc(&device, LARGE + SMALL));
    OK(cuMemAllocHost((void **)&large, LARGE));
    OK(cuMemAllocHost((void **)&small, SMALL));
    OK(cuMemAllocHost((void **)&back, LARGE + SMALL));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    e2e_fill(large, LARGE, 1);
    e2e_fill(small, SMALL, 2);

    upload();
    REQUIRE(count_parameters(NULL, &count) == CUDA_ERROR_INVALID_VALUE); /* which changes nothing */
    upload();
    for (int i = 0; i < 3; i++)
        overwrite(fill[i], (unsigned char)(0xa0 + i));
    OK(cuStreamDestroy(stream));
    OK(cuMemFree(device));
    OK(cuMemFreeHost(large));
    OK(cuMemFreeHost(small));
    OK(cuMemFreeHost(back));
    puts("data ok");
    return 0;
}
