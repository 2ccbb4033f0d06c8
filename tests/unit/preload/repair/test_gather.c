/* Tests gathered uploads with a fake driver that notes its calls: which uploads are sent together, in which order, and
 * when. */
#include "unit.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>

#include "preload/core/guard.h"
#include "preload/core/quiescence.h"
#include "preload/driver/driver_context.h"
#include "preload/driver/real.h"
#include "preload/repair/gather_send.h"
#include "preload/repair/repair_plan.h"

/* ---- what the repair stands on ---- */

XS_TLS struct xs_guard xs_guard;
const struct xs_guard_note xs_guard_unleft;
void *xs_real[XS_ROW_COUNT], *xs_driver_functions[XS_DRIVER_COUNT], *xs_repair_beneath[XS_ROW_COUNT];
size_t xs_repair_budget_bytes = 64 << 20;
_Atomic int xs_repair_captures;
_Atomic bool xs_repair_handed_out, xs_repair_may_hold;
enum xs_plan_mode xs_plan_mode;
const struct xs_plan_line *xs_plan_of_copy(enum xs_repair_id repair, const struct xs_repair_copy *copy) {
    (void)repair, (void)copy;
    return NULL;
}
const char *xs_repair_unfit(const struct xs_repair_copy *copy) {
    (void)copy;
    return NULL;
}
static const char *refused;
static unsigned applied;
void xs_repair_applied(enum xs_repair_id id, uint64_t bytes) {
    (void)id, (void)bytes;
    applied++;
}
void xs_repair_refused(enum xs_repair_id id, const char *reason) {
    (void)id;
    refused = reason;
}

/* ---- the driver: device memory is an array, and copies are made at once ---- */

#define DEVICE UINT64_C(0x7000000000)
#define CONTEXT ((CUcontext)(uintptr_t)0x100)
CUcontext xs_context_ask(int8_t *device) {
    *device = 0;
    return CONTEXT;
}
#define STREAM ((CUstream)(uintptr_t)0x2000)
#define OTHER ((CUstream)(uintptr_t)0x3000)
static char memory[1 << 20];
static _Atomic unsigned copies, batches, in_last_batch, records, waits;
static CUresult copies_return;

static CUresult copy_one(CUdeviceptr to, const void *from, size_t bytes, CUstream stream) {
    (void)stream;
    if (copies_return == CUDA_SUCCESS) {
        memcpy(memory + (to - DEVICE), from, bytes);
        atomic_fetch_add(&copies, 1);
    }
    return copies_return;
}
static CUresult copy_batch(CUdeviceptr *to, CUdeviceptr *from, size_t *bytes, size_t count,
                           CUmemcpyAttributes *attributes, size_t *indices, size_t n, CUstream stream) {
    (void)attributes, (void)indices;
    assert_int_equal(n, 1);
    assert_ptr_not_equal(stream, CU_STREAM_LEGACY);
    for (size_t i = count; i-- > 0;) /* in no particular order */
        assert_int_equal(copy_one(to[i], (const void *)(uintptr_t)from[i], bytes[i], stream), CUDA_SUCCESS);
    atomic_fetch_add(&batches, 1);
    atomic_store(&in_last_batch, (unsigned)count);
    return CUDA_SUCCESS;
}
static CUresult host_alloc(void **p, size_t bytes, unsigned flags) {
    (void)flags;
    *p = malloc(bytes);
    return *p ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}
