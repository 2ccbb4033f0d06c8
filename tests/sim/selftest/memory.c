/* Allocation of every kind, copies of every shape, and the errors for what is out of range or gone. */
#include "driver.h"

static void linear(void) {
    CUdeviceptr d, e;
    unsigned char host[1000], back[1000];
    for (int i = 0; i < 1000; i++)
        host[i] = (unsigned char)i;
    OK(cuMemAlloc(&d, 1000));
    OK(cuMemAlloc(&e, 1000));
    OK(cuMemcpyHtoD(d, host, 1000));
    OK(cuMemcpyDtoD(e, d, 1000));
    OK(cuMemcpyDtoH(back, e, 1000));
    CHECK(memcmp(host, back, 1000) == 0);
    OK(cuMemcpy((CUdeviceptr)back, d + 1, 999));
    CHECK(memcmp(host + 1, back, 999) == 0);
    SAME(cuMemcpyHtoD(d, host, 1001), CUDA_ERROR_INVALID_VALUE);
    SAME(cuMemcpyHtoD((CUdeviceptr)back, host, 10), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemsetD32(d, 0x01020304, 250));
    OK(cuMemcpyDtoH(back, d, 1000));
    CHECK(back[0] == 4 && back[999] == 1);
    OK(cuMemFree(d));
    SAME(cuMemcpyHtoD(d, host, 10), CUDA_ERROR_INVALID_VALUE);
    SAME(cuMemFree(d), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemFree(e));
}

static void shapes(void) {
    CUdeviceptr d;
    size_t pitch;
    char host[20][30], back[20][40];
    for (int y = 0; y < 20; y++)
        for (int x = 0; x < 30; x++)
            host[y][x] = (char)(y * 30 + x);
    OK(cuMemAllocPitch(&d, &pitch, 30, 20, 4));
    CHECK(pitch == 512);
    CUDA_MEMCPY2D up = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                        .srcHost = host,
                        .srcPitch = 30,
                        .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                        .dstDevice = d,
                        .dstPitch = pitch,
                        .WidthInBytes = 30,
                        .Height = 20};
    OK(cuMemcpy2D(&up));
    CUDA_MEMCPY2D down = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                          .srcDevice = d,
                          .srcPitch = pitch,
                          .srcXInBytes = 3,
                          .srcY = 2,
                          .dstMemoryType = CU_MEMORYTYPE_HOST,
                          .dstHost = back,
                          .dstPitch = 40,
                          .WidthInBytes = 20,
                          .Height = 10};
    OK(cuMemcpy2DUnaligned(&down));
    for (int y = 0; y < 10; y++)
        CHECK(memcmp(back[y], &host[y + 2][3], 20) == 0);
    CUDA_ARRAY3D_DESCRIPTOR descriptor = {
        .Width = 8, .Height = 6, .Depth = 4, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1};
    CUarray array;
    float box[4][6][8], out[4][6][8] = {0};
    for (int i = 0; i < 4 * 6 * 8; i++)
        (&box[0][0][0])[i] = (float)i;
    OK(cuArray3DCreate(&array, &descriptor));
    CUDA_MEMCPY3D cube = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                          .srcHost = box,
                          .srcPitch = 32,
                          .srcHeight = 6,
                          .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                          .dstArray = array,
                          .WidthInBytes = 32,
                          .Height = 6,
                          .Depth = 4};
    OK(cuMemcpy3D(&cube));
    CUDA_MEMCPY3D part = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                          .srcArray = array,
                          .srcXInBytes = 4,
                          .srcY = 1,
                          .srcZ = 1,
                          .dstMemoryType = CU_MEMORYTYPE_HOST,
                          .dstHost = out,
                          .dstPitch = 32,
                          .dstHeight = 6,
                          .WidthInBytes = 12,
                          .Height = 2,
                          .Depth = 3};
    OK(cuMemcpy3D(&part));
    CHECK(out[0][0][0] == box[1][1][1] && out[2][1][2] == box[3][2][3]);
    part.srcZ = 2;
    SAME(cuMemcpy3D(&part), CUDA_ERROR_INVALID_VALUE);
    OK(cuArrayDestroy(array));
    OK(cuMemsetD2D16(d, pitch, 0x0102, 15, 20));
    OK(cuMemFree(d));
    CUDA_ARRAY_DESCRIPTOR row = {.Width = 100, .Format = CU_AD_FORMAT_UNSIGNED_INT8, .NumChannels = 1};
    OK(cuArrayCreate(&array, &row));
    OK(cuMemcpyHtoA(array, 10, host, 50));
    OK(cuMemcpyAtoH(back, array, 20, 40));
    CHECK(memcmp(back, (char *)host + 10, 40) == 0);
    OK(cuArrayDestroy(array));
}

