/* How long page migrations are recorded: an advance, then a share of the time, in stretches of some length. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "preload/cupti/migration_budget.h"

#define MS UINT64_C(1000000)
enum { BEGIN = 77, ADVANCE_RECORDS = 1000, RECORDS_PER_S = 4000 }; /* 5 ms and 20 ms of 5 us each */

static void few_never_rest(void **state) {
    (void)state;
    struct xs_migration_budget b;
    xs_migration_budget_start(&b, BEGIN);
    assert_true(b.on);
    for (uint64_t s = 0; s < 100; s++)
        assert_false(xs_migration_budget_turn(&b, BEGIN + s * 1000 * MS, ADVANCE_RECORDS + s * RECORDS_PER_S));
    assert_int_equal(xs_migration_budget_recorded_ns(&b, BEGIN + 99000 * MS), 99000 * MS);
    assert_int_equal(b.rests, 0);
}

static void many_rest_until_a_stretch_is_allowed(void **state) {
    (void)state;
    struct xs_migration_budget b;
    xs_migration_budget_start(&b, BEGIN);
    assert_true(xs_migration_budget_turn(&b, BEGIN + 100 * MS, ADVANCE_RECORDS + RECORDS_PER_S / 10 + 1));
    assert_false(b.on);
    assert_int_equal(xs_migration_budget_recorded_ns(&b, BEGIN + 900 * MS), 100 * MS);
    assert_false(xs_migration_budget_turn(&b, BEGIN + 1599 * MS, ADVANCE_RECORDS + RECORDS_PER_S / 10));
    assert_true(xs_migration_budget_turn(&b, BEGIN + 1600 * MS, ADVANCE_RECORDS + RECORDS_PER_S / 10));
    assert_true(b.on);
    assert_int_equal(xs_migration_budget_recorded_ns(&b, BEGIN + 1700 * MS), 200 * MS);
    assert_true(xs_migration_budget_turn(&b, BEGIN + 1700 * MS, ADVANCE_RECORDS + 2 * RECORDS_PER_S));
    assert_int_equal(b.rests, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_never_rest),
        cmocka_unit_test(many_rest_until_a_stretch_is_allowed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