static CUresult free_host(void *p) {
    free(p);
    return CUDA_SUCCESS;
}
static CUresult event_create(CUevent *event, unsigned flags) {
    (void)flags;
    *event = (CUevent)(uintptr_t)1;
    return CUDA_SUCCESS;
}
static CUresult with_event(CUevent event) {
    (void)event;
    return CUDA_SUCCESS;
}
static CUresult event_record(CUevent event, CUstream stream) {
    (void)event, (void)stream;
    atomic_fetch_add(&records, 1);
    return CUDA_SUCCESS;
}
static CUresult event_synchronize(CUevent event) {
    sigset_t blocked;
    (void)event;
    assert_int_equal(pthread_sigmask(SIG_BLOCK, NULL, &blocked), 0);
    assert_false(sigismember(&blocked, SIGINT)); /* a wait may be long */
    atomic_fetch_add(&waits, 1);
    return CUDA_SUCCESS;
}
static CUresult stream_create(CUstream *stream, unsigned flags) {
    (void)flags;
    *stream = (CUstream)(uintptr_t)0x4000;
    return CUDA_SUCCESS;
}
static CUresult stream_destroy(CUstream stream) {
    (void)stream;
    return CUDA_SUCCESS;
}
static CUresult push(CUcontext context) { return context == CONTEXT ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT; }
static CUresult pop(CUcontext *context) {
    *context = CONTEXT;
    return CUDA_SUCCESS;
}
static CUresult exchange(CUstreamCaptureMode *mode) {
    (void)mode;
    return CUDA_SUCCESS;
}

static int set_up(void **state) {
    const char *why;
    (void)state;
    xs_repair_beneath[XS_ROW_cuMemcpyHtoDAsync_v2] = (void *)copy_one;
    xs_repair_beneath[XS_ROW_cuMemcpyDtoHAsync_v2] = (void *)copy_one; /* is only looked for */
    xs_repair_beneath[XS_ROW_cuMemcpyBatchAsync_v2] = (void *)copy_batch;
    xs_repair_beneath[XS_ROW_cuMemHostAlloc] = (void *)host_alloc;
    xs_repair_beneath[XS_ROW_cuMemFreeHost] = (void *)free_host;
    xs_repair_beneath[XS_ROW_cuEventRecord] = (void *)event_record;
    xs_repair_beneath[XS_ROW_cuEventSynchronize] = (void *)event_synchronize;
    xs_repair_beneath[XS_ROW_cuStreamCreate] = (void *)stream_create;
    xs_repair_beneath[XS_ROW_cuStreamDestroy_v2] = (void *)stream_destroy;
    xs_driver_functions[XS_DRIVER_cuEventCreate] = (void *)event_create;
    xs_driver_functions[XS_DRIVER_cuEventQuery] = (void *)with_event;
    xs_driver_functions[XS_DRIVER_cuEventDestroy_v2] = (void *)with_event;
    xs_driver_functions[XS_DRIVER_cuCtxPushCurrent_v2] = (void *)push;
    xs_driver_functions[XS_DRIVER_cuCtxPopCurrent_v2] = (void *)pop;
    xs_driver_functions[XS_DRIVER_cuThreadExchangeStreamCaptureMode] = (void *)exchange;
    assert_true(xs_repair_gather.start(&why));
    return 0;
}

/* ---- the program ---- */

static CUresult last_result;

static bool upload_from(const void *from, uint8_t kind, size_t at, size_t bytes, CUstream stream, bool is_blocking) {
    const struct xs_repair_copy copy = {
        .is_upload = true,
        .is_blocking = is_blocking,
        .host = (uint64_t)(uintptr_t)from,
        .device = DEVICE + at,
        .bytes = bytes,
        .stream = stream,
        .host_kind = kind,
        .range = {.start = DEVICE, .end = DEVICE + sizeof memory, .context = (uint64_t)(uintptr_t)CONTEXT},
        .context = CONTEXT,
    };
    refused = NULL;
    return xs_repair_gather.copy(&copy, &last_result);
}

static bool upload(char value, size_t at, size_t bytes, CUstream stream, bool is_blocking) {
    static char from[65536];
    memset(from, value, bytes);
    bool done = upload_from(from, XS_MEM_PAGEABLE, at, bytes, stream, is_blocking);
    memset(from, '?', bytes);
    return done;
}

static void call(unsigned row, enum xs_category category, CUstream stream) {
    const struct xs_repair_call c = {.row = row, .category = category, .has_stream = stream != NULL, .stream = stream};
    xs_repair_gather.before(&c);
    xs_repair_gather.after(&c);
}
static void launch(CUstream stream) { call(XS_ROW_cuLaunchKernel, XS_CAT_LAUNCH, stream); }
static void wait_for_all(void) { call(XS_ROW_cuCtxSynchronize, XS_CAT_SYNC, NULL); }

