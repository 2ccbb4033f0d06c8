/* The share of the time that fingerprints may take: an advance, then as much as the share has grown to; what is dear
 * for its copy waits while half of it is gone; estimates are made good by what it was. */
#include "unit.h"

#include "preload/fingerprint/budget.h"

enum { TICKS_PER_US = 2000, ADVANCE_NS = 3000000 };

static uint64_t after_ms(uint64_t ms) { return 1000 + ms * 1000 * TICKS_PER_US; }

/* As many of `cost_ns` as are allowed at that moment. */
static unsigned spend_all(uint64_t now, uint64_t cost_ns, uint64_t copy_ns) {
    unsigned n = 0;
    while (n < 1000000 && xs_budget_spend(now, cost_ns, copy_ns)) {
        n++;
    }
    return n;
}

static void grows_with_the_time(void **state) {
    (void)state;
    xs_budget_start(1000, 3, TICKS_PER_US);
    assert_int_equal(spend_all(after_ms(0), 1000, 1000000), ADVANCE_NS / 1000);
    assert_int_equal(spend_all(after_ms(0), 1, 1000000), 0);
    assert_int_equal(spend_all(after_ms(1000), 1000, 1000000), 30000);
    assert_int_equal(xs_budget_spent_ns(), ADVANCE_NS + 30000000);
}

static void the_dear_ones_wait(void **state) {
    (void)state;
    xs_budget_start(1000, 3, TICKS_PER_US);
    assert_int_equal(spend_all(after_ms(0), 1000, 9999), ADVANCE_NS / 2 / 1000);
    assert_false(xs_budget_spend(after_ms(0), 1000, 9999));
    assert_true(xs_budget_spend(after_ms(0), 1000, 10000));
}

static void all_the_time_is_without_bound(void **state) {
    (void)state;
    xs_budget_start(1000, 100, TICKS_PER_US);
    assert_true(xs_budget_spend(after_ms(0), UINT64_C(1000000000000), 1));
    assert_true(xs_budget_spend(after_ms(0), UINT64_C(1000000000000), 1));
}

static void is_made_good(void **state) {
    (void)state;
    xs_budget_start(1000, 3, TICKS_PER_US);
    assert_true(xs_budget_spend(after_ms(0), 2000000, 1000000000));
    assert_false(xs_budget_spend(after_ms(0), 2000000, 1000000000));
    xs_budget_took(2000000, 500000); /* it was less */
    assert_int_equal(xs_budget_spent_ns(), 500000);
    assert_int_equal(xs_budget_took_ns(), 500000);
    assert_true(xs_budget_spend(after_ms(0), 2000000, 1000000000));
    xs_budget_took(2000000, 90000000); /* much more: nothing until the share has grown to it */
    assert_false(xs_budget_spend(after_ms(2900), 1000, 1000000000));
    assert_true(xs_budget_spend(after_ms(3000), 1000, 1000000000));
    assert_int_equal(xs_budget_took_ns(), 90500000);
}

static void ticks_are_nanoseconds(void **state) {
    (void)state;
    xs_budget_start(0, 3, TICKS_PER_US);
    assert_int_equal(xs_budget_ns(TICKS_PER_US), 1000);
    assert_int_equal(xs_budget_ns(0), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grows_with_the_time),           cmocka_unit_test(the_dear_ones_wait),
        cmocka_unit_test(all_the_time_is_without_bound), cmocka_unit_test(is_made_good),
        cmocka_unit_test(ticks_are_nanoseconds),
    };
    return cmocka_run_group_tests_name("fingerprint budget", tests, NULL, NULL);
}