static void limits(void) {
    size_t available, total, after;
    CUdeviceptr d;
    OK(cuMemGetInfo(&available, &total));
    SAME(cuMemAlloc(&d, total + 1), CUDA_ERROR_OUT_OF_MEMORY);
    OK(cuMemAlloc(&d, 1 << 20));
    OK(cuMemGetInfo(&after, &total));
    CHECK(available - after >= 1 << 20); /* a real device hands out more at a time */
    OK(cuMemFree(d));
    OK(cuMemGetInfo(&after, &total));
    SAME(available, after);
}

static void pointers(void) {
    CUdeviceptr d, base;
    void *pinned;
    static char own[8192];
    char stack[64];
    unsigned type, managed;
    int device;
    size_t size;
    OK(cuMemAlloc(&d, 4096));
    OK(cuMemHostAlloc(&pinned, 4096, 0));
    OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, d + 100));
    SAME(type, CU_MEMORYTYPE_DEVICE);
    OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)pinned + 4095));
    SAME(type, CU_MEMORYTYPE_HOST);
    SAME(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)stack), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemGetAddressRange(&base, &size, d + 77));
    CHECK(base == d && size == 4096);
    OK(cuMemHostRegister(own, sizeof(own), 0));
    SAME(cuMemHostRegister(own + 100, 10, 0), CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)own));
    SAME(type, CU_MEMORYTYPE_HOST);
    OK(cuMemHostUnregister(own));
    SAME(cuMemHostUnregister(own), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
    OK(cuMemFreeHost(pinned));
    OK(cuMemFree(d));
    OK(cuMemAllocManaged(&d, 1 << 20, CU_MEM_ATTACH_GLOBAL));
    CUpointer_attribute asked[] = {CU_POINTER_ATTRIBUTE_IS_MANAGED, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
    void *out[] = {&managed, &device};
    OK(cuPointerGetAttributes(2, asked, out, d));
    CHECK(managed == 1 && device == 0);
    memset((void *)d, 7, 1 << 20);
    add_one(NULL, d, 1 << 20);
    OK(cuCtxSynchronize());
    CHECK(((char *)d)[12345] == 8);
    OK(cuMemFree(d));
}

static void pools(void) {
    CUdeviceptr a, b, c;
    CUstream stream;
    CUmemoryPool pool;
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuMemAllocAsync(&a, 10000, stream));
    OK(cuMemcpyHtoDAsync(a, ptx, 100, stream));
    OK(cuMemFreeAsync(a, stream));
    SAME(cuMemFreeAsync(a, stream), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemAllocAsync(&b, 10000, stream));
    CHECK(a == b);
    OK(cuStreamSynchronize(stream));
    OK(cuMemcpyHtoD(b, ptx, 100));
    OK(cuMemFreeAsync(b, stream));
    OK(cuStreamSynchronize(stream));
    SAME(cuMemcpyHtoD(b, ptx, 100), CUDA_ERROR_INVALID_VALUE);
    CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED, .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
    OK(cuMemPoolCreate(&pool, &props));
    OK(cuMemAllocFromPoolAsync(&c, 4096, pool, stream));
    cuuint64_t used;
    OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
    SAME(used, 4096);
    OK(cuMemFree(c));
    OK(cuMemPoolTrimTo(pool, 0));
    OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &used));
    SAME(used, 0);
    OK(cuMemPoolDestroy(pool));
    OK(cuStreamDestroy(stream));
}