static void forget(void) {
    wait_for_all();
    atomic_store(&copies, 0);
    atomic_store(&batches, 0);
    atomic_store(&records, 0);
    atomic_store(&waits, 0);
    memset(memory, 0, sizeof memory);
}

/* A batch, or what remains of one, may have been sent by the thread that watches, where the machine is slow. So a test
 * that is about one batch repeats itself until nobody came between. */
#define UNTIL(condition, ...)                                                                                          \
    do {                                                                                                               \
        forget();                                                                                                      \
        __VA_ARGS__                                                                                                    \
    } while (!(condition))

static void uploads_go_together(void **state) {
    (void)state;
    UNTIL(atomic_load(&batches) == 1, {
        for (size_t i = 0; i < 100; i++) {
            assert_true(upload((char)i, i * 100, 50, STREAM, false));
            assert_int_equal(last_result, CUDA_SUCCESS);
        }
        launch(STREAM);
    });
    assert_int_equal(atomic_load(&in_last_batch), 100);
    for (size_t i = 0; i < 100; i++)
        assert_int_equal(memory[i * 100 + 49], (char)i);
}

static void what_continues_on_both_sides_is_one_copy(void **state) {
    (void)state;
    UNTIL(atomic_load(&copies) == 1, {
        for (size_t i = 0; i < 100; i++)
            assert_true(upload((char)i, i * 33, 33, STREAM, false));
        launch(STREAM);
    });
    for (size_t i = 0; i < 100; i++)
        assert_int_equal(memory[i * 33 + 32], (char)i);
}

static void the_later_one_of_two_that_overlap_counts(void **state) {
    (void)state;
    forget();
    for (size_t round = 0; round < 20; round++)
        for (size_t i = 0; i < 10; i++)
            assert_true(upload((char)(round + i), 1000 * i + 10 * round, 200, STREAM, false));
    launch(STREAM);
    for (size_t i = 0; i < 10; i++) {
        assert_int_equal(memory[1000 * i], (char)i);
        assert_int_equal(memory[1000 * i + 10], (char)(1 + i));
        assert_int_equal(memory[1000 * i + 190 + 199], (char)(19 + i));
    }
}

/* A kernel in another stream may look at what comes: a flag must not come before its data. */
static void the_order_is_kept_where_a_kernel_may_be_running(void **state) {
    (void)state;
    forget();
    launch(OTHER);
    for (size_t i = 0; i < 50; i++)
        assert_true(upload(1, i * 33, 33, STREAM, false));
    launch(STREAM);
    assert_int_equal(atomic_load(&batches), 0);
    assert_int_equal(atomic_load(&copies), 50);
}

static void blocking_uploads_wait_once_and_arrive(void **state) {
    (void)state;
    forget();
    launch(STREAM);
    for (size_t i = 0; i < 50; i++)
        assert_true(upload(1, i * 64, 32, NULL, true));
    assert_int_equal(atomic_load(&waits), 1); /* for the kernel */
    launch(STREAM);                           /* in a stream that may not wait for the default one */
    assert_int_equal(atomic_load(&waits), 2);
    assert_int_equal(memory[49 * 64 + 31], 1);
}

static void page_locked_sources_only_while_nothing_runs(void **state) {
    static char source[64] = "page-locked";
    (void)state;
    UNTIL(!refused, { upload_from(source, XS_MEM_PINNED, 0, sizeof source, STREAM, false); });
    launch(STREAM);
    assert_string_equal(memory, "page-locked");
    assert_false(upload_from(source, XS_MEM_PINNED, 0, sizeof source, STREAM, false));
    assert_non_null(refused);
}

