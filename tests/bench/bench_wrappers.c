/* What a wrapper of xferspy adds to a driver call, without the noise between processes: batches of calls through dlsym
 * (the wrapper, where xferspy is preloaded) alternate with batches through the address that libcuda.so.1's own symbol
 * table gives (never the wrapper). Bare, both are the same function: what is then "added" is this measurement's error.
 *
 * Besides real copies and launches it times calls that do almost nothing: a copy of 0 bytes, a launch that is
 * refused. */
#define _GNU_SOURCE
#include <cuda.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "measure.h"

static const char ptx[] = ".version 7.0\n"
                          ".target sm_75\n"
                          ".address_size 64\n"
                          ".visible .entry xs_noop()\n"
                          "{\n"
                          "    ret;\n"
                          "}\n";

/* ---- the driver's own addresses ---- */

static struct {
    const char *file;
    size_t base, bytes;
    const char *image;
} driver;

static int find_driver(struct dl_phdr_info *info, size_t size, void *unused) {
    (void)size;
    (void)unused;
    const char *name = strrchr(info->dlpi_name, '/');
    if (!name || strncmp(name, "/libcuda.so", 11) != 0)
        return 0;
    driver.file = strdup(info->dlpi_name);
    driver.base = info->dlpi_addr;
    return 1;
}

static void open_driver(void) {
    struct stat status;
    if (!dl_iterate_phdr(find_driver, NULL)) {
        fprintf(stderr, "bench_wrappers: libcuda.so.1 is not loaded\n");
        exit(1);
    }
    int file = open(driver.file, O_RDONLY | O_CLOEXEC);
    CHECK(file < 0);
    CHECK(fstat(file, &status));
    driver.bytes = (size_t)status.st_size;
    driver.image = mmap(NULL, driver.bytes, PROT_READ, MAP_PRIVATE, file, 0);
    CHECK(driver.image == MAP_FAILED);
    close(file);
}

static void *real_address(const char *name) {
    const ElfW(Ehdr) *header = (const void *)driver.image;
    const ElfW(Shdr) *sections = (const void *)(driver.image + header->e_shoff);
    for (unsigned i = 0; i < header->e_shnum; i++) {
        if (sections[i].sh_type != SHT_DYNSYM)
            continue;
        const ElfW(Sym) *symbols = (const void *)(driver.image + sections[i].sh_offset);
        const char *names = driver.image + sections[sections[i].sh_link].sh_offset;
        for (size_t k = 0; k < sections[i].sh_size / sizeof *symbols; k++)
            if (symbols[k].st_value && strcmp(names + symbols[k].st_name, name) == 0)
                return (void *)(driver.base + symbols[k].st_value);
    }
    return NULL;
}

/* ---- the calls, each by both addresses ---- */

enum { WRAPPED, REAL, WAYS };

static void *resolve(void *handle, const char *name, int way) {
    void *address = way == REAL ? real_address(name) : dlsym(handle, name);
    if (!address) {
        fprintf(stderr, "bench_wrappers: the driver has no %s\n", name);
        exit(1);
    }
    return address;
}

static struct {
    __typeof__(&cuMemcpyHtoDAsync_v2) up_async;
    __typeof__(&cuMemcpyHtoD_v2) up;
    __typeof__(&cuMemcpyDtoH_v2) down;
    __typeof__(&cuLaunchKernel) launch;
    __typeof__(&cuMemAllocAsync) allocate;
    __typeof__(&cuMemFreeAsync) free;
    __typeof__(&cuStreamSynchronize) synchronize;
} call[WAYS];

static CUstream stream;
static CUdeviceptr device;
static CUfunction function;
static char *pinned, *pageable;

static void copy_nothing(int way) { (void)call[way].up_async(device, pinned, 0, stream); }
static void launch_refused(int way) { (void)call[way].launch(NULL, 1, 1, 1, 32, 1, 1, 0, stream, NULL, NULL); }
static void synchronize_idle(int way) { CHECK(call[way].synchronize(stream)); }
static void copy_pinned(int way) { CHECK(call[way].up_async(device, pinned, 4096, stream)); }
static void copy_pageable(int way) { CHECK(call[way].up(device, pageable, 4096)); }
static void read_back(int way) { CHECK(call[way].down(pageable, device, 4)); }
static void launch(int way) { CHECK(call[way].launch(function, 1, 1, 1, 32, 1, 1, 0, stream, NULL, NULL)); }
static void allocate_free(int way) {
    CUdeviceptr memory;
    CHECK(call[way].allocate(&memory, 4096, stream));
    CHECK(call[way].free(memory, stream));
}

