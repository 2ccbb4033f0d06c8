/* Measures how much of the caller's stack a wrapper uses. Each call is made directly, by the driver's own address, and
 * also through the wrapper. Before each call the unused part of the stack is filled with one value (the paint). The
 * lowest byte that is no longer paint shows how deep in the stack the call came. */
#ifndef XFERSPY_E2E_SMALL_STACK_H
#define XFERSPY_E2E_SMALL_STACK_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <cuda.h>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

#include "../arguments/add_one_ptx.h"
#include "../check.h"

enum {
    WRAPPER_BYTES_MAX = 2048, /* stack that a wrapper may use in addition to the real call */
    MEMORY_BYTES = 4096,
    REFILLS = 1100, /* copies that need more than one chunk of the spool */
    PAINT = 0xa5,
};

/* ---- the driver's own addresses, which dlsym does not return if libxferspy.so is preloaded ---- */

struct search {
    const char *name;
    void *found;
};

static int search_driver(struct dl_phdr_info *info, size_t size, void *arg) {
    struct search *s = arg;
    const char *file = strrchr(info->dlpi_name, '/');
    const ElfW(Sym) *symbols = NULL;
    const char *names = NULL;
    (void)size;
    if (!file || strncmp(file, "/libcuda.so", 11) != 0)
        return 0;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type != PT_DYNAMIC)
            continue;
        for (const ElfW(Dyn) *d = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr); d->d_tag; d++) {
            symbols = d->d_tag == DT_SYMTAB ? (const void *)d->d_un.d_ptr : symbols;
            names = d->d_tag == DT_STRTAB ? (const void *)d->d_un.d_ptr : names;
        }
    }
    for (; (const char *)symbols < names; symbols++) /* linkers put the names directly after the symbols */
        if (symbols->st_value && strcmp(names + symbols->st_name, s->name) == 0)
            s->found = (void *)(info->dlpi_addr + symbols->st_value);
    return 1;
}

static void *real_address(const char *name) {
    struct search s = {name, NULL};
    dl_iterate_phdr(search_driver, &s);
    REQUIRE(s.found != NULL);
    return s.found;
}

/* ---- the calls ---- */

enum { WRAPPED, REAL, WAYS };

static struct calls {
    __typeof__(&cuMemcpyHtoD_v2) up;
    __typeof__(&cuMemcpyDtoH_v2) down;
    __typeof__(&cuMemcpyHtoDAsync_v2) up_async;
    __typeof__(&cuMemcpy2D_v2) up_2d;
    __typeof__(&cuLaunchKernel) launch;
    __typeof__(&cuMemAlloc_v2) allocate;
    __typeof__(&cuMemFree_v2) free;
    __typeof__(&cuMemsetD8Async) set;
    __typeof__(&cuStreamSynchronize) wait;
} ways[WAYS];

static void *by_symbol(int way, void *driver, const char *name) {
    return way == REAL ? real_address(name) : dlsym(driver, name);
}

static void resolve(void) {
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    REQUIRE(driver != NULL);
    for (int way = 0; way < WAYS; way++) {
        *(void **)&ways[way].up = by_symbol(way, driver, "cuMemcpyHtoD_v2");
        *(void **)&ways[way].down = by_symbol(way, driver, "cuMemcpyDtoH_v2");
        *(void **)&ways[way].up_async = by_symbol(way, driver, "cuMemcpyHtoDAsync_v2");
        *(void **)&ways[way].up_2d = by_symbol(way, driver, "cuMemcpy2D_v2");
        *(void **)&ways[way].launch = by_symbol(way, driver, "cuLaunchKernel");
        *(void **)&ways[way].allocate = by_symbol(way, driver, "cuMemAlloc_v2");
        *(void **)&ways[way].free = by_symbol(way, driver, "cuMemFree_v2");
        *(void **)&ways[way].set = by_symbol(way, driver, "cuMemsetD8Async");
        *(void **)&ways[way].wait = by_symbol(way, driver, "cuStreamSynchronize");
    }
}

static CUcontext context;
static CUdeviceptr device;
static CUfunction function;
static CUstream stream;
static unsigned char *pinned, pageable[MEMORY_BYTES];
static const struct calls *use;

