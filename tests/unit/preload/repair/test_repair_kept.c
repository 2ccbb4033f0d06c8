/* Tests the table of lent and idle blocks. */
#include "unit.h"

#include <pthread.h>

#include "preload/repair/kept.h"

#define MIB ((size_t)1 << 20)
#define CONTEXT 0x1000u

static struct xs_kept kept = XS_KEPT_INITIALIZER;

static int empty(void **state) {
    (void)state;
    kept.lent_count = kept.idle_count = 0;
    kept.idle_bytes = 0;
    memset(kept.lent, 0, sizeof kept.lent);
    return 0;
}

static struct xs_kept_block block_of(uint64_t number, uint64_t context, size_t bytes) {
    return (struct xs_kept_block){.key = {.context = context, .width = bytes},
                                  .address = number * MIB,
                                  .bytes = bytes,
                                  .id = number,
                                  .device = context == CONTEXT ? 0 : 1};
}

static void put(uint64_t number, uint64_t context, size_t bytes) {
    struct xs_kept_block block = block_of(number, context, bytes);
    assert_true(xs_kept_put(&kept, &block, 100 * MIB));
}

static void blocks_come_back_in_the_order_of_their_frees(void **state) {
    struct xs_kept_block block;
    struct xs_kept_key key = {.context = CONTEXT, .width = MIB};
    (void)state;
    put(1, CONTEXT, MIB);
    put(2, CONTEXT, 2 * MIB);
    put(3, CONTEXT, MIB);
    put(4, CONTEXT, MIB);
    assert_true(xs_kept_take(&kept, &key, &block));
    assert_int_equal(block.id, 1);
    assert_true(xs_kept_take(&kept, &key, &block));
    assert_int_equal(block.id, 3);
    put(1, CONTEXT, MIB);
    assert_true(xs_kept_take(&kept, &key, &block));
    assert_int_equal(block.id, 4);
    assert_true(xs_kept_take(&kept, &key, &block));
    assert_int_equal(block.id, 1);
    assert_false(xs_kept_take(&kept, &key, &block));
    assert_int_equal(kept.idle_bytes, 2 * MIB);
}

/* A block fits only if every part of its key is equal. */
static void only_an_equal_key_fits(void **state) {
    struct xs_kept_block block = block_of(1, CONTEXT, MIB), out;
    (void)state;
    block.key.height = 3;
    block.key.how = 4;
    assert_true(xs_kept_put(&kept, &block, MIB));
    struct xs_kept_key keys[] = {block.key, block.key, block.key, block.key};
    keys[0].context++;
    keys[1].width--;
    keys[2].height++;
    keys[3].how = 0;
    for (size_t i = 0; i < COUNT_OF(keys); i++)
        assert_false(xs_kept_take(&kept, &keys[i], &out));
    assert_true(xs_kept_take(&kept, &block.key, &out));
}

static void the_budget_is_never_passed(void **state) {
    struct xs_kept_block block = block_of(1, CONTEXT, 3 * MIB), next = block_of(2, CONTEXT, 2 * MIB);
    (void)state;
    assert_false(xs_kept_put(&kept, &block, 3 * MIB - 1));
    assert_true(xs_kept_put(&kept, &block, 5 * MIB));
    assert_false(xs_kept_put(&kept, &next, 5 * MIB - 1));
    assert_false(xs_kept_put(&kept, &next, MIB)); /* a budget that is used up already */
    assert_true(xs_kept_put(&kept, &next, 5 * MIB));
    for (uint64_t i = 3; i <= XS_KEPT_IDLE; i++)
        put(i, CONTEXT, 1);
    next = block_of(XS_KEPT_IDLE + 1, CONTEXT, 1);
    assert_false(xs_kept_put(&kept, &next, SIZE_MAX));
}

static void what_is_given_back_is_of_a_context_or_a_device(void **state) {
    struct xs_kept_block block;
    (void)state;
    put(1, CONTEXT + 1, MIB);
    put(2, CONTEXT, 2 * MIB);
    put(3, CONTEXT + 2, 4 * MIB);
    assert_int_equal(xs_kept_idle_bytes(&kept, 0), 2 * MIB);
    assert_int_equal(xs_kept_idle_bytes(&kept, 1), 5 * MIB);
    assert_true(xs_kept_take_any(&kept, CONTEXT, -1, &block));
    assert_int_equal(block.id, 2);
    assert_false(xs_kept_take_any(&kept, CONTEXT, -1, &block));
    assert_false(xs_kept_take_any(&kept, 0, 0, &block));
    assert_true(xs_kept_take_any(&kept, 0, 1, &block));
    assert_int_equal(block.id, 1);
    assert_true(xs_kept_take_any(&kept, 0, -1, &block));
    assert_int_equal(block.id, 3);
    assert_int_equal(kept.idle_bytes, 0);
}

