/* Tests that freed memory is kept, with a fake driver whose calls are counted and may fail. */
#include "unit.h"

#include "preload/driver/real.h"
#include "preload/repair/keep.h"
#include "preload/repair/repair_hooks_internal.h"
#include "preload/repair/repair_plan.h"

#define MIB ((size_t)1 << 20)
#define BLOCK UINT64_C(0x100000)

/* ---- the driver ---- */

void *xs_driver_functions[XS_DRIVER_COUNT];
static CUcontext current = (CUcontext)0x10;
static CUstreamCaptureMode capture_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
static uint64_t ids[256], next_id; /* of what lies at a MiB; 0: nothing */
static struct {
    unsigned made, waits, waits_while_relaxed, released;
    uint64_t last_released;
    CUresult make, release; /* what these answer */
} driver;

static CUresult CUDAAPI get_current(CUcontext *context) {
    *context = current;
    return CUDA_SUCCESS;
}
static CUresult CUDAAPI get_device(CUdevice *device) {
    *device = current == (CUcontext)0x10 ? 0 : 1;
    return CUDA_SUCCESS;
}
static CUresult CUDAAPI get_attribute(void *data, CUpointer_attribute attribute, CUdeviceptr p) {
    assert_int_equal(attribute, CU_POINTER_ATTRIBUTE_BUFFER_ID);
    memcpy(data, &ids[p / MIB], sizeof ids[0]);
    return ids[p / MIB] ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
static CUresult CUDAAPI get_range(CUdeviceptr *base, size_t *bytes, CUdeviceptr p) {
    (void)bytes;
    *base = p / MIB * MIB;
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI exchange_mode(CUstreamCaptureMode *mode) {
    CUstreamCaptureMode before = capture_mode;
    capture_mode = *mode;
    *mode = before;
    return CUDA_SUCCESS;
}

static uint64_t made_at(unsigned place) {
    ids[place] = ++next_id;
    return place * MIB;
}

/* Small blocks lie at 128 MiB and above. */
static CUresult make(uint32_t how, CUdeviceptr *address, size_t bytes) {
    unsigned place = 128;
    (void)how;
    assert_int_equal(bytes, 512);
    if (driver.make != CUDA_SUCCESS)
        return driver.make;
    while (ids[place])
        place++;
    driver.made++;
    *address = made_at(place);
    return CUDA_SUCCESS;
}

static CUresult release(uint64_t address) {
    driver.waits++;
    driver.waits_while_relaxed += capture_mode == CU_STREAM_CAPTURE_MODE_RELAXED;
    if (driver.release != CUDA_SUCCESS)
        return driver.release;
    if (!ids[address / MIB])
        return CUDA_ERROR_INVALID_VALUE;
    ids[address / MIB] = 0;
    driver.released += address < 128 * MIB;
    driver.last_released = address;
    return CUDA_SUCCESS;
}

/* ---- the frame ---- */

size_t xs_repair_budget_bytes;
_Atomic bool xs_around_is_off;
static unsigned applied;
static const char *refusal;
static bool plan_has_it;

void xs_repair_applied(enum xs_repair_id id, uint64_t bytes) {
    assert_int_equal(id, XS_REPAIR_KEEP_PINNED);
    assert_int_equal(bytes % MIB, 0);
    applied++;
}
void xs_repair_refused(enum xs_repair_id id, const char *reason) {
    assert_int_equal(id, XS_REPAIR_KEEP_PINNED);
    refusal = reason;
}
bool xs_plan_has_size(enum xs_repair_id repair, uint64_t bytes) {
    (void)repair;
    (void)bytes;
    return plan_has_it;
}

/* ---- what the repairs do around it ---- */

static struct xs_kept kept = XS_KEPT_INITIALIZER;
static const struct xs_keeper keeper = {
    .repair = XS_REPAIR_KEEP_PINNED, .least_bytes = MIB, .kept = &kept, .release = release, .make = make};

static int begin(void **state) {
    (void)state;
    memset(ids, 0, sizeof ids);
    memset(&driver, 0, sizeof driver);
    memset(kept.lent, 0, sizeof kept.lent);
    kept.lent_count = kept.idle_count = 0;
    kept.idle_bytes = 0;
    current = (CUcontext)0x10;
    xs_repair_budget_bytes = 10 * MIB;
    applied = 0;
    refusal = NULL;
    plan_has_it = true;
    xs_driver_functions[XS_DRIVER_cuCtxGetCurrent] = (void *)get_current;
    xs_driver_functions[XS_DRIVER_cuCtxGetDevice] = (void *)get_device;
    xs_driver_functions[XS_DRIVER_cuPointerGetAttribute] = (void *)get_attribute;
    xs_driver_functions[XS_DRIVER_cuThreadExchangeStreamCaptureMode] = (void *)exchange_mode;
    xs_driver_functions[XS_DRIVER_cuMemGetAddressRange_v2] = (void *)get_range;
    return 0;
}

/* The address, 0: none; an allocation that nothing kept fits is made at `place`. */
static uint64_t allocate(size_t bytes, unsigned place, CUresult *result) {
    struct xs_kept_key key;
    struct xs_kept_block block;
    assert_true(xs_keep_key(&key, bytes, 0, 0));
    *result = CUDA_SUCCESS;
    if (xs_keep_serve(&keeper, &key, &block, result))
        return *result == CUDA_SUCCESS ? block.address : 0;
    uint64_t address = made_at(place);
    if (xs_keep_wants(&keeper, bytes))
        xs_keep_lend(&keeper, &key, address, bytes, 0);
    return address;
}

static uint64_t allocated(size_t bytes, unsigned place) {
    CUresult result;
    uint64_t address = allocate(bytes, place, &result);
    assert_int_equal(result, CUDA_SUCCESS);
    return address;
}

static void freed(uint64_t address) { assert_int_equal(xs_keep_free(&keeper, address), CUDA_SUCCESS); }

static unsigned small_blocks(void) {
    unsigned count = 0;
    for (unsigned place = 128; place < COUNT_OF(ids); place++)
        count += ids[place] != 0;
    return count;
}

/* Every free of the program is one free of the driver's, so it waits as often and no more. */
static void a_free_waits_once_and_the_block_comes_back(void **state) {
    (void)state;
    uint64_t p = allocated(2 * MIB, 1);
    for (unsigned i = 1; i <= 5; i++) {
        freed(p);
        assert_int_equal(driver.waits, i);
        assert_int_equal(small_blocks(), 1); /* the anchor */
        assert_int_equal(allocated(2 * MIB, 2), p);
        assert_int_equal(applied, i);
        assert_int_equal(small_blocks(), 2);
    }
    assert_int_equal(driver.released, 0);
    assert_int_equal(allocated(2 * MIB, 2), 2 * MIB);
    assert_int_equal(allocated(3 * MIB, 3), 3 * MIB);
    assert_int_equal(applied, 5);
}

static void a_block_that_is_freed_twice_is_refused(void **state) {
    (void)state;
    uint64_t p = allocated(2 * MIB, 1);
    freed(p);
    assert_int_equal(xs_keep_free(&keeper, p), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(driver.waits, 1);
    assert_int_equal(allocated(2 * MIB, 2), p);
    freed(p);
    assert_int_equal(xs_keep_free(&keeper, 99 * MIB), CUDA_ERROR_INVALID_VALUE); /* the driver's answer */
    assert_int_equal(driver.waits, 3);
}

/* Small, large, another plan: the driver has them as ever. */
static void what_is_not_wanted_is_freed(void **state) {
    (void)state;
    freed(allocated(MIB - 1, 1));
    assert_string_equal(refusal, "too small to gain");
    freed(allocated(11 * MIB, 2));
    assert_string_equal(refusal, "larger than the budget");
    plan_has_it = false;
    freed(allocated(2 * MIB, 3));
    assert_int_equal(driver.released, 3);
    assert_int_equal(kept.idle_count, 0);
    assert_int_equal(small_blocks(), 0);
}

static void the_longest_freed_makes_room(void **state) {
    (void)state;
    uint64_t a = allocated(4 * MIB, 1), b = allocated(5 * MIB, 2), c = allocated(3 * MIB, 3);
    freed(a);
    freed(b);
    assert_int_equal(driver.released, 0);
    freed(c);
    assert_int_equal(driver.released, 1);
    assert_int_equal(ids[1], 0);
    assert_int_equal(kept.idle_bytes, 8 * MIB);
    assert_int_equal(small_blocks(), 2);
}

/* No memory of another context is given back, because that would wait for another device. */
static void another_contexts_blocks_stay(void **state) {
    (void)state;
    uint64_t a = allocated(8 * MIB, 1);
    freed(a);
    current = (CUcontext)0x20;
    uint64_t b = allocated(8 * MIB, 2);
    assert_int_equal(b, 2 * MIB);
    freed(b);
    assert_string_equal(refusal, "the budget is used up");
    assert_int_equal(driver.last_released / MIB, 130); /* the small blocks went with it */
    assert_int_equal(small_blocks(), 1);
    assert_int_equal(ids[2], 0);
    b = allocated(MIB, 2);
    current = (CUcontext)0x10;
    freed(b);
    assert_string_equal(refusal, "freed in another context");
    assert_int_equal(allocated(8 * MIB, 3), a);
}

static void a_block_that_ended_with_its_context_is_not_handed_out(void **state) {
    (void)state;
    uint64_t a = allocated(2 * MIB, 1), b = allocated(2 * MIB, 2);
    freed(a);
    ids[1] = 0;         /* nothing lies there */
    ids[2] = ++next_id; /* another allocation does */
    assert_int_equal(allocated(2 * MIB, 3), 3 * MIB);
    assert_int_equal(applied, 0);
    freed(b); /* the end of that other allocation */
    assert_int_equal(driver.last_released, b);
    freed(allocated(2 * MIB, 4));
    ids[4] = ++next_id;
    xs_keep_saw(&keeper, &(struct xs_repair_call){.category = XS_CAT_CONTEXT});
    assert_int_equal(kept.idle_count, 0);
    assert_int_equal(kept.lent_count, 1);
    assert_true(ids[4] != 0);
}

static void all_is_given_back_where_memory_is_short(void **state) {
    (void)state;
    freed(allocated(2 * MIB, 1));
    freed(allocated(3 * MIB, 2));
    current = (CUcontext)0x20;
    freed(allocated(3 * MIB, 3));
    assert_false(xs_keep_give_back(&keeper, 5));
    assert_true(xs_keep_give_back(&keeper, 0));
    assert_int_equal(driver.released, 2);
    assert_int_equal(small_blocks(), 1);
    assert_true(xs_keep_give_back(&keeper, -1));
    assert_false(xs_keep_give_back(&keeper, -1));
    assert_int_equal(small_blocks(), 0);
}

/* To the last small block, of what the program has as well; and a stream that captures forbids none of it. */
static void the_small_blocks_are_given_back_too(void **state) {
    (void)state;
    uint64_t p = allocated(2 * MIB, 1);
    freed(p);
    assert_int_equal(allocated(2 * MIB, 2), p);
    assert_int_equal(small_blocks(), 2);
    assert_false(xs_keep_give_back(&keeper, 1));
    assert_true(xs_keep_give_back(&keeper, 0));
    assert_int_equal(small_blocks(), 0);
    assert_int_equal(driver.waits_while_relaxed, 2);
    assert_int_equal(capture_mode, CU_STREAM_CAPTURE_MODE_GLOBAL);
    assert_false(xs_keep_give_back(&keeper, 0));
    freed(p);
    assert_int_equal(allocated(2 * MIB, 2), p);
}

/* The program gets what the driver says of its own call. */
static void the_drivers_errors_are_the_programs(void **state) {
    CUresult result;
    (void)state;
    uint64_t p = allocated(2 * MIB, 1);
    freed(p);
    driver.make = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    assert_int_equal(allocate(2 * MIB, 2, &result), 0);
    assert_int_equal(result, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    driver.make = CUDA_ERROR_OUT_OF_MEMORY; /* of the small block: the large one is there */
    assert_int_equal(allocate(2 * MIB, 2, &result), p);
    assert_int_equal(result, CUDA_SUCCESS);
    freed(p); /* there is none to free in its place */
    assert_int_equal(driver.released, 1);
    assert_int_equal(small_blocks(), 0);
    driver.make = CUDA_SUCCESS;
    p = allocated(2 * MIB, 1);
    driver.release = CUDA_ERROR_ILLEGAL_ADDRESS;
    assert_int_equal(xs_keep_free(&keeper, p), CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_int_equal(kept.idle_count, 0);
    assert_int_equal(kept.lent_count, 1); /* it was not freed */
}

static void what_was_handed_out_is_freed(void **state) {
    (void)state;
    uint64_t p = allocated(2 * MIB, 1);
    xs_keep_hand_out(&keeper, p + 100);
    freed(p);
    assert_string_equal(refusal, "memory was handed out");
    assert_int_equal(driver.released, 1);
    p = allocated(2 * MIB, 1);
    freed(p);
    assert_int_equal(kept.idle_count, 1);
}

static void it_starts_only_where_blocks_have_numbers(void **state) {
    const char *why = NULL;
    (void)state;
    assert_true(xs_keep_can_start(true, &why));
    assert_null(why);
    assert_false(xs_keep_can_start(false, &why));
    assert_non_null(why);
    xs_driver_functions[XS_DRIVER_cuPointerGetAttribute] = NULL;
    assert_false(xs_keep_can_start(true, &why));
    assert_non_null(why);
}

static void without_a_context_there_is_no_key(void **state) {
    struct xs_kept_key key;
    (void)state;
    current = NULL;
    assert_false(xs_keep_key(&key, MIB, 0, 0));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_free_waits_once_and_the_block_comes_back, begin),
        cmocka_unit_test_setup(a_block_that_is_freed_twice_is_refused, begin),
        cmocka_unit_test_setup(what_is_not_wanted_is_freed, begin),
        cmocka_unit_test_setup(the_longest_freed_makes_room, begin),
        cmocka_unit_test_setup(another_contexts_blocks_stay, begin),
        cmocka_unit_test_setup(a_block_that_ended_with_its_context_is_not_handed_out, begin),
        cmocka_unit_test_setup(all_is_given_back_where_memory_is_short, begin),
        cmocka_unit_test_setup(the_small_blocks_are_given_back_too, begin),
        cmocka_unit_test_setup(the_drivers_errors_are_the_programs, begin),
        cmocka_unit_test_setup(what_was_handed_out_is_freed, begin),
        cmocka_unit_test_setup(it_starts_only_where_blocks_have_numbers, begin),
        cmocka_unit_test_setup(without_a_context_there_is_no_key, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
