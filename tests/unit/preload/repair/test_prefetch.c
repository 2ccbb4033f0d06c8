/* The repair prefetch, with a driver that moves a page away from the host by taking it out of the page table, as the
 * real one does. */
#include "unit.h"

#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "preload/capture/arguments.h"
#include "preload/driver/real.h"
#include "preload/repair/repair_hooks.h"
#include "preload/repair/repair_plan.h"

enum { PAGES = 64, PARTS = 16 };
#define STREAM ((CUstream)(uintptr_t)0x5000)

/* ---- what is beside the source under test ---- */

void *xs_driver_functions[XS_DRIVER_COUNT];
void *xs_real_gated[XS_GATED_COUNT];
void *xs_repair_beneath[XS_ROW_COUNT];
_Atomic int xs_repair_captures;
_Atomic bool xs_repair_may_hold;

static _Atomic unsigned applied, refused;
static const char *_Atomic reason;
static _Atomic uint64_t unplanned_bytes;

bool xs_real_resolve(void) { return true; }
void *xs_repair_put_beneath(unsigned row, void *by) {
    void *there = xs_repair_beneath[row];
    xs_repair_beneath[row] = by;
    return there;
}
void xs_repair_applied(enum xs_repair_id id, uint64_t bytes) {
    assert_int_equal(id, XS_REPAIR_PREFETCH);
    assert_true(bytes > 0);
    applied++;
}
void xs_repair_refused(enum xs_repair_id id, const char *why) {
    assert_int_equal(id, XS_REPAIR_PREFETCH);
    refused++;
    reason = why;
}
bool xs_plan_has_size(enum xs_repair_id repair, uint64_t bytes) {
    (void)repair;
    return bytes != unplanned_bytes;
}

/* Kernels take three pointers, the second and third of them within one structure. */
static const struct xs_pointer_position positions[3] = {{0, 0, 0}, {1, 0, 8}, {1, 8, 16}};
static struct xs_layout *layout;
const struct xs_layout *xs_layout_of(CUfunction function) { return function ? layout : NULL; }
void xs_layouts_drop(void) {}

/* ---- the driver ---- */

static size_t page, free_bytes;
static CUdevice device;
static bool fails;
static unsigned launches;
static struct move {
    uint64_t from, bytes;
    CUdevice to;
    CUstream stream;
    unsigned launches; /* before it */
} moves[64];
static unsigned move_count;
static bool keeps_moves = true;

static CUresult CUDAAPI prefetch(CUdeviceptr p, size_t bytes, CUdevice to, CUstream stream) {
    if (fails)
        return CUDA_ERROR_INVALID_VALUE;
    if (keeps_moves) {
        assert_true(move_count < COUNT_OF(moves));
        moves[move_count++] = (struct move){p, bytes, to, stream, launches};
    }
    return to == CU_DEVICE_CPU || madvise((void *)p, bytes, MADV_DONTNEED) == 0 ? CUDA_SUCCESS
                                                                                : CUDA_ERROR_INVALID_VALUE;
}
static CUresult CUDAAPI launch_kernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                                      unsigned bz, unsigned shared, CUstream stream, void **params, void **extra) {
    (void)f, (void)gx, (void)gy, (void)gz, (void)bx, (void)by, (void)bz, (void)shared, (void)stream, (void)params;
    (void)extra;
    __atomic_fetch_add(&launches, 1, __ATOMIC_RELAXED);
    return CUDA_SUCCESS;
}
static CUresult CUDAAPI launch_kernel_ex(const CUlaunchConfig *config, CUfunction f, void **params, void **extra) {
    (void)config, (void)f, (void)params, (void)extra;
    launches++;
    return CUDA_SUCCESS;
}
static CUresult CUDAAPI alloc_managed(CUdeviceptr *out, size_t bytes, unsigned flags) {
    (void)flags;
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(p != MAP_FAILED);
    madvise(p, bytes, MADV_NOHUGEPAGE);
    *out = (CUdeviceptr)p;
    return CUDA_SUCCESS;
}
static CUresult CUDAAPI free_memory(CUdeviceptr p) { return p ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; }
static CUresult CUDAAPI advise(CUdeviceptr p, size_t bytes, CUmem_advise advice, CUmemLocation location) {
    (void)p, (void)bytes, (void)advice, (void)location;
    return CUDA_SUCCESS;
}
static CUresult CUDAAPI attach(CUstream stream, CUdeviceptr p, size_t bytes, unsigned flags) {
    (void)stream, (void)p, (void)bytes, (void)flags;
    return CUDA_SUCCESS;
}
static CUresult CUDAAPI get_device(CUdevice *out) {
    *out = device;
    return CUDA_SUCCESS;
}
/* Device 1 cannot use managed memory at the same time as the host; on device 2 the host sees all of its memory. */
static CUresult CUDAAPI get_attribute(int *out, CUdevice_attribute attribute, CUdevice of) {
    *out = attribute == CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS ? of != 1 : of == 2;
    return CUDA_SUCCESS;
}
static CUresult CUDAAPI get_info(size_t *free_out, size_t *total) {
    *free_out = free_bytes;
    *total = 1 << 30;
    return CUDA_SUCCESS;
}