static void what_is_lent_is_found_by_its_address(void **state) {
    struct xs_kept_block block = block_of(7, CONTEXT, MIB), out;
    (void)state;
    assert_false(xs_kept_end(&kept, block.address, &out));
    assert_false(xs_kept_end(&kept, 0, &out));
    assert_true(xs_kept_lend(&kept, &block));
    assert_false(xs_kept_is_idle(&kept, block.address));
    block.id = 8; /* the free of the earlier one was not seen */
    assert_true(xs_kept_lend(&kept, &block));
    xs_kept_hand_out(&kept, block.address + 1);
    assert_int_equal(kept.lent_count, 1);
    assert_true(xs_kept_end(&kept, block.address, &out));
    assert_int_equal(out.id, 8);
    assert_false(out.is_handed_out);
    assert_true(xs_kept_lend(&kept, &block));
    xs_kept_hand_out(&kept, block.address);
    assert_true(xs_kept_end(&kept, block.address, &out));
    assert_true(out.is_handed_out);
    assert_int_equal(kept.lent_count, 0);
    put(7, CONTEXT, MIB);
    assert_true(xs_kept_is_idle(&kept, block.address));
}

/* Lends and ends blocks at random, and compares the table with a list of the blocks in it. Collisions move other
 * blocks. */
static void many_are_lent_and_end_in_any_order(void **state) {
    static bool is_lent[3 * XS_KEPT_LENT];
    struct xs_kept_block out;
    unsigned count = 0, random = 1;
    (void)state;
    memset(is_lent, 0, sizeof is_lent);
    for (unsigned step = 0; step < 200000; step++) {
        random = random * 1664525u + 1013904223u;
        unsigned n = 1 + (random >> 8) % (COUNT_OF(is_lent) - 1);
        struct xs_kept_block block = block_of(n, CONTEXT, MIB);
        if (is_lent[n]) {
            assert_true(xs_kept_end(&kept, block.address, &out));
            assert_int_equal(out.id, n);
            is_lent[n] = false;
            count--;
        } else if (xs_kept_lend(&kept, &block)) {
            is_lent[n] = true;
            count++;
        } else {
            assert_int_equal(count, XS_KEPT_LENT / 4 * 3);
        }
        assert_int_equal(kept.lent_count, count);
    }
    for (unsigned n = 1; n < COUNT_OF(is_lent); n++)
        assert_int_equal(xs_kept_end(&kept, n * MIB, &out), is_lent[n]);
    assert_int_equal(kept.lent_count, 0);
}

/* Every second block is removed during the walk. Blocks that move up because of this are also visited. */
static void a_walk_comes_past_all(void **state) {
    struct xs_kept_block out, stranger = block_of(2, CONTEXT, MIB);
    unsigned rest = XS_KEPT_ALL, seen = 0;
    (void)state;
    for (uint64_t n = 1; n <= 5000; n++) {
        struct xs_kept_block block = block_of(n, CONTEXT, MIB);
        assert_true(xs_kept_lend(&kept, &block));
    }
    for (uint64_t n = 6001; n <= 6099; n++)
        put(n, CONTEXT, MIB);
    while (xs_kept_look(&kept, &rest, &out)) {
        seen++;
        if (out.id % 2 == 1)
            xs_kept_drop(&kept, &out);
    }
    assert_int_equal(seen, 5099);
    stranger.id++;
    xs_kept_drop(&kept, &stranger);
    assert_int_equal(kept.lent_count, 2500);
    assert_int_equal(kept.idle_count, 49);
    assert_int_equal(kept.idle_bytes, 49 * MIB);
    for (uint64_t n = 1; n <= 5000; n++)
        assert_int_equal(xs_kept_end(&kept, n * MIB, &out), n % 2 == 0);
    assert_true(xs_kept_take_any(&kept, 0, -1, &out));
    assert_int_equal(out.id, 6002);
}

#define THREADS 4
static uint32_t owners[64];

/* Nobody gets a block that another thread has. */
static void *take_and_put(void *arg) {
    struct xs_kept_key key = {.context = CONTEXT, .width = MIB};
    struct xs_kept_block block, ended;
    uintptr_t errors = 0;
    (void)arg;
    for (unsigned i = 0; i < 5000; i++) {
        if (!xs_kept_take(&kept, &key, &block))
            continue;
        errors += __atomic_exchange_n(&owners[block.id], 1, __ATOMIC_SEQ_CST) != 0;
        errors += !xs_kept_lend(&kept, &block);
        errors += !xs_kept_end(&kept, block.address, &ended) || ended.id != block.id;
        __atomic_store_n(&owners[block.id], 0, __ATOMIC_SEQ_CST);
        errors += !xs_kept_put(&kept, &ended, 100 * MIB);
    }
    return (void *)errors; // NOLINT(performance-no-int-to-ptr): a number
}

static void threads_do_not_share_a_block(void **state) {
    pthread_t threads[THREADS];
    (void)state;
    for (uint64_t n = 1; n <= THREADS; n++)
        put(n, CONTEXT, MIB);
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, take_and_put, NULL), 0);
    for (unsigned i = 0; i < THREADS; i++) {
        void *errors = NULL;
        pthread_join(threads[i], &errors);
        assert_null(errors);
    }
    assert_int_equal(kept.idle_count, THREADS);
    assert_int_equal(kept.lent_count, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(blocks_come_back_in_the_order_of_their_frees, empty),
        cmocka_unit_test_setup(only_an_equal_key_fits, empty),
        cmocka_unit_test_setup(the_budget_is_never_passed, empty),
        cmocka_unit_test_setup(what_is_given_back_is_of_a_context_or_a_device, empty),
        cmocka_unit_test_setup(what_is_lent_is_found_by_its_address, empty),
        cmocka_unit_test_setup(many_are_lent_and_end_in_any_order, empty),
        cmocka_unit_test_setup(a_walk_comes_past_all, empty),
        cmocka_unit_test_setup(threads_do_not_share_a_block, empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
