/* Tests medians, ranges, and the rank test, which is compared with its published table. */
#include "unit.h"

#include <string.h>

#include "analyzer/base/spread.h"

static struct xs_difference difference_of(const uint64_t *before, size_t n, const uint64_t *after, size_t m) {
    struct xs_metric_value x[XS_RUNS_LIMIT], y[XS_RUNS_LIMIT];
    struct xs_difference difference;
    for (size_t i = 0; i < n; i++)
        x[i] = (struct xs_metric_value){before[i], true};
    for (size_t i = 0; i < m; i++)
        y[i] = (struct xs_metric_value){after[i], true};
    xs_difference_of(x, n, y, m, sizeof *x, &difference);
    return difference;
}

static void median_and_range(void **state) {
    (void)state;
    struct xs_difference d = difference_of((uint64_t[]){30, 10, 20}, 3, (uint64_t[]){7, 1, 3, 4}, 4);
    assert_int_equal(d.before.median, 20);
    assert_int_equal(d.before.least, 10);
    assert_int_equal(d.before.most, 30);
    assert_int_equal(d.after.median, 3); /* half of 7, down */
    assert_int_equal(xs_difference_delta(&d), -17);
    d = difference_of((uint64_t[]){UINT64_MAX, UINT64_MAX}, 2, (uint64_t[]){0}, 1);
    assert_true(d.before.median == UINT64_MAX);
    assert_true(xs_difference_delta(&d) == -INT64_MAX);
}

/* One of the C(6, 3) = 20 orders has all runs of one side first. */
static void three_runs_a_side_can_tell(void **state) {
    (void)state;
    struct xs_difference d = difference_of((uint64_t[]){100, 101, 102}, 3, (uint64_t[]){97, 98, 99}, 3);
    assert_int_equal(d.certainty, XS_BEYOND_SPREAD);
    assert_true(d.p > 0.0499 && d.p < 0.0501);
    d = difference_of((uint64_t[]){97, 98, 99}, 3, (uint64_t[]){100, 101, 102}, 3);
    assert_int_equal(d.certainty, XS_BEYOND_SPREAD);
    d = difference_of((uint64_t[]){100, 103, 104}, 3, (uint64_t[]){99, 98, 101}, 3); /* 2 of 20 are as far */
    assert_int_equal(d.certainty, XS_WITHIN_SPREAD);
    assert_true(d.p > 0.0999 && d.p < 0.1001);
}

static void fewer_cannot(void **state) {
    (void)state;
    struct xs_difference d = difference_of((uint64_t[]){100, 101}, 2, (uint64_t[]){10, 11, 12}, 3);
    assert_int_equal(d.certainty, XS_TOO_FEW_RUNS);
    assert_true(xs_differs(&d, 50, 5));
    assert_false(xs_differs(&d, 95, 5));
    assert_false(xs_differs(&d, 0, 95));
}

/* U = 4 of 5 against 5 is the last that is significant one-sided at 5 % (p = 0.048); U = 5 is not (0.075). */
static void the_table_of_mann_and_whitney(void **state) {
    (void)state;
    const uint64_t low[] = {1, 2, 3, 4, 9}, high[] = {5, 6, 7, 8, 10};
    double p = xs_rank_test(low, 5, high, 5); /* U = 4 */
    assert_true(p > 0.0475 && p < 0.0477);    /* 12 of 252 */
    const uint64_t lower[] = {1, 2, 3, 5, 9}, higher[] = {4, 6, 7, 8, 10};
    p = xs_rank_test(lower, 5, higher, 5); /* U = 5 */
    assert_true(p > 0.0753 && p < 0.0755); /* 19 of 252 */
}

static void equal_values_share_their_ranks(void **state) {
    (void)state;
    const uint64_t same[] = {5, 5, 5};
    assert_true(xs_rank_test(same, 3, same, 3) == 1);
    struct xs_difference d = difference_of(same, 3, same, 3);
    assert_int_equal(d.certainty, XS_WITHIN_SPREAD);
    const uint64_t low[] = {1, 2, 2}, high[] = {2, 3, 3}; /* ranks 1 3 3, 3 5.5 5.5: sum 14 of the high */
    double p = xs_rank_test(low, 3, high, 3);
    assert_true(p > 0.1499 && p < 0.1501); /* 3 of 20: which of the three 2s is with both 3s */
}

static void most_runs_are_counted_through(void **state) {
    (void)state;
    uint64_t low[XS_RUNS_LIMIT], high[XS_RUNS_LIMIT];
    for (uint64_t i = 0; i < XS_RUNS_LIMIT; i++) {
        low[i] = 2 * i;
        high[i] = 2 * i + 1;
    }
    double p = xs_rank_test(low, XS_RUNS_LIMIT, high, XS_RUNS_LIMIT);
    assert_true(p > 0.3 && p < 0.5);
}

static void what_is_not_known_is_not_compared(void **state) {
    (void)state;
    struct xs_metric_value x[] = {{1, true}, {0, false}}, y[] = {{9, true}};
    struct xs_difference d;
    xs_difference_of(x, 2, y, 1, sizeof *x, &d);
    assert_int_equal(d.certainty, XS_NOT_KNOWN);
    assert_false(d.before.known);
    assert_false(xs_differs(&d, 0, 0));
}

/* Compares with the published critical values of the one-sided test at 5 %: 1 for 4 and 4 runs, 15 for 8 and 8, 27 for
 * 10 and 10. */
static void interval_of_the_shift(void **state) {
    (void)state;
    uint64_t before[XS_RUNS_LIMIT], after[XS_RUNS_LIMIT];
    int64_t low, high;
    for (size_t i = 0; i < XS_RUNS_LIMIT; i++) {
        before[i] = 1000 + 100 * i;
        after[i] = 500 + i; /* every difference of a pair is another number */
    }
    assert_true(xs_shift_interval(before, 4, after, 4, &low, &high));
    assert_int_equal(low, -799); /* 2 of 70 orders are as far: one difference is left out on each side */
    assert_int_equal(high, -498);
    assert_true(xs_shift_interval(before, 3, after, 3, &low, &high));
    assert_int_equal(low, -700); /* one of 20: the range */
    assert_false(xs_shift_interval(before, 2, after, 2, &low, &high));
    assert_int_equal(low, -600);
    assert_true(xs_shift_interval(before, 8, after, 8, &low, &high));
    assert_int_equal(low, -1200 + 100 + 7); /* 8 of each step of 100; the 16th smallest is the 8th of the second step */
    assert_true(xs_shift_interval(before, 10, after, 10, &low, &high));
    assert_int_equal(low, -1400 + 200 + 7); /* the 28th of 10 each */
    assert_true(xs_shift_interval(before, XS_RUNS_LIMIT, after, XS_RUNS_LIMIT, &low, &high));
    assert_true(low < high);
    assert_false(xs_shift_interval(before, 0, after, 3, &low, &high));
    assert_true(low == 0 && high == 0);
    assert_true(xs_shift_interval((uint64_t[]){0, 0, 0, 0}, 4, (uint64_t[]){UINT64_MAX, 1, 1, 1}, 4, &low, &high));
    assert_true(low == 1 && high == INT64_MAX);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(median_and_range),
        cmocka_unit_test(three_runs_a_side_can_tell),
        cmocka_unit_test(interval_of_the_shift),
        cmocka_unit_test(fewer_cannot),
        cmocka_unit_test(the_table_of_mann_and_whitney),
        cmocka_unit_test(equal_values_share_their_ranks),
        cmocka_unit_test(most_runs_are_counted_through),
        cmocka_unit_test(what_is_not_known_is_not_compared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
