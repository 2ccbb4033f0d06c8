/* Loads the kernel and launches it. */
#include "gpu.h"

#include <string.h>

static char *read_text(const char *name) {
    FILE *file = fopen(name, "rb");
    REQUIRE(file != NULL);
    char *text = calloc(1, 1 << 20);
    REQUIRE(text != NULL);
    size_t bytes = fread(text, 1, (1 << 20) - 1, file);
    fclose(file);
    REQUIRE(bytes > 0);
    return text;
}

void gpu_open(struct gpu *gpu, const char *ptx_file) {
    CUdevice device;
    char name[256];
    char *text = ptx_file != NULL ? read_text(ptx_file) : NULL;
    *gpu = (struct gpu){0};
    if (text == NULL && xs_fingerprint_ptx[0] == '\0') {
        puts("fingerprint: skipped, built without nvcc");
        exit(E2E_SKIP);
    }
    if (cuInit(0) != CUDA_SUCCESS || cuDeviceGet(&device, 0) != CUDA_SUCCESS) {
        puts("fingerprint: skipped, no device");
        exit(E2E_SKIP);
    }
    OK(cuDeviceGetName(name, sizeof(name), device));
    gpu->simulated = strstr(name, "simulated") != NULL;
    OK(cuDevicePrimaryCtxRetain(&gpu->context, device));
    OK(cuCtxSetCurrent(gpu->context));
    OK(cuModuleLoadData(&gpu->module, text != NULL ? text : xs_fingerprint_ptx));
    OK(cuModuleGetFunction(&gpu->kernel, gpu->module, XS_FINGERPRINT_KERNEL));
    OK(cuStreamCreate(&gpu->stream, CU_STREAM_NON_BLOCKING));
    OK(cuMemHostAlloc((void **)&gpu->results, BATCH * sizeof(*gpu->results), CU_MEMHOSTALLOC_DEVICEMAP));
    OK(cuMemHostGetDevicePointer(&gpu->results_device, gpu->results, 0));
    memset(gpu->results, 0, BATCH * sizeof(*gpu->results));
    printf("%s\n", name);
    free(text);
}

void gpu_close(struct gpu *gpu) {
    OK(cuMemFreeHost(gpu->results));
    OK(cuStreamDestroy(gpu->stream));
    OK(cuModuleUnload(gpu->module));
    OK(cuDevicePrimaryCtxRelease(0));
}

struct slot slot_new(uint64_t capacity) {
    struct slot slot = {.layout = xs_fingerprint_slot_of(capacity)};
    OK(cuMemAlloc(&slot.memory, slot.layout.bytes));
    OK(cuMemsetD8(slot.memory, 0, slot.layout.zero_bytes));
    /* Old leaves are whatever the memory held. */
    OK(cuMemsetD8(slot.memory + slot.layout.zero_bytes, 0xa5, slot.layout.bytes - slot.layout.zero_bytes));
    OK(cuCtxSynchronize());
    return slot;
}

void slot_free(struct slot *slot) { OK(cuMemFree(slot->memory)); }

void fingerprint(const struct gpu *gpu, CUstream stream, const struct slot *slot, struct xs_fingerprint_region region,
                 uint32_t mode, unsigned index) {
    struct xs_fingerprint_parameters parameters = {.region = region, .sequence = index + 1, .mode = mode};
    void *arguments[] = {&parameters};
    uint32_t blocks = xs_fingerprint_blocks(region.length);
    if (gpu->max_blocks != 0 && blocks > gpu->max_blocks)
        blocks = gpu->max_blocks;
    xs_fingerprint_use_slot(&parameters, &slot->layout, slot->memory);
    parameters.result = gpu->results_device + index * sizeof(struct xs_fingerprint_result);
    OK(cuLaunchKernel(gpu->kernel, blocks, 1, 1, XS_FINGERPRINT_THREADS, 1, 1, 0, stream, arguments, NULL));
}
