/* Tests what is a rhythm and what is not: the rule of docs/rules/analysis.md, "Steps", number by number. */
#include "support.h"

#include <math.h>

#include "schema/rhythm.h"

enum { MOST = 512 };
static int64_t moments[MOST];
static uint64_t room[MOST];
static size_t count;
static struct xs_rhythm rhythm;

static void begin_at(int64_t ns) {
    moments[0] = ns;
    count = 1;
}

static void repeat(int64_t distance, unsigned times) {
    for (; times; times--, count++)
        moments[count] = moments[count - 1] + distance;
}

static bool is_rhythm(double largest_spread) { return xs_rhythm_of(moments, count, largest_spread, room, &rhythm); }

static void five_equal_distances_are_one(void **state) {
    (void)state;
    begin_at(-7);
    repeat(1000, 5);
    assert_true(is_rhythm(0.25));
    assert_int_equal(rhythm.warm_up, 0);
    assert_int_equal(rhythm.regular_ns, 5000);
    assert_true(rhythm.spread == 0);
    for (count = 0; count < 6; count++)
        assert_false(is_rhythm(0.25));
}

static void the_warm_up_comes_on_top(void **state) {
    (void)state;
    begin_at(0);
    repeat(5000, 1);
    repeat(1501, 1);
    repeat(1000, 5);
    assert_true(is_rhythm(0.25));
    assert_int_equal(rhythm.warm_up, 2);
    assert_int_equal(rhythm.regular_ns, 5000);
    /* what differs by half differs no longer clearly */
    begin_at(0);
    repeat(1500, 1);
    repeat(1000, 30);
    assert_true(is_rhythm(0.25));
    assert_int_equal(rhythm.warm_up, 0);
    /* first steps may be shorter, too */
    begin_at(0);
    repeat(499, 2);
    repeat(1000, 5);
    assert_true(is_rhythm(0.25));
    assert_int_equal(rhythm.warm_up, 2);
    /* four are left */
    begin_at(0);
    repeat(5000, 2);
    repeat(1000, 4);
    assert_false(is_rhythm(0.25));
}

/* More than half of the run is no warm-up: then there are two ways of the program, and neither is it. */
static void the_warm_up_is_half_at_most(void **state) {
    (void)state;
    begin_at(0);
    repeat(9000, 30);
    repeat(1000, 10);
    assert_false(is_rhythm(0.25));
}

static void one_of_twenty_may_be_longer(void **state) {
    (void)state;
    begin_at(0);
    repeat(1000, 30);
    repeat(90000, 1);
    repeat(1000, 9);
    assert_true(is_rhythm(0.25));
    assert_int_equal(rhythm.regular_ns, 38000); /* 2 of 40 do not count, whatever they are */
    begin_at(0);
    repeat(1000, 15);
    repeat(90000, 1);
    repeat(1000, 3); /* one of 19 */
    assert_false(is_rhythm(0.25));
}

static void an_inner_loop_is_none(void **state) {
    (void)state;
    begin_at(0);
    for (int i = 0; i < 20; i++) {
        repeat(100, 9);
        repeat(2000, 1);
    }
    assert_false(is_rhythm(0.25));
    assert_false(is_rhythm(0.5));
}

static void the_spread_has_a_limit(void **state) {
    (void)state;
    begin_at(0);
    for (int i = 0; i < 8; i++) { /* the standard deviation is 30 % of the mean */
        repeat(700, 1);
        repeat(1300, 1);
    }
    assert_false(is_rhythm(0.25));
    assert_true(is_rhythm(0.31));
    assert_true(rhythm.spread > 0.299 && rhythm.spread < 0.301);
}

static void moments_that_do_not_ascend_are_none(void **state) {
    (void)state;
    begin_at(0);
    repeat(1000, 10);
    moments[5] = 9500;
    assert_false(is_rhythm(9));
    begin_at(1000);
    repeat(0, 10);
    assert_false(is_rhythm(9));
    assert_false(is_rhythm(INFINITY)); /* a named range may have any spread, but it must be a number */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(five_equal_distances_are_one),
        cmocka_unit_test(the_warm_up_comes_on_top),
        cmocka_unit_test(the_warm_up_is_half_at_most),
        cmocka_unit_test(one_of_twenty_may_be_longer),
        cmocka_unit_test(an_inner_loop_is_none),
        cmocka_unit_test(the_spread_has_a_limit),
        cmocka_unit_test(moments_that_do_not_ascend_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
