/* Compares unions and intersections of time intervals with a drawing of the intervals. */
#include "unit.h"

#include "analyzer/base/intervals.h"

static void empty(void **state) {
    struct xs_intervals a = {0}, b = {0};
    (void)state;
    assert_int_equal(xs_intervals_unite(&a), 0);
    assert_int_equal(xs_intervals_common(&a, &b, NULL), 0);
    xs_intervals_add(&a, 5, 5);
    xs_intervals_add(&a, 5, 3);
    assert_int_equal(a.count, 0);
    xs_intervals_free(&a);
}

static void touching_ones_cost_nothing(void **state) {
    struct xs_intervals a = {0};
    (void)state;
    for (int i = 0; i < 1000; i++)
        xs_intervals_add(&a, i * 10, i * 10 + 10);
    assert_int_equal(a.count, 1);
    assert_int_equal(xs_intervals_unite(&a), 10000);
    xs_intervals_free(&a);
}

static void extremes(void **state) {
    struct xs_intervals a = {0}, b = {0};
    (void)state;
    xs_intervals_add(&a, INT64_MIN, INT64_MAX);
    xs_intervals_add(&b, -5, 5);
    assert_true(xs_intervals_unite(&a) == UINT64_MAX);
    assert_int_equal(xs_intervals_unite(&b), 10);
    assert_int_equal(xs_intervals_common(&a, &b, NULL), 10);
    xs_intervals_free(&a);
    xs_intervals_free(&b);
}

enum { LINE = 200 };
static void fill(struct xs_intervals *set, char *line, unsigned count, unsigned short *seed) {
    for (unsigned i = 0; i < count; i++) {
        int start = (int)(nrand48(seed) % LINE), end = start + (int)(nrand48(seed) % 20);
        end = end > LINE ? LINE : end;
        xs_intervals_add(set, start - 100, end - 100);
        memset(line + start, 1, (size_t)(end - start));
    }
}

/* Compares random sets, in any order, with one byte for each nanosecond. */
static void random_sets(void **state) {
    unsigned short seed[3] = {1, 2, 3};
    (void)state;
    for (int round = 0; round < 5000; round++) {
        char a_line[LINE] = {0}, b_line[LINE] = {0};
        struct xs_intervals a = {0}, b = {0};
        unsigned in_a = 0, in_b = 0, in_both = 0;
        fill(&a, a_line, (unsigned)(nrand48(seed) % 12), seed);
        fill(&b, b_line, (unsigned)(nrand48(seed) % 12), seed);
        for (int i = 0; i < LINE; i++) {
            in_a += a_line[i] != 0;
            in_b += b_line[i] != 0;
            in_both += a_line[i] && b_line[i];
        }
        assert_int_equal(xs_intervals_unite(&a), in_a);
        assert_int_equal(xs_intervals_unite(&b), in_b);
        assert_int_equal(xs_intervals_common(&a, &b, NULL), in_both);
        assert_int_equal(xs_intervals_common(&b, &a, NULL), in_both);
        xs_intervals_free(&a);
        xs_intervals_free(&b);
    }
}

/* Many intervals take two ways of sorting: those that are a few places away from their order, and those in no order. */
static void many_are_sorted(void **state) {
    enum { COUNT = 5000 };
    static const int disorders[] = {4, COUNT};
    unsigned short seed[3] = {4, 5, 6};
    (void)state;
    for (size_t i = 0; i < sizeof disorders / sizeof *disorders; i++) {
        struct xs_intervals set = {0};
        int starts[COUNT];
        for (int k = 0; k < COUNT; k++)
            starts[k] = k * 10;
        for (int k = COUNT - 1; k > 0; k--) {
            int other = k - (int)(nrand48(seed) % (k < disorders[i] ? k + 1 : disorders[i])), start = starts[k];
            starts[k] = starts[other];
            starts[other] = start;
        }
        for (int k = 0; k < COUNT; k++)
            xs_intervals_add(&set, starts[k], starts[k] + 7);
        assert_int_equal(xs_intervals_unite(&set), COUNT * 7);
        assert_int_equal(set.count, COUNT);
        for (int k = 0; k < COUNT; k++)
            assert_int_equal(set.items[k].start, k * 10);
        xs_intervals_free(&set);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty),           cmocka_unit_test(touching_ones_cost_nothing),
        cmocka_unit_test(extremes),        cmocka_unit_test(random_sets),
        cmocka_unit_test(many_are_sorted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
