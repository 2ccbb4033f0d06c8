/* Tests that looking at host memory keeps to its share of the time. */
#include "unit.h"

#include "preload/hostreads/host_reads_budget.h"

#define MS UINT64_C(1000000)
#define SECOND (1000 * MS)

static void the_first_look_decides_when_the_second_comes(void **state) {
    (void)state;
    struct xs_host_reads_budget budget;
    xs_host_reads_budget_start(&budget, 7 * SECOND, 3000);
    assert_int_equal(xs_host_reads_budget_next_ns(&budget), 7 * SECOND);
    xs_host_reads_budget_spent(&budget, 3 * MS);
    assert_int_equal(xs_host_reads_budget_next_ns(&budget), 9 * SECOND); /* two looks of 3 ms in 2 s */
}

static void the_share_is_kept_whatever_looks_take(void **state) {
    (void)state;
    struct xs_host_reads_budget budget;
    xs_host_reads_budget_start(&budget, SECOND, 3000);
    uint64_t now = SECOND, random = 5;
    for (unsigned i = 0; i < 1000; i++) {
        uint64_t next = xs_host_reads_budget_next_ns(&budget);
        now = next > now ? next : now;
        random = random * UINT64_C(6364136223846793005) + 1;
        uint64_t took = MS + (random >> 33) % (9 * MS);
        now += took;
        xs_host_reads_budget_spent(&budget, took);
        if (i > 10) { /* once the first look is paid for, by at most one that takes ten times as long as another */
            assert_true((double)budget.spent_ns <= 0.003 * (double)(now - SECOND) + 10.0 * (double)MS);
            assert_true((double)budget.spent_ns >= 0.002 * (double)(now - SECOND) - 10.0 * (double)MS);
        }
    }
}

static void one_long_look_is_forgotten(void **state) {
    (void)state;
    struct xs_host_reads_budget budget;
    xs_host_reads_budget_start(&budget, 0, 3000);
    xs_host_reads_budget_spent(&budget, SECOND);
    assert_int_equal(xs_host_reads_budget_next_ns(&budget) / SECOND, 666); /* 2 s of 666 */
    for (unsigned i = 0; i < 40; i++)
        xs_host_reads_budget_spent(&budget, MS);
    uint64_t paid = (uint64_t)((double)budget.spent_ns / 0.003);
    assert_true(xs_host_reads_budget_next_ns(&budget) - paid < SECOND);
}

static void nothing_and_everything_are_possible(void **state) {
    (void)state;
    struct xs_host_reads_budget budget;
    xs_host_reads_budget_start(&budget, SECOND, 0);
    assert_int_equal(xs_host_reads_budget_next_ns(&budget), UINT64_MAX);
    xs_host_reads_budget_start(&budget, SECOND, 1000000);
    xs_host_reads_budget_spent(&budget, 100 * SECOND);
    assert_int_equal(xs_host_reads_budget_next_ns(&budget), SECOND);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_look_decides_when_the_second_comes),
        cmocka_unit_test(the_share_is_kept_whatever_looks_take),
        cmocka_unit_test(one_long_look_is_forgotten),
        cmocka_unit_test(nothing_and_everything_are_possible),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