/* ---- the program ---- */

#define CALL(name) ((__typeof__(&name))xs_repair_beneath[XS_ROW_##name])

static unsigned char *allocate(size_t pages) {
    CUdeviceptr p;
    assert_int_equal(CALL(cuMemAllocManaged)(&p, pages * page, CU_MEM_ATTACH_GLOBAL), CUDA_SUCCESS);
    return (unsigned char *)p;
}
static void release(unsigned char *p, size_t pages) {
    assert_int_equal(CALL(cuMemFree_v2)((CUdeviceptr)p), CUDA_SUCCESS);
    munmap(p, pages * page);
}
static void touch(unsigned char *p, size_t first, size_t pages) {
    for (size_t i = first; i < first + pages; i++)
        ((volatile unsigned char *)p)[i * page] = 1;
}
static void launch(const void *first, const void *second, CUstream stream) {
    const void *both[2] = {NULL, second};
    void *params[] = {(void *)&first, (void *)both};
    unsigned before = launches;
    assert_int_equal(CALL(cuLaunchKernel)((CUfunction)(uintptr_t)1, 1, 1, 1, 1, 1, 1, 0, stream, params, NULL),
                     CUDA_SUCCESS);
    assert_int_equal(launches, before + 1);
}
static void synchronize(CUstream stream) {
    struct xs_repair_call call = {
        .row = XS_ROW_cuStreamSynchronize, .category = XS_CAT_SYNC, .has_stream = true, .stream = stream};
    xs_repair_prefetch.before(&call);
    xs_repair_prefetch.after(&call);
}
static void synchronize_context(void) {
    struct xs_repair_call call = {.row = XS_ROW_cuCtxSynchronize, .category = XS_CAT_SYNC};
    xs_repair_prefetch.before(&call);
    xs_repair_prefetch.after(&call);
}

static int begin(void **state) {
    (void)state;
    move_count = launches = 0;
    applied = refused = 0;
    reason = "";
    device = 0;
    free_bytes = 1 << 30;
    unplanned_bytes = 0;
    fails = false;
    return 0;
}

static void assert_move(unsigned i, const unsigned char *from, size_t pages, CUdevice to, CUstream stream) {
    assert_true(i < move_count);
    assert_true(moves[i].from == (uint64_t)(uintptr_t)from);
    assert_int_equal(moves[i].bytes, pages * page);
    assert_int_equal(moves[i].to, to);
    assert_ptr_equal(moves[i].stream, stream);
}

/* ---- to the device ---- */

static void what_lies_on_the_host_goes_first(void **state) {
    (void)state;
    unsigned char *a = allocate(PAGES), *b = allocate(PAGES), *other = allocate(PAGES);
    touch(a, 0, PAGES);
    touch(b, 0, PAGES);
    touch(other, 0, PAGES);
    launch(a, b + 100, STREAM); /* anywhere within */
    assert_int_equal(move_count, 2);
    assert_move(0, a, PAGES, 0, STREAM);
    assert_move(1, b, PAGES, 0, STREAM);
    assert_int_equal(moves[0].launches, 0);
    assert_int_equal(applied, 2);
    release(a, PAGES);
    release(b, PAGES);
    launch(a, b, STREAM);
    assert_int_equal(move_count, 2);
    release(other, PAGES);
}

