/* Tests the share of the time that fingerprints may take: an advance, then as much as the share has grown to. Real
 * costs replace estimates, and the part of the copies that can be looked at follows from the rest, however the program
 * changes. */
#include "unit.h"

#include "preload/fingerprint/budget.h"

enum { TICKS_PER_US = 2000, ADVANCE_NS = 3000000 };

static uint64_t after_ms(uint64_t ms) { return 1000 + ms * 1000 * TICKS_PER_US; }

/* As many of `cost_ns` as are allowed at that moment. */
static unsigned spend_all(uint64_t now, uint64_t cost_ns) {
    unsigned n = 0;
    while (n < 1000000 && xs_budget_spend(now, cost_ns))
        n++;
    return n;
}

static void grows_with_the_time(void **state) {
    (void)state;
    xs_budget_start(1000, 30, TICKS_PER_US);
    assert_true(xs_budget_is_limited());
    assert_int_equal(spend_all(after_ms(0), 1000), ADVANCE_NS / 1000);
    assert_int_equal(spend_all(after_ms(0), 1), 0);
    assert_int_equal(spend_all(after_ms(1000), 1000), 30000);
    assert_int_equal(xs_budget_spent_ns(), ADVANCE_NS + 30000000);
}

/* Of the time before the first copy, two seconds count, whichever function asks first. */
static void little_is_saved_up_before_the_first_copy(void **state) {
    (void)state;
    xs_budget_start(1000, 30, TICKS_PER_US);
    assert_int_equal(spend_all(after_ms(10000), 1000), (ADVANCE_NS + 60000000) / 1000);
    assert_int_equal(spend_all(after_ms(11000), 1000), 30000);
    assert_int_equal(spend_all(after_ms(21000), 1000), 300000);
    xs_budget_start(1000, 30, TICKS_PER_US);
    assert_true(xs_budget_part(after_ms(10000), 1000000) < 2.0 * (60 + ADVANCE_NS / 3e6) + 0.1);
    assert_int_equal(spend_all(after_ms(10000), 1000), (ADVANCE_NS + 60000000) / 1000);
}

/* A half of XFERSPY_BUDGET=1. */
static void may_be_less_than_a_percent(void **state) {
    (void)state;
    xs_budget_start(1000, 5, TICKS_PER_US);
    assert_int_equal(spend_all(after_ms(1000), 1000), (ADVANCE_NS + 5000000) / 1000);
}

/* Half of XFERSPY_BUDGET=6, and what the wrappers take of the whole. */
static void is_less_where_others_spend(void **state) {
    (void)state;
    xs_budget_start(1000, 30, TICKS_PER_US);
    xs_budget_others(30000000); /* after a second that is the other half */
    assert_int_equal(spend_all(after_ms(1000), 1000), (ADVANCE_NS + 30000000) / 1000);
    xs_budget_start(1000, 30, TICKS_PER_US);
    xs_budget_others(40000000);
    assert_int_equal(spend_all(after_ms(1000), 1000), (ADVANCE_NS + 20000000) / 1000);
    xs_budget_start(1000, 30, TICKS_PER_US);
    xs_budget_others(900000000);
    assert_int_equal(spend_all(after_ms(1000), 1000), (ADVANCE_NS + 15000000) / 1000); /* a quarter remains */
    assert_int_equal(spend_all(after_ms(2000), 1000), 15000);
    xs_budget_start(1000, 1000, TICKS_PER_US);
    xs_budget_others(900000000);
    assert_true(xs_budget_spend(after_ms(0), UINT64_C(1000000000000))); /* no bound */
}

static void all_the_time_is_without_bound(void **state) {
    (void)state;
    xs_budget_start(1000, 1000, TICKS_PER_US);
    assert_false(xs_budget_is_limited());
    assert_true(xs_budget_spend(after_ms(0), UINT64_C(1000000000000)));
    assert_true(xs_budget_spend(after_ms(0), UINT64_C(1000000000000)));
}

static void is_made_good(void **state) {
    (void)state;
    xs_budget_start(1000, 30, TICKS_PER_US);
    assert_true(xs_budget_spend(after_ms(0), 2000000));
    assert_false(xs_budget_spend(after_ms(0), 2000000));
    xs_budget_took(2000000, 500000); /* it was less */
    assert_int_equal(xs_budget_spent_ns(), 500000);
    assert_int_equal(xs_budget_took_ns(), 500000);
    assert_true(xs_budget_spend(after_ms(0), 2000000));
    xs_budget_took(2000000, 90000000); /* much more: nothing until the share has grown to it */
    assert_false(xs_budget_spend(after_ms(2900), 1000));
    assert_true(xs_budget_spend(after_ms(3000), 1000));
    assert_int_equal(xs_budget_took_ns(), 90500000);
}