static void call_up(void) { OK(use->up(device, pageable, sizeof pageable)); }
static void call_down(void) { OK(use->down(pageable, device, sizeof pageable)); }
static void call_down_little(void) { OK(use->down(pageable, device, 100)); }
static void call_up_async(void) { OK(use->up_async(device, pinned, MEMORY_BYTES, stream)); }
static void call_up_2d(void) {
    CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                          .srcHost = pageable,
                          .srcPitch = 64,
                          .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                          .dstDevice = device,
                          .dstPitch = 64,
                          .WidthInBytes = 32,
                          .Height = 8};
    OK(use->up_2d(&copy));
}
static void call_launch(void) {
    size_t n = 100;
    void *parameters[] = {&device, &n};
    OK(use->launch(function, 1, 1, 1, 64, 1, 1, 0, stream, parameters, NULL));
}
static void call_allocate_free(void) {
    CUdeviceptr memory;
    OK(use->allocate(&memory, MEMORY_BYTES));
    OK(use->free(memory));
}
static void call_set(void) { OK(use->set(device, 1, MEMORY_BYTES, stream)); }
static void call_wait(void) { OK(use->wait(stream)); }
static void call_up_often(void) {
    for (int i = 0; i < REFILLS; i++)
        call_up();
}

/* The first entry is the first call of the process that xferspy sees. */
static void (*const calls[])(void) = {call_down_little, call_up,   call_down,          call_up_async, call_up_2d,
                                      call_launch,      call_wait, call_allocate_free, call_set,      call_up_often};
static const char *const call_names[] = {
    "first, a small download", "upload",     "download",    "asynchronous upload", "2D upload", "launch", "wait",
    "allocation and free",     "memory set", "many uploads"};
enum { CALLS = sizeof calls / sizeof *calls };

/* Makes the context and everything else that the calls need, without a call that xferspy sees. */
static void prepare(void) {
    CUmodule module;
    CUdevice ordinal;
    resolve();
    OK(((__typeof__(&cuInit))real_address("cuInit"))(0));
    OK(((__typeof__(&cuDeviceGet))real_address("cuDeviceGet"))(&ordinal, 0));
    OK(((__typeof__(&cuDevicePrimaryCtxRetain))real_address("cuDevicePrimaryCtxRetain"))(&context, ordinal));
    OK(((__typeof__(&cuCtxSetCurrent))real_address("cuCtxSetCurrent"))(context));
    OK(((__typeof__(&cuModuleLoadData))real_address("cuModuleLoadData"))(&module, add_one_ptx));
    OK(((__typeof__(&cuModuleGetFunction))real_address("cuModuleGetFunction"))(&function, module, "xs_add_one_u8"));
    OK(((__typeof__(&cuStreamCreate))real_address("cuStreamCreate"))(&stream, 0));
    OK(ways[REAL].allocate(&device, MEMORY_BYTES));
    OK(((__typeof__(&cuMemAllocHost_v2))real_address("cuMemAllocHost_v2"))((void **)&pinned, MEMORY_BYTES));
}

/* ---- the paint ---- */

/* Paints the stack from `low` to a little below this function's own frame. The bytes above, which are not painted,
 * count as used by every call. */
static __attribute__((noinline, noclone)) void paint(unsigned char *low) {
    volatile unsigned char *end = (unsigned char *)__builtin_frame_address(0) - 256;
    for (volatile unsigned char *p = low; p < end; p++)
        *p = PAINT;
}

static __attribute__((noinline, noclone)) size_t depth_of(void (*call)(void), unsigned char *low) {
    unsigned char *here = __builtin_frame_address(0);
    paint(low);
    call();
    volatile unsigned char *p = low;
    while (p < here && *p == PAINT)
        p++;
    return (size_t)(here - p);
}

static size_t depths[CALLS][WAYS];

/* Runs on the stack whose lowest address is `low`. Makes each call once without measuring it, because the driver does
 * more work at the first call. */
static void measure_all(unsigned char *low) {
    for (int i = 0; i < CALLS; i++) {
        use = &ways[REAL];
        calls[i]();
        depths[i][REAL] = depth_of(calls[i], low);
        for (int again = 0; again < 3; again++) {
            use = &ways[WRAPPED];
            size_t depth = depth_of(calls[i], low);
            depths[i][WRAPPED] = depth > depths[i][WRAPPED] ? depth : depths[i][WRAPPED];
        }
    }
}

static void judge(void) {
    bool good = true;
    for (int i = 0; i < CALLS; i++) {
        size_t more = depths[i][WRAPPED] > depths[i][REAL] ? depths[i][WRAPPED] - depths[i][REAL] : 0;
        if (getenv("SMALL_STACK_NUMBERS"))
            fprintf(stderr, "%s: %zu bytes, and %zu more in the wrapper\n", call_names[i], depths[i][REAL], more);
        REQUIRE(depths[i][REAL] > 0);
        good &= more <= WRAPPER_BYTES_MAX;
        if (more > WRAPPER_BYTES_MAX)
            fprintf(stderr, "%s: the wrapper takes %zu bytes of the stack\n", call_names[i], more);
    }
    REQUIRE(good);
    puts("data ok");
}

#endif