static void a_launch_by_config_too(void **state) {
    (void)state;
    unsigned char *a = allocate(PAGES);
    void *params[] = {&a, &(void *[2]){NULL, NULL}};
    CUlaunchConfig config = {.hStream = NULL};
    touch(a, 0, PAGES);
    assert_int_equal(CALL(cuLaunchKernelEx)(&config, (CUfunction)(uintptr_t)1, params, NULL), CUDA_SUCCESS);
    assert_move(0, a, PAGES, 0, CU_STREAM_LEGACY);
    assert_int_equal(CALL(cuLaunchKernelEx)(NULL, (CUfunction)(uintptr_t)1, params, NULL), CUDA_SUCCESS);
    release(a, PAGES);
}

static void only_the_parts_that_the_host_touched(void **state) {
    (void)state;
    unsigned char *a = allocate(PAGES);
    touch(a, 0, 1);
    touch(a, PAGES / 2, PAGES / 4);
    touch(a, PAGES - 1, 1);
    launch(a, NULL, STREAM);
    assert_int_equal(move_count, 3);
    assert_move(0, a, PAGES / PARTS, 0, STREAM);
    assert_move(1, a + PAGES / 2 * page, PAGES / 4, 0, STREAM);
    assert_move(2, a + (PAGES - PAGES / PARTS) * page, PAGES / PARTS, 0, STREAM);
    release(a, PAGES);
}

static void small_ones_and_odd_sizes(void **state) {
    (void)state;
    for (size_t pages = 1; pages < 40; pages++) {
        unsigned char *a = allocate(pages);
        begin(NULL);
        touch(a, 0, pages);
        launch(a, NULL, STREAM);
        assert_int_equal(move_count, 1);
        assert_move(0, a, pages, 0, STREAM);
        release(a, pages);
    }
}

static void pages_are_looked_at_after_waits_alone(void **state) {
    (void)state;
    unsigned char *a = allocate(PAGES);
    touch(a, 0, PAGES);
    launch(a, NULL, STREAM);
    touch(a, 0, PAGES);
    launch(a, NULL, STREAM); /* while the first kernel may run: the host had no business there */
    assert_int_equal(move_count, 1);
    synchronize(STREAM);
    launch(a, NULL, STREAM);
    assert_int_equal(move_count, 2);
    synchronize(STREAM);
    launch(a, NULL, STREAM); /* memory that the host did not touch */
    assert_int_equal(move_count, 2);
    release(a, PAGES);
}

/* ---- and back ---- */

static void the_way_back_is_left_to_the_host(void **state) {
    (void)state;
    unsigned char *a = allocate(PAGES);
    for (unsigned round = 1; round < 20; round++) {
        touch(a, 0, PAGES);
        launch(a, NULL, NULL);
        synchronize_context();
        synchronize(NULL);
        assert_int_equal(move_count, round);
        assert_move(round - 1, a, PAGES, 0, CU_STREAM_LEGACY);
    }
    release(a, PAGES);
}

/* ---- not at all ---- */

static void assert_refused(unsigned char *a, const char *why) {
    begin(NULL);
    touch(a, 0, PAGES);
    launch(a, NULL, STREAM);
    assert_int_equal(move_count, 0);
    assert_int_equal(applied, 0);
    assert_string_equal(reason, why);
    assert_int_equal(refused, why[0] != 0);
    release(a, PAGES);
}

static void what_the_program_places_is_left_alone(void **state) {
    (void)state;
    CUmemLocation gpu = {.type = CU_MEM_LOCATION_TYPE_DEVICE};
    unsigned char *a = allocate(PAGES);
    CALL(cuMemAdvise_v2)((CUdeviceptr)a + page, page, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, gpu);
    assert_refused(a, "the program places it itself");
    a = allocate(PAGES);
    CALL(cuStreamAttachMemAsync)(NULL, (CUdeviceptr)a, 0, CU_MEM_ATTACH_SINGLE);
    assert_refused(a, "the program places it itself");
    CUdeviceptr p;
    CALL(cuMemAllocManaged)(&p, PAGES * page, CU_MEM_ATTACH_HOST);
    assert_refused((unsigned char *)p, "the program places it itself");
    a = allocate(PAGES);
    touch(a, 0, PAGES);
    launch(a, NULL, STREAM); /* what lies beside it is not concerned */
    assert_int_equal(move_count, 1);
    release(a, PAGES);
}

