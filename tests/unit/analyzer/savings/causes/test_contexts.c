/* Tests how long the host takes before uploads whose data a library first copies into page-locked memory, and when that
 * time is reported. The runs are made by hand. */
#include "run.h"

enum { STEPS = 20, CALL_US = 1000, COPY_US = 950 };

/* Line 1 uploads, from memory that line 3 allocated; CuPy's modules lie between both and the driver. The names are in
 * no table `symbol`, as in a trace without resolved addresses. */
#define SITE "/venv/lib/python3.12/site-packages/"
#define MODULES                                                                                                        \
    "INSERT INTO module VALUES (1,'" SITE "cupy/cuda/pinned_memory.cpython-312.so',NULL,1000,2000,1000),"              \
    "(2,'" SITE "cupy/_core/core.cpython-312.so',NULL,3000,4000,3000);"
#define FRAME(stack, depth, module)                                                                                    \
    "INSERT INTO stack_frame (id,stack,depth,address,module) VALUES (" #stack "*4096+" #depth "," #stack "," #depth    \
    "," #module "500," #module ");"
#define CUPY_UPLOADS LINES(3) MODULES FRAME(1, 0, 2) "UPDATE transfer SET stack = 1, src_allocation = 2;"
#define CUPY_ALLOCATES FRAME(3, 0, 1) FRAME(3, 1, 2) "UPDATE allocation SET stack = 3 WHERE id = 2;"
#define LOADER_ALLOCATES                                                                                               \
    "INSERT INTO python_code VALUES (2,'" SITE "torch/utils/data/_utils/pin_memory.py','pin_memory',1);"               \
    "INSERT INTO stack(id,native_frames,python_frames,is_cut) VALUES (4,0,1,0);"                                       \
    "INSERT INTO stack_frame (id,stack,depth,code,line,is_entry) VALUES "                                              \
    "(4*4096+2048,4,0,2,1,0),(4*4096+2049,4,1,1,9,1);"                                                                 \
    "UPDATE allocation SET stack = 4 WHERE id = 2;"

/* Plays uploads of the same bytes from page-locked memory, which is allocation 2. Before each upload the host works for
 * `us`, and before every fourth one for `other_us`. */
static void play_uploads(uint64_t us, uint64_t other_us, enum xs_memory_kind host) {
    play_begin(p);
    alloc(A, MIB);
    p->memory = host;
    assert_int_equal(alloc(HOST, MIB), 2);
    p->host = host;
    takes(CALL_US, COPY_US);
    for (int i = 0; i < STEPS; i++) {
        works((i % 4 ? us : other_us) - 10);
        up(A, MIB, 1, i ? 1 : NOT_MEASURED, HOST);
    }
}

static void is_nothing(void) {
    const struct xs_framework_context *c = played_diagnosed(p, "noop-upload")->context;
    assert_true(!c || !c->host_copy);
    play_end(p);
}

static void the_median_before_uploads(void **state) {
    (void)state;
    play_uploads(900, 5000, XS_MEM_PINNED);
    diagnose(CUPY_UPLOADS CUPY_ALLOCATES);
    const struct xs_framework_context *c = played_diagnosed(p, "noop-upload")->context;
    assert_non_null(c);
    assert_int_equal(c->framework, XS_FRAMEWORK_CUPY);
    assert_int_equal(c->host_copy, XS_HOST_COPY_CUPY);
    assert_int_equal(c->before_ns, 900 * US);
    assert_int_equal(c->uploads, STEPS);
    play_end(p);
}

/* The time is not reported if a statement without a copy takes as long, or if 1 MiB took less than 10 us. */
static void a_short_time_says_nothing(void **state) {
    (void)state;
    play_uploads(99, 99, XS_MEM_PINNED);
    diagnose(CUPY_UPLOADS CUPY_ALLOCATES);
    is_nothing();
    play_uploads(101, 101, XS_MEM_PINNED);
    diagnose(CUPY_UPLOADS CUPY_ALLOCATES "UPDATE transfer SET bytes = 64 * 1048576");
    is_nothing();
}

static void memory_of_others_says_nothing(void **state) {
    (void)state;
    play_uploads(900, 900, XS_MEM_PINNED);
    diagnose(CUPY_UPLOADS);
    is_nothing();
    play_uploads(900, 900, XS_MEM_PINNED);
    diagnose(CUPY_UPLOADS CUPY_ALLOCATES "UPDATE transfer SET stack = 2");
    is_nothing();
    play_uploads(900, 900, XS_MEM_PAGEABLE);
    diagnose(CUPY_UPLOADS CUPY_ALLOCATES);
    is_nothing();
}

static void a_loader_in_the_same_thread(void **state) {
    (void)state;
    play_uploads(700, 700, XS_MEM_PINNED);
    diagnose(CUPY_UPLOADS LOADER_ALLOCATES "UPDATE transfer SET stack = 2");
    const struct xs_framework_context *c = played_diagnosed(p, "noop-upload")->context;
    assert_non_null(c);
    assert_int_equal(c->host_copy, XS_HOST_COPY_LOADER);
    assert_int_equal(c->before_ns, 700 * US);
    play_end(p);
}

/* The time before the upload is not reported, because the copy ran in another thread. Nothing is reported for pageable
 * memory. */
static void a_loader_in_its_own_thread(void **state) {
    static const char sql[] =
        CUPY_UPLOADS LOADER_ALLOCATES "UPDATE python_code SET function = '_pin_memory_loop' WHERE id = 2";
    (void)state;
    play_uploads(700, 700, XS_MEM_PAGEABLE);
    diagnose(sql);
    is_nothing();
    play_uploads(700, 700, XS_MEM_PINNED);
    diagnose(sql);
    const struct xs_framework_context *c = played_diagnosed(p, "noop-upload")->context;
    assert_non_null(c);
    assert_int_equal(c->host_copy, XS_HOST_COPY_LOADER_THREAD);
    assert_int_equal(c->before_ns, 0);
    assert_int_equal(c->uploads, 0);
    play_end(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_median_before_uploads),     cmocka_unit_test(a_short_time_says_nothing),
        cmocka_unit_test(memory_of_others_says_nothing), cmocka_unit_test(a_loader_in_the_same_thread),
        cmocka_unit_test(a_loader_in_its_own_thread),
    };
    return cmocka_run_group_tests_name("contexts", tests, NULL, NULL);
}
