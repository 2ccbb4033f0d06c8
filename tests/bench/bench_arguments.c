/* What looking at the arguments of a launch costs by itself: the sources are linked in, and the driver is a stand-in
 * that knows the parameters of a few functions. Nothing is launched. */
#include <stdint.h>

#include "preload/driver/driver_api.h"

#include "measure.h"
#include "preload/capture/arguments.h"
#include "preload/core/hooks.h"
#include "preload/core/memory_map.h"
#include "preload/core/notes.h"
#include "preload/core/thread.h"
#include "preload/driver/real.h"

enum { FUNCTIONS = 64, ALLOCATIONS = 512, MOST_POINTERS = 32, PER_BATCH = 20000 };

void *xs_driver_functions[XS_DRIVER_COUNT];
const struct xs_hooks xs_hooks; /* the state is active and the thread stays, so neither is called */
static unsigned pointers;       /* that every function takes, and an int */
static char functions[FUNCTIONS];

void xs_note(const char *topic, const char *format, ...) {
    (void)topic;
    (void)format;
}

static CUresult CUDAAPI param_info(CUfunction function, size_t index, size_t *offset, size_t *bytes) {
    (void)function;
    *offset = index * 8;
    *bytes = index < pointers ? 8 : 4;
    return index <= pointers ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* Launches of `kinds` functions in turn, launch k with the allocations from k * stride on. */
static void measure(const char *metric, unsigned count, unsigned kinds, unsigned stride, uint64_t allocation_bytes) {
    static double ns[30];
    static uint64_t values[FUNCTIONS][MOST_POINTERS];
    static void *params[FUNCTIONS][MOST_POINTERS + 1];
    static struct xs_event event;
    int n = 1;
    char name[64];
    xs_arguments_functions_go();
    xs_map_clear();
    for (uint32_t id = 0; id < ALLOCATIONS; id++) {
        uint64_t start = UINT64_C(0x7f0000000000) + id * allocation_bytes;
        struct xs_memory_range range = {
            .start = start, .end = start + allocation_bytes, .id = id + 1, .kind = XS_MEM_DEVICE};
        CHECK(!xs_map_insert(&range));
    }
    pointers = count;
    for (unsigned f = 0; f < kinds; f++) {
        for (unsigned i = 0; i < count; i++) {
            unsigned which = (f * stride + i * 7) % ALLOCATIONS;
            values[f][i] = UINT64_C(0x7f0000000000) + which * allocation_bytes + 64 * i;
            params[f][i] = &values[f][i];
        }
        params[f][count] = &n;
        (void)xs_arguments_record(&event, (CUfunction)&functions[f], params[f], NULL);
    }
    for (size_t batch = 0; batch < sizeof ns / sizeof *ns; batch++) {
        double start = now_us();
        for (unsigned i = 0, f = 0; i < PER_BATCH; i++, f = f + 1 < kinds ? f + 1 : 0) {
            struct xs_event *e = xs_decode_arguments(&event, CUDA_SUCCESS, (CUfunction)&functions[f], params[f], NULL);
            __asm__ volatile("" : : "r"(e) : "memory");
        }
        ns[batch] = (now_us() - start) * 1e3 / PER_BATCH;
    }
    snprintf(name, sizeof name, "arguments.%s", metric);
    print_batches(name, "ns", ns, (int)(sizeof ns / sizeof *ns));
}

int main(void) {
    const char *path = "bench_arguments.spool";
    remove(path);
    CHECK(xs_spool_create(path, XS_SPOOL_HEADER_BYTES + 16 * XS_SPOOL_CHUNK_BYTES, 16, &xs_spool));
    remove(path);
    xs_driver_functions[XS_DRIVER_cuFuncGetParamInfo] = (void *)param_info;
    xs_arguments_on = true;
    atomic_store(&xs_state, XS_STATE_ACTIVE);
    CHECK(!xs_begin(
        0, &(struct xs_guard_note){0})); /* the thread has a chunk from here on, into which new sets are written */
    measure("no_pointers", 0, 1, 0, 4 << 20);
    measure("4_pointers", 4, 1, 0, 4 << 20);
    measure("4_pointers_small", 4, 1, 0, 4096);
    measure("8_pointers", 8, 1, 0, 4 << 20);
    measure("32_pointers", 32, 1, 0, 4 << 20);
    measure("4_pointers_64_functions", 4, 64, 5, 4 << 20);
    return 0;
}