static void mapped(void) {
    CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED, .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
    CUmemGenericAllocationHandle first, second;
    CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUdeviceptr d;
    size_t step;
    OK(cuMemGetAllocationGranularity(&step, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    OK(cuMemAddressReserve(&d, 2 * step, 0, 0, 0));
    OK(cuMemCreate(&first, step, &prop, 0));
    OK(cuMemCreate(&second, step, &prop, 0));
    OK(cuMemMap(d, step, 0, first, 0));
    OK(cuMemMap(d + step, step, 0, second, 0));
    OK(cuMemSetAccess(d, 2 * step, &access, 1));
    OK(cuMemRelease(first));
    OK(cuMemRelease(second));
    char back[200];
    OK(cuMemcpyHtoD(d + step - 100, ptx, 200));
    OK(cuMemcpyDtoH(back, d + step - 100, 200));
    CHECK(memcmp(back, ptx, 200) == 0);
    SAME(cuMemFree(d), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemUnmap(d, 2 * step));
    OK(cuMemAddressFree(d, 2 * step));
}

static void modules(void) {
    CUmodule module;
    CUfunction function;
    CUdeviceptr d;
    CUlibrary library;
    CUkernel found;
    size_t bytes, offset;
    unsigned value;
    const char *name;
    OK(cuModuleLoadData(&module, ptx));
    SAME(cuModuleGetFunction(&function, module, "unknown_kernel"), CUDA_ERROR_NOT_FOUND);
    SAME(cuModuleGetFunction(&function, module, "not_there"), CUDA_ERROR_NOT_FOUND);
    OK(cuModuleGetFunction(&function, module, "xs_scale"));
    OK(cuFuncGetName(&name, function));
    CHECK(strcmp(name, "xs_scale") == 0);
    OK(cuFuncGetParamInfo(function, 2, &offset, &bytes));
    CHECK(offset == 16 && bytes == 8);
    SAME(cuFuncGetParamInfo(function, 3, &offset, &bytes), CUDA_ERROR_INVALID_VALUE);
    OK(cuModuleGetGlobal(&d, &bytes, module, "table"));
    SAME(bytes, 64);
    OK(cuModuleGetGlobal(&d, &bytes, module, "answer"));
    OK(cuMemcpyDtoH(&value, d, 4));
    SAME(value, 42);
    SAME(cuModuleLoadData(&module, "nonsense"), CUDA_ERROR_INVALID_IMAGE);
    OK(cuLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
    OK(cuLibraryGetKernel(&found, library, "xs_scale"));
    SAME(cuFuncGetParamInfo((CUfunction)found, 2, &offset, &bytes), CUDA_ERROR_INVALID_HANDLE);
    OK(cuKernelGetParamInfo(found, 2, &offset, &bytes));
    CHECK(offset == 16 && bytes == 8);
    SAME(cuKernelGetParamInfo(found, 3, &offset, &bytes), CUDA_ERROR_INVALID_VALUE);
    float x[4] = {1, 2, 3, 4}, a = 3;
    size_t n = 4;
    OK(cuMemAlloc(&d, sizeof(x)));
    OK(cuMemcpyHtoD(d, x, sizeof(x)));
    void *args[] = {&d, &a, &n};
    OK(cuLaunchKernel((CUfunction)found, 1, 1, 1, 32, 1, 1, 0, NULL, args, NULL));
    char packed[24];
    memcpy(packed, &d, 8);
    memcpy(packed + 8, &a, 4);
    memcpy(packed + 16, &n, 8);
    bytes = sizeof(packed);
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
    OK(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, extra));
    OK(cuMemcpyDtoH(x, d, sizeof(x)));
    CHECK(x[0] == 9 && x[3] == 36);
    OK(cuMemFree(d));
    OK(cuLibraryUnload(library));
}

int main(void) {
    start();
    linear();
    shapes();
    limits();
    pointers();
    pools();
    mapped();
    modules();
    /* A kernel that is given a host pointer kills its context. */
    char stack[16];
    add_one(NULL, (CUdeviceptr)stack, 16);
    SAME(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    SAME(cuMemAlloc(&(CUdeviceptr){0}, 16), CUDA_ERROR_ILLEGAL_ADDRESS);
    OK(cuDevicePrimaryCtxReset(0));
    return 0;
}