static void nothing_while_a_stream_captures(void **state) {
    (void)state;
    atomic_store(&xs_repair_captures, 1);
    assert_refused(allocate(PAGES), "a stream captures a graph");
    atomic_store(&xs_repair_captures, 0);
}

static void nothing_that_the_plan_does_not_name(void **state) {
    (void)state;
    unplanned_bytes = PAGES * page;
    unsigned char *a = allocate(PAGES);
    assert_refused(a, "");
}

static void nothing_on_such_devices(void **state) {
    (void)state;
    for (CUdevice d = 1; d <= 2; d++) {
        unsigned char *a = allocate(PAGES);
        touch(a, 0, PAGES);
        device = d;
        launch(a, NULL, STREAM);
        assert_int_equal(move_count, 0);
        assert_string_equal(reason, "host and device cannot use managed memory at once");
        release(a, PAGES);
    }
}

static void nothing_larger_than_free_memory(void **state) {
    (void)state;
    unsigned char *a = allocate(PAGES), *b;
    touch(a, 0, PAGES);
    free_bytes = PAGES * page - 1;
    launch(a, NULL, STREAM);
    assert_int_equal(move_count, 0);
    assert_string_equal(reason, "more than the device has free");
    release(a, PAGES);
    /* What went there once may go again: it is itself what is missing. */
    b = allocate(PAGES);
    touch(b, 0, PAGES);
    free_bytes = PAGES * page;
    launch(b, NULL, STREAM);
    free_bytes = 0;
    synchronize(STREAM);
    touch(b, 0, PAGES);
    launch(b, NULL, STREAM);
    assert_int_equal(move_count, 2);
    release(b, PAGES);
}

static void parameters_that_cannot_be_read(void **state) {
    (void)state;
    unsigned char *a = allocate(PAGES);
    void *bad[] = {(void *)(uintptr_t)16, (void *)(uintptr_t)-16};
    touch(a, 0, PAGES);
    __typeof__(&cuLaunchKernel) call = CALL(cuLaunchKernel);
    CUfunction f = (CUfunction)(uintptr_t)1;
    assert_int_equal(call(f, 1, 1, 1, 1, 1, 1, 0, NULL, bad, NULL), CUDA_SUCCESS);
    assert_int_equal(call(f, 1, 1, 1, 1, 1, 1, 0, NULL, (void **)(uintptr_t)16, NULL), CUDA_SUCCESS);
    assert_int_equal(call(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, bad), CUDA_SUCCESS);
    assert_string_equal(reason, "the kernel's parameters are in a buffer");
    assert_int_equal(call(NULL, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), CUDA_SUCCESS);
    assert_string_equal(reason, "the driver does not tell the kernel's parameters");
    assert_int_equal(move_count, 0);
    assert_int_equal(launches, 4);
    launch(a, NULL, STREAM);
    assert_int_equal(move_count, 1);
    release(a, PAGES);
}

static void a_driver_that_refuses_is_not_asked_again(void **state) {
    (void)state;
    unsigned char *a = allocate(PAGES);
    touch(a, 0, PAGES);
    fails = true;
    launch(a, NULL, STREAM);
    assert_string_equal(reason, "the driver refused it");
    fails = false;
    synchronize(STREAM);
    launch(a, NULL, STREAM);
    assert_int_equal(move_count, 0);
    release(a, PAGES);
}

static void more_allocations_than_are_known(void **state) {
    (void)state;
    enum { COUNT = 300 };
    static unsigned char *all[COUNT];
    for (unsigned i = 0; i < COUNT; i++)
        all[i] = allocate(1);
    assert_string_equal(reason, "too many managed allocations");
    assert_int_equal(refused, COUNT - 256);
    for (unsigned i = 0; i < COUNT; i++)
        release(all[i], 1);
    unsigned char *a = allocate(PAGES);
    touch(a, 0, PAGES);
    launch(a, NULL, STREAM);
    assert_int_equal(move_count, 1);
    release(a, PAGES);
}

/* ---- at once ---- */