/* A launch by another thread, which the driver gets between `launch_begun` and `launch_ends`: nobody can tell when. */
static sem_t launch_begun, launch_ends;
static void *launch_slowly(void *stream) {
    const struct xs_repair_call c = {
        .row = XS_ROW_cuLaunchKernel, .category = XS_CAT_LAUNCH, .has_stream = true, .stream = stream};
    xs_repair_gather.before(&c);
    sem_post(&launch_begun);
    sem_wait(&launch_ends);
    xs_repair_gather.after(&c);
    return NULL;
}
static pthread_t begin_launch(CUstream stream) {
    pthread_t thread;
    assert_int_equal(sem_init(&launch_begun, 0, 0), 0);
    assert_int_equal(sem_init(&launch_ends, 0, 0), 0);
    assert_int_equal(pthread_create(&thread, NULL, launch_slowly, stream), 0);
    sem_wait(&launch_begun);
    return thread;
}
static void end_launch(pthread_t thread) {
    sem_post(&launch_ends);
    pthread_join(thread, NULL);
}
#define IS_BUSY "the device may write the page-locked source"

static void a_wait_does_not_cover_a_launch_that_is_under_way(void **state) {
    static char source[64] = "page-locked";
    (void)state;
    UNTIL(!refused, { upload_from(source, XS_MEM_PINNED, 0, sizeof source, STREAM, false); });
    for (int ends_late = 0; ends_late < 2; ends_late++) {
        forget();
        pthread_t thread = begin_launch(STREAM);
        wait_for_all();
        if (!ends_late)
            end_launch(thread);
        assert_false(upload_from(source, XS_MEM_PINNED, 0, sizeof source, STREAM, false));
        assert_string_equal(refused, IS_BUSY);
        assert_true(upload(1, 0, 10, STREAM, true));
        assert_int_equal(atomic_load(&waits), 1);
        if (ends_late)
            end_launch(thread);
        assert_true(upload(1, 100, 10, STREAM, true));
        assert_int_equal(atomic_load(&waits), ends_late ? 2 : 1);
    }
    wait_for_all(); /* this one has all of it behind it */
    UNTIL(!refused, { upload_from(source, XS_MEM_PINNED, 0, sizeof source, STREAM, false); });
}

/* The launch began before the wait and ended during it: the kernel may be behind it. */
static void a_launch_that_ends_during_a_wait_is_not_covered(void **state) {
    static char source[64] = "page-locked";
    const struct xs_repair_call wait = {.row = XS_ROW_cuCtxSynchronize, .category = XS_CAT_SYNC};
    (void)state;
    forget();
    pthread_t thread = begin_launch(STREAM);
    xs_repair_gather.before(&wait);
    end_launch(thread);
    xs_repair_gather.after(&wait);
    assert_false(upload_from(source, XS_MEM_PINNED, 0, sizeof source, STREAM, false));
    assert_string_equal(refused, IS_BUSY);
    for (size_t i = 0; i < 20; i++)
        assert_true(upload(1, i * 33, 33, OTHER, false));
    launch(OTHER);
    assert_int_equal(atomic_load(&batches), 0); /* the order is kept, for the kernel may be running */
    assert_int_equal(atomic_load(&copies), 20);
}

/* A handler jumped out of the driver: `after` does not come, and gathering goes on after the thread's next call. */
static void a_call_that_never_ends_does_no_lasting_harm(void **state) {
    static char source[64] = "page-locked";
    const struct xs_repair_call c = {
        .row = XS_ROW_cuLaunchKernel, .category = XS_CAT_LAUNCH, .has_stream = true, .stream = STREAM};
    (void)state;
    forget();
    xs_repair_gather.before(&c);
    assert_false(upload_from(source, XS_MEM_PINNED, 0, sizeof source, STREAM, false));
    assert_string_equal(refused, IS_BUSY);
    UNTIL(!refused, { upload_from(source, XS_MEM_PINNED, 0, sizeof source, STREAM, false); });
}

static void calls_that_only_ask_send_nothing(void **state) {
    (void)state;
    UNTIL(atomic_load(&batches) == 1, {
        upload(1, 0, 10, STREAM, false);
        call(XS_ROW_COUNT + XS_GATED_cuCtxGetCurrent, XS_CAT_LOOKUP, NULL);
        upload(2, 20, 10, STREAM, false);
        launch(STREAM);
    });
    assert_int_equal(atomic_load(&in_last_batch), 2);
}

