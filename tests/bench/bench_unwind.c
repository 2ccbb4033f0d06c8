/* Measures what a native stack of 30 frames costs with xferspy's unwinders and with others. Warm: the code was walked
 * before. Cold: everything known about the code was just dropped, as at the first call from a place (here the places
 * share most frames). */
#include <stdbool.h>
#include <stdint.h>
#ifdef BENCH_LIBUNWIND
#define UNW_LOCAL_ONLY
#include <libunwind.h>
#endif

#include "measure.h"
#include "preload/callsite/native.h"
#include "preload/callsite/native_modules.h"

enum { FRAMES = 30, PER_BATCH = 20000, PER_COLD_BATCH = 100, BATCHES = 30 };

bool xs_define(struct xs_event **e, enum xs_definition what, uint32_t id, const void *data, size_t bytes) {
    (void)e, (void)what, (void)id, (void)data, (void)bytes;
    return true;
}

static void by_xferspy(enum xs_unwinder how) {
    uint64_t pcs[FRAMES];
    bool is_cut;
    struct xs_caller caller = {(uint64_t)__builtin_return_address(0), (uint64_t)__builtin_frame_address(0) + 16,
                               *(uint64_t *)__builtin_frame_address(0)};
    if (xs_native_walk(how, &caller, pcs, FRAMES, &is_cut, NULL) != FRAMES && how != XS_UNWIND_FP) {
        fprintf(stderr, "a walk was too short\n");
        exit(1);
    }
}

static __attribute__((noinline)) void by_auto(void) { by_xferspy(XS_UNWIND_AUTO); }
static __attribute__((noinline)) void by_fp(void) { by_xferspy(XS_UNWIND_FP); }
static __attribute__((noinline)) void by_dwarf(void) { by_xferspy(XS_UNWIND_DWARF); }
/* glibc's own: libunwind has one, too. */
static int (*glibc_backtrace)(void **, int);
static __attribute__((noinline)) void by_backtrace(void) {
    void *frames[FRAMES];
    glibc_backtrace(frames, FRAMES);
}
#ifdef BENCH_LIBUNWIND
static __attribute__((noinline)) void by_libunwind(void) {
    void *frames[FRAMES];
    unw_backtrace(frames, FRAMES);
}
#endif

static double ns_of(void (*walk)(void), int times, bool is_cold) {
    double total = 0;
    for (int i = 0; i < times; i += is_cold ? 1 : times) {
        if (is_cold)
            xs_rules_drop();
        double start = now_us();
        for (int k = 0; k < (is_cold ? 1 : times); k++)
            walk();
        total += now_us() - start;
    }
    return total * 1e3 / times;
}

static void measure(const char *metric, void (*walk)(void), bool is_cold) {
    double ns[BATCHES];
    int times = is_cold ? PER_COLD_BATCH : PER_BATCH;
    walk();
    for (int i = 0; i < BATCHES; i++)
        ns[i] = ns_of(walk, times, is_cold);
    print_batches(metric, "ns", ns, BATCHES);
}

static void measure_all(void) {
    measure("auto_30_frames_warm", by_auto, false);
    measure("fp_30_frames_warm", by_fp, false);
    measure("dwarf_30_frames_warm", by_dwarf, false);
    measure("backtrace_30_frames_warm", by_backtrace, false);
#ifdef BENCH_LIBUNWIND
    measure("libunwind_30_frames_warm", by_libunwind, false);
#endif
    measure("auto_30_frames_cold", by_auto, true);
}

/* These are different functions, so that no predictor knows the way better than in a program. */
typedef void step(int depth);
#define STEP(name, next, bytes)                                                                                        \
    static __attribute__((noinline)) void name(int depth) {                                                            \
        char memory[bytes];                                                                                            \
        __asm__ volatile("" : : "r"(memory) : "memory");                                                               \
        if (depth == 0)                                                                                                \
            measure_all();                                                                                             \
        else                                                                                                           \
            next(depth - 1);                                                                                           \
        __asm__ volatile("" : : "r"(memory) : "memory");                                                               \
    }
static step a;
STEP(j, a, 24)
STEP(i, j, 424)
STEP(h, i, 40)
STEP(g, h, 1000)
STEP(f, g, 8)
STEP(e, f, 88)
STEP(d, e, 120)
STEP(c, d, 56)
STEP(b, c, 16)
STEP(a, b, 200)

int main(void) {
    void *libc = dlopen("libc.so.6", RTLD_LAZY);
    if (!libc || !(*(void **)&glibc_backtrace = dlsym(libc, "backtrace"))) {
        fprintf(stderr, "there is no backtrace\n");
        exit(1);
    }
    a(FRAMES);
    dlclose(libc);
    return 0;
}