static void *work(void *argument) {
    unsigned char *shared = argument;
    for (unsigned i = 0; i < 300; i++) {
        CUdeviceptr own;
        CALL(cuMemAllocManaged)(&own, 4 * page, CU_MEM_ATTACH_GLOBAL);
        const void *first = (void *)own, *both[2] = {shared, shared};
        void *params[] = {&first, both};
        *(volatile unsigned char *)own = 1;
        CALL(cuLaunchKernel)((CUfunction)(uintptr_t)1, 1, 1, 1, 1, 1, 1, 0, STREAM, params, NULL);
        synchronize(STREAM);
        CALL(cuMemFree_v2)(own);
        munmap((void *)own, 4 * page);
    }
    return NULL;
}

static void eight_threads(void **state) {
    (void)state;
    pthread_t threads[8];
    unsigned char *shared = allocate(PAGES);
    keeps_moves = false;
    for (unsigned i = 0; i < COUNT_OF(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, shared), 0);
    for (unsigned i = 0; i < COUNT_OF(threads); i++)
        pthread_join(threads[i], NULL);
    keeps_moves = true;
    assert_int_equal(launches, 8 * 300);
    release(shared, PAGES);
}

/* This test comes last, because its effect holds for the rest of the process. */

static void nothing_after_the_end(void **state) {
    (void)state;
    unsigned char *a = allocate(PAGES);
    xs_repair_prefetch.finish();
    assert_refused(a, "");
}

static int start(void **state) {
    const char *why = NULL;
    (void)state;
    page = (size_t)sysconf(_SC_PAGESIZE);
    layout = calloc(1, sizeof *layout + sizeof positions);
    layout->count = COUNT_OF(positions);
    memcpy(layout->positions, positions, sizeof positions);
    if (xs_repair_prefetch.start(&why) || !why)
        return -1; /* no such driver */
    xs_repair_beneath[XS_ROW_cuMemPrefetchAsync] = (void *)prefetch;
    xs_repair_beneath[XS_ROW_cuLaunchKernel] = (void *)launch_kernel;
    xs_repair_beneath[XS_ROW_cuLaunchKernelEx] = (void *)launch_kernel_ex;
    xs_repair_beneath[XS_ROW_cuMemAllocManaged] = (void *)alloc_managed;
    xs_repair_beneath[XS_ROW_cuMemFree_v2] = (void *)free_memory;
    xs_repair_beneath[XS_ROW_cuMemAdvise_v2] = (void *)advise;
    xs_repair_beneath[XS_ROW_cuStreamAttachMemAsync] = (void *)attach;
    xs_driver_functions[XS_DRIVER_cuCtxGetDevice] = (void *)get_device;
    xs_driver_functions[XS_DRIVER_cuDeviceGetAttribute] = (void *)get_attribute;
    xs_real_gated[XS_GATED_cuMemGetInfo_v2] = (void *)get_info;
    return xs_repair_prefetch.start(&why) ? 0 : -1;
}

static int end(void **state) {
    (void)state;
    free(layout);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(what_lies_on_the_host_goes_first, begin),
        cmocka_unit_test_setup(a_launch_by_config_too, begin),
        cmocka_unit_test_setup(only_the_parts_that_the_host_touched, begin),
        cmocka_unit_test_setup(small_ones_and_odd_sizes, begin),
        cmocka_unit_test_setup(pages_are_looked_at_after_waits_alone, begin),
        cmocka_unit_test_setup(the_way_back_is_left_to_the_host, begin),
        cmocka_unit_test_setup(what_the_program_places_is_left_alone, begin),
        cmocka_unit_test_setup(nothing_while_a_stream_captures, begin),
        cmocka_unit_test_setup(nothing_that_the_plan_does_not_name, begin),
        cmocka_unit_test_setup(nothing_on_such_devices, begin),
        cmocka_unit_test_setup(nothing_larger_than_free_memory, begin),
        cmocka_unit_test_setup(parameters_that_cannot_be_read, begin),
        cmocka_unit_test_setup(a_driver_that_refuses_is_not_asked_again, begin),
        cmocka_unit_test_setup(more_allocations_than_are_known, begin),
        cmocka_unit_test_setup(eight_threads, begin),
        cmocka_unit_test_setup(nothing_after_the_end, begin),
    };
    return cmocka_run_group_tests(tests, start, end);
}
