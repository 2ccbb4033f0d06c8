/* What the kernel costs: alone, behind copies, around copies. */
#include "gpu.h"

#include <string.h>

struct timer {
    CUevent start, end;
};

static double elapsed_us(const struct timer *timer) {
    float ms;
    OK(cuEventSynchronize(timer->end));
    OK(cuEventElapsedTime(&ms, timer->start, timer->end));
    return (double)ms * 1000;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct scene {
    const struct gpu *gpu;
    struct timer timer;
    struct slot slot;
    struct xs_fingerprint_region region;
    void *host;
    uint64_t bytes;
};

static void one_kernel(const struct scene *s) { fingerprint(s->gpu, s->gpu->stream, &s->slot, s->region, 0, 0); }

static void one_compare(const struct scene *s) {
    fingerprint(s->gpu, s->gpu->stream, &s->slot, s->region, XS_FINGERPRINT_COMPARE, 0);
}

static void one_copy(const struct scene *s) {
    OK(cuMemcpyHtoDAsync(s->region.base, s->host, s->bytes, s->gpu->stream));
}

static void copy_and_kernel(const struct scene *s) {
    one_copy(s);
    one_kernel(s);
}

static void measure_copy_compare(const struct scene *s) {
    fingerprint(s->gpu, s->gpu->stream, &s->slot, s->region, XS_FINGERPRINT_MEASURE_ONLY, 0);
    one_copy(s);
    one_compare(s);
}

/* Returns the median time of one `work` if `count` of them follow each other. */
static double median_us(const struct scene *s, void (*work)(const struct scene *), unsigned count) {
    double times[31];
    for (unsigned i = 0; i < 31; i++) {
        OK(cuEventRecord(s->timer.start, s->gpu->stream));
        for (unsigned k = 0; k < count; k++)
            work(s);
        OK(cuEventRecord(s->timer.end, s->gpu->stream));
        times[i] = elapsed_us(&s->timer) / count;
    }
    qsort(times, 31, sizeof(times[0]), by_value);
    return times[15];
}

void measure(struct gpu *gpu) {
    static const uint64_t sizes[] = {4u << 10, 64u << 10, 1u << 20, 4u << 20, 16u << 20, 64u << 20, 256u << 20};
    struct scene s = {.gpu = gpu, .slot = slot_new(256u << 20)};
    CUdeviceptr device;
    OK(cuEventCreate(&s.timer.start, CU_EVENT_DEFAULT));
    OK(cuEventCreate(&s.timer.end, CU_EVENT_DEFAULT));
    OK(cuMemAlloc(&device, (256u << 20) + 16));
    OK(cuMemHostAlloc(&s.host, 256u << 20, 0));
    e2e_fill(s.host, 256u << 20, 1);
    OK(cuMemcpyHtoD(device, s.host, 256u << 20));
    puts("one: a single launch between two events; row: each of several in a row; +4: the same 4 bytes off alignment\n"
         "copy: pinned upload; then with the kernel behind it; then with measuring before and comparing after it (us)");
    printf("%10s %8s %8s %8s %8s %8s %10s %12s %18s\n", "bytes", "one", "row", "GB/s", "compare", "+4", "copy",
           "copy+kernel", "measure+copy+cmp");
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        unsigned row = sizes[i] > (16u << 20) ? 5 : 50;
        s.bytes = sizes[i];
        s.region = xs_fingerprint_linear(device, sizes[i]);
        double one = median_us(&s, one_kernel, 1), many = median_us(&s, one_kernel, row);
        double compare = median_us(&s, one_compare, row);
        double copy = median_us(&s, one_copy, row), both = median_us(&s, copy_and_kernel, row);
        double all = median_us(&s, measure_copy_compare, row);
        s.region.base += 4;
        double unaligned = median_us(&s, one_kernel, row);
        printf("%10llu %8.2f %8.2f %8.0f %8.2f %8.2f %10.2f %5.2f (x%.2f) %8.2f (x%.2f)\n",
               (unsigned long long)sizes[i], one, many, (double)sizes[i] / many / 1000, compare, unaligned, copy, both,
               both / copy, all, all / copy);
    }
    OK(cuMemFree(device));
    OK(cuMemFreeHost(s.host));
    OK(cuEventDestroy(s.timer.start));
    OK(cuEventDestroy(s.timer.end));
    slot_free(&s.slot);
}
