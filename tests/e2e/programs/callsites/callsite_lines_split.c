/* gcc splits the beginning of a function from the rest, and inlines both: this is one frame, with the line of the rest.
 * The debug information says that the rest was called where the function is written, as if by itself. gcc does this
 * also to functions that other files may call, such as those of C++ classes.
 *
 * link: cuda
 * build: -g -O2
 * stdout: data ok
 *
 * $ for i in 0 1; do frames $traces "SELECT stack FROM transfer ORDER BY id LIMIT 1 OFFSET $i"; done
 * upload|check(cuMemcpyHtoD(mirrored->device, from, count * sizeof *from), "upload");
 * push|upload(mirrored, mirrored->host, 64);
 * on_device|push(mirrored);
 * sum|CUdeviceptr first = on_device(a);
 * main|CUdeviceptr both = sum(&first, &second);
 * upload|check(cuMemcpyHtoD(mirrored->device, from, count * sizeof *from), "upload");
 * push|upload(mirrored, mirrored->host, 64);
 * on_device|push(mirrored);
 * sum|return first + on_device(b);
 * main|CUdeviceptr both = sum(&first, &second);
 */
#include <cuda.h>

#include "../check.h"

struct mirrored {
    CUdeviceptr device;
    int host[64];
    int newer;
};

static inline void check(CUresult result, const char *what) {
    if (result == CUDA_SUCCESS)
        return;
    fprintf(stderr, "%s: %d\n", what, (int)result);
    exit(1);
}

static inline void upload(struct mirrored *mirrored, const int *from, size_t count) {
    check(cuMemcpyHtoD(mirrored->device, from, count * sizeof *from), "upload");
}

#define INLINE_AND_EXTERNAL inline __attribute__((gnu_inline))
void push(struct mirrored *mirrored);
INLINE_AND_EXTERNAL void push(struct mirrored *mirrored) {
    if (!mirrored->newer)
        return;
    upload(mirrored, mirrored->host, 64);
    mirrored->newer = 0;
}

CUdeviceptr on_device(struct mirrored *mirrored);
INLINE_AND_EXTERNAL CUdeviceptr on_device(struct mirrored *mirrored) {
    push(mirrored);
    return mirrored->device;
}

__attribute__((noinline)) static CUdeviceptr sum(struct mirrored *a, struct mirrored *b) {
    CUdeviceptr first = on_device(a);
    return first + on_device(b);
}

int main(void) {
    static struct mirrored first = {.newer = 1}, second = {.newer = 1};
    e2e_context();
    OK(cuMemAlloc(&first.device, sizeof first.host));
    OK(cuMemAlloc(&second.device, sizeof second.host));
    CUdeviceptr both = sum(&first, &second);
    REQUIRE(both == first.device + second.device);
    OK(cuMemFree(first.device));
    OK(cuMemFree(second.device));
    puts("data ok");
    return 0;
}