/* Calls `run` from this many frames further in. A statement after the call keeps it from becoming a jump. */
static __attribute__((noinline)) void deeper(int frames, void (*run)(int way), int way) {
    if (frames)
        deeper(frames - 1, run, way);
    else
        run(way);
    __asm__ volatile("" : : : "memory");
}
static void copy_nothing_deep(int way) { deeper(25, copy_nothing, way); } /* 30 with main's and what called it */

static const struct {
    const char *metric;
    void (*run)(int way);
    int per_batch;
} rows[] = {
    {"copy_0b_async", copy_nothing, 1000},
    {"launch_refused", launch_refused, 1000},
    {"sync_idle", synchronize_idle, 1000},
    {"h2d_4k_pinned_async", copy_pinned, 200},
    {"h2d_4k_pageable", copy_pageable, 200},
    {"d2h_4b_pageable", read_back, 200},
    {"launch_empty", launch, 200},
    {"malloc_free_async", allocate_free, 200},
    {"copy_0b_async_deep", copy_nothing_deep, 1000},
};

static double batch_ns(void (*run)(int way), int way, int count) {
    double start = now_us();
    for (int i = 0; i < count; i++)
        run(way);
    return (now_us() - start) * 1e3 / count;
}

/* The pairs change their order, so that neither way is always the first after a synchronisation. */
static void measure(size_t row, int batches) {
    static double ns[WAYS][MEASURE_BATCHES_MAX], added[MEASURE_BATCHES_MAX];
    char metric[64];
    for (int batch = -1; batch < batches; batch++) {
        int at = batch < 0 ? 0 : batch;
        for (int turn = 0; turn < WAYS; turn++) {
            int way = turn ^ (batch & 1);
            CHECK(call[REAL].synchronize(stream));
            ns[way][at] = batch_ns(rows[row].run, way, rows[row].per_batch);
        }
        added[at] = ns[WRAPPED][at] - ns[REAL][at];
    }
    snprintf(metric, sizeof metric, "wrapper.%s.real", rows[row].metric);
    print_batches(metric, "ns", ns[REAL], batches);
    snprintf(metric, sizeof metric, "wrapper.%s.added", rows[row].metric);
    print_batches(metric, "ns", added, batches);
}

/* Makes more calls in a row than the spool can hold: this shows the rate that the drain thread sustains. */
static void measure_sustained(int count) {
    double ns = batch_ns(copy_nothing, WRAPPED, count);
    print_metric("wrapper.copy_0b_async.sustained", "ns", ns, ns);
}

int main(void) {
    const char *scale_text = getenv("BENCH_SCALE");
    double scale = scale_text ? atof(scale_text) : 1;
    void *handle = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (!handle) {
        fprintf(stderr, "bench_wrappers: %s\n", dlerror());
        return 1;
    }
    open_driver();
    for (int way = 0; way < WAYS; way++) {
        *(void **)&call[way].up_async = resolve(handle, "cuMemcpyHtoDAsync_v2", way);
        *(void **)&call[way].up = resolve(handle, "cuMemcpyHtoD_v2", way);
        *(void **)&call[way].down = resolve(handle, "cuMemcpyDtoH_v2", way);
        *(void **)&call[way].launch = resolve(handle, "cuLaunchKernel", way);
        *(void **)&call[way].allocate = resolve(handle, "cuMemAllocAsync", way);
        *(void **)&call[way].free = resolve(handle, "cuMemFreeAsync", way);
        *(void **)&call[way].synchronize = resolve(handle, "cuStreamSynchronize", way);
    }
#define DRIVER(name) ((__typeof__(&name))resolve(handle, #name, WRAPPED))
    CUcontext context;
    CUmodule module;
    CHECK(DRIVER(cuInit)(0));
    begin_cupti();
    CHECK(DRIVER(cuDevicePrimaryCtxRetain)(&context, 0));
    CHECK(DRIVER(cuCtxSetCurrent)(context));
    CHECK(DRIVER(cuStreamCreate)(&stream, CU_STREAM_NON_BLOCKING));
    CHECK(DRIVER(cuMemAlloc_v2)(&device, 4096));
    CHECK(DRIVER(cuMemHostAlloc)((void **)&pinned, 4096, 0));
    CHECK(DRIVER(cuModuleLoadData)(&module, ptx));
    CHECK(DRIVER(cuModuleGetFunction)(&function, module, "xs_noop"));
    pageable = calloc(1, 4096);

    print_metric("wrapper.present", "", call[WRAPPED].up != call[REAL].up, call[WRAPPED].up != call[REAL].up);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        measure(i, 1 + (int)(30 * scale));
        let_settle();
    }
    measure_sustained(1 + (int)(200000 * scale));
    free(pageable);
    return 0;
}