static void ticks_are_nanoseconds(void **state) {
    (void)state;
    xs_budget_start(0, 30, TICKS_PER_US);
    assert_int_equal(xs_budget_ns(TICKS_PER_US), 1000);
    assert_int_equal(xs_budget_ns(0), 0);
}

/* Copies that would cost `wanted_ns` in each of so many milliseconds; what is spent of it is the part that the budget
 * says. Returns the last part. */
static double run(uint64_t from_ms, uint64_t to_ms, uint64_t wanted_ns) {
    double part = 0;
    for (uint64_t ms = from_ms; ms < to_ms; ms++) {
        part = xs_budget_part(after_ms(ms), wanted_ns);
        xs_budget_spend(after_ms(ms), (uint64_t)((double)wanted_ns * (part < 1 ? part : 1)));
    }
    return part;
}

static void plenty_is_for_all(void **state) {
    (void)state;
    xs_budget_start(1000, 30, TICKS_PER_US);
    assert_true(run(0, 2000, 10000) >= 1); /* a third of what may be spent */
    assert_int_equal(xs_budget_spent_ns(), 2000 * 10000);
}

/* Ten times as much as the budget allows: about two thirds of it are used, and the part hardly changes any more. */
static void scarcity_is_shared(void **state) {
    (void)state;
    xs_budget_start(1000, 30, TICKS_PER_US);
    double early = run(0, 2000, 300000), late = run(2000, 10000, 300000);
    assert_true(late > 0.05 && late < 0.08);
    assert_true(early > late * 0.9 && early < late * 1.3);
    assert_true(xs_budget_spent_ns() > 180000000 && xs_budget_spent_ns() < 300000000);
}

/* Saved budget is spent on a burst, but never more than there is. */
static void bursts_do_not_overspend(void **state) {
    (void)state;
    xs_budget_start(1000, 30, TICKS_PER_US);
    run(0, 1000, 1000);
    for (int i = 0; i < 100000; i++) {
        double part = xs_budget_part(after_ms(1000), 20000);
        if (part * 100 > i % 100)
            xs_budget_spend(after_ms(1000), 20000);
    }
    assert_true(xs_budget_spent_ns() > 20000000);
    assert_true(xs_budget_spent_ns() <= 30000000 + ADVANCE_NS / 3 + 20000);
}

/* Looks that take ten times what was planned are a tenth as many. */
static void what_it_takes_counts(void **state) {
    (void)state;
    xs_budget_start(1000, 30, TICKS_PER_US);
    double part = 0;
    for (uint64_t ms = 0, looks = 0; ms < 10000; ms++) {
        part = xs_budget_part(after_ms(ms), 30000);
        if (part * (double)(ms + 1) > (double)looks * 1.0 && part > 0 && xs_budget_spend(after_ms(ms), 30000)) {
            xs_budget_took(30000, 300000);
            looks++;
        }
    }
    assert_true(part > 0.05 && part < 0.08);
}

static void nothing_left_is_for_none(void **state) {
    (void)state;
    xs_budget_start(1000, 30, TICKS_PER_US);
    assert_true(xs_budget_spend(after_ms(0), ADVANCE_NS / 3));
    assert_true(xs_budget_part(after_ms(0), 1000) <= 0);
    assert_true(xs_budget_part(after_ms(1), 0) > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grows_with_the_time),
        cmocka_unit_test(little_is_saved_up_before_the_first_copy),
        cmocka_unit_test(may_be_less_than_a_percent),
        cmocka_unit_test(is_less_where_others_spend),
        cmocka_unit_test(all_the_time_is_without_bound),
        cmocka_unit_test(is_made_good),
        cmocka_unit_test(ticks_are_nanoseconds),
        cmocka_unit_test(plenty_is_for_all),
        cmocka_unit_test(scarcity_is_shared),
        cmocka_unit_test(bursts_do_not_overspend),
        cmocka_unit_test(nothing_left_is_for_none),
        cmocka_unit_test(what_it_takes_counts),
    };
    return cmocka_run_group_tests_name("fingerprint budget", tests, NULL, NULL);
}