/* A kernel that runs already may wait for it, and the program may wait for the kernel without a call. */
static void an_upload_arrives_without_another_call(void **state) {
    const struct timespec pause = {0, 1000000};
    (void)state;
    forget();
    assert_true(upload(7, 500, 10, STREAM, false));
    while (atomic_load(&copies) == 0)
        nanosleep(&pause, NULL);
    xs_gather_flush(NULL); /* the thread is done with it */
    assert_int_equal(memory[509], 7);
}

static void an_error_comes_from_the_next_upload(void **state) {
    (void)state;
    forget();
    copies_return = CUDA_ERROR_ILLEGAL_ADDRESS;
    launch(OTHER); /* one by one */
    assert_true(upload(1, 0, 10, STREAM, false));
    launch(OTHER);
    copies_return = CUDA_SUCCESS;
    assert_true(upload(1, 0, 10, STREAM, false));
    assert_int_equal(last_result, CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_true(upload(1, 0, 10, STREAM, false));
    assert_int_equal(last_result, CUDA_SUCCESS);
    launch(STREAM);
    assert_int_equal(memory[9], 1);
}

static void a_context_may_end_and_another_begin(void **state) {
    (void)state;
    forget();
    assert_true(upload(1, 0, 10, STREAM, false));
    call(XS_ROW_cuCtxDestroy_v2, XS_CAT_CONTEXT, NULL);
    assert_int_equal(memory[9], 1);
    assert_true(upload(2, 0, 10, STREAM, false));
    launch(STREAM);
    assert_int_equal(memory[9], 2);
}

/* The last test, because it cannot be taken back. */
static void nothing_is_taken_any_more_when_the_process_ends(void **state) {
    (void)state;
    forget();
    for (unsigned i = 0; i <= XS_PACE_PAUSE && !upload(1, 0, 10, STREAM, false); i++) {
    }
    assert_null(refused);
    xs_repair_gather.finish();
    assert_false(upload(2, 100, 10, STREAM, false));
    assert_string_equal(refused, "the process ends");
    xs_repair_gather.settle();
    assert_int_equal(memory[9], 1);
    assert_false(upload(2, 100, 10, STREAM, true));
}

/* The last test but one, because it leaves the pause behind. */
static void who_has_nothing_to_gather_is_left_alone(void **state) {
    unsigned i = 0;
    (void)state;
    forget();
    while (upload(1, 0, 10, STREAM, false)) {
        launch(STREAM);
        assert_true(++i <= XS_PACE_LONELY);
    }
    assert_string_equal(refused, "nothing to gather it with");
    for (i = 1; !upload(1, 0, 10, STREAM, false); i++) {
    }
    assert_int_equal(i, XS_PACE_PAUSE);
    launch(STREAM);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uploads_go_together),
        cmocka_unit_test(what_continues_on_both_sides_is_one_copy),
        cmocka_unit_test(the_later_one_of_two_that_overlap_counts),
        cmocka_unit_test(the_order_is_kept_where_a_kernel_may_be_running),
        cmocka_unit_test(blocking_uploads_wait_once_and_arrive),
        cmocka_unit_test(page_locked_sources_only_while_nothing_runs),
        cmocka_unit_test(a_wait_does_not_cover_a_launch_that_is_under_way),
        cmocka_unit_test(a_launch_that_ends_during_a_wait_is_not_covered),
        cmocka_unit_test(a_call_that_never_ends_does_no_lasting_harm),
        cmocka_unit_test(calls_that_only_ask_send_nothing),
        cmocka_unit_test(an_upload_arrives_without_another_call),
        cmocka_unit_test(an_error_comes_from_the_next_upload),
        cmocka_unit_test(a_context_may_end_and_another_begin),
        cmocka_unit_test(who_has_nothing_to_gather_is_left_alone),
        cmocka_unit_test(nothing_is_taken_any_more_when_the_process_ends),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
