/* Tests the numbers of stacks: each stack has one number, whichever thread asks, and is new once. The test uses a
 * hundred thousand stacks. */
#include "unit.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "preload/callsite/stack_table.h"

static uint64_t scrambled(uint64_t x) {
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static struct xs_stack_key key_of(uint64_t i) { return (struct xs_stack_key){scrambled(i), scrambled(~i)}; }

static void a_stack_is_new_once(void **state) {
    (void)state;
    bool is_new;
    uint32_t first = xs_stacks_number(key_of(1), &is_new);
    assert_int_not_equal(first, 0);
    assert_true(is_new);
    assert_int_equal(xs_stacks_number(key_of(1), &is_new), first);
    assert_false(is_new);
    assert_int_not_equal(xs_stacks_number(key_of(2), &is_new), first);
    assert_true(is_new);
    xs_stacks_undefined(key_of(1));
    assert_int_equal(xs_stacks_number(key_of(1), &is_new), first);
    assert_true(is_new);
    assert_int_equal(xs_stacks_number(key_of(1), &is_new), first);
    assert_false(is_new);
}

/* The values that mean "empty" and "being written" in a slot can be keys, too. */
static void any_key_will_do(void **state) {
    (void)state;
    bool is_new;
    uint32_t zero = xs_stacks_number((struct xs_stack_key){0, 7}, &is_new);
    assert_true(is_new);
    uint32_t one = xs_stacks_number((struct xs_stack_key){1, 7}, &is_new);
    assert_true(is_new);
    assert_int_not_equal(zero, one);
    assert_int_equal(xs_stacks_number((struct xs_stack_key){0, 7}, &is_new), zero);
    assert_false(is_new);
}

enum { MANY = 100000, THREADS = 4 };
static _Atomic uint32_t news;
static uint32_t numbers[THREADS][MANY];

static void *all_of_them(void *arg) {
    unsigned me = (unsigned)(uintptr_t)arg;
    for (uint32_t i = 0; i < MANY; i++) {
        uint32_t mine = me & 1 ? i : MANY - 1 - i;
        bool is_new;
        numbers[me][mine] = xs_stacks_number(key_of(1000 + mine), &is_new);
        atomic_fetch_add(&news, is_new);
    }
    return NULL;
}

static int ascending(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void threads_agree(void **state) {
    (void)state;
    pthread_t threads[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, all_of_them, (void *)i), 0);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (unsigned i = 1; i < THREADS; i++)
        assert_memory_equal(numbers[0], numbers[i], sizeof numbers[0]);
    qsort(numbers[0], MANY, sizeof numbers[0][0], ascending);
    assert_int_not_equal(numbers[0][0], 0);
    for (unsigned i = 1; i < MANY; i++)
        assert_true(numbers[0][i] > numbers[0][i - 1]);
    assert_int_equal(news, MANY);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stack_is_new_once),
        cmocka_unit_test(any_key_will_do),
        cmocka_unit_test(threads_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
