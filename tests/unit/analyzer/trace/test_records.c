/* Tests that copy records are found by their correlation. */
#include "unit.h"

#include "analyzer/trace/records.h"

static void add(struct xs_records *records, uint32_t correlation, uint64_t bytes, bool timed, uint64_t ns) {
    struct xs_record row = {.correlation = correlation, .records = 1, .untimed = !timed, .bytes = bytes, .ns = ns};
    xs_records_add(records, &row);
}

static void finds_what_was_added(void **state) {
    struct xs_records records = {0};
    (void)state;
    for (uint32_t i = 0; i < 1000; i++) /* out of order: 7 is coprime to 1000 */
        add(&records, 1 + i * 7 % 1000 * 2, 10, true, i);
    xs_records_sort(&records);
    assert_int_equal(records.count, 1000);
    for (uint32_t i = 0; i < 1000; i++) {
        struct xs_record *odd = xs_records_find(&records, 1 + i * 2);
        assert_non_null(odd);
        assert_int_equal(odd->correlation, 1 + i * 2);
        assert_null(xs_records_find(&records, 2 + i * 2));
    }
    assert_non_null(xs_records_find(&records, 1)); /* backwards from the end */
    assert_null(xs_records_find(&records, 0));
    assert_null(xs_records_find(&records, UINT32_MAX));
    xs_records_free(&records);
}

static void rows_of_one_call_are_folded(void **state) {
    struct xs_records records = {0};
    (void)state;
    add(&records, 5, 100, true, 10);
    add(&records, 5, 200, true, 20); /* a neighbour */
    add(&records, 3, 1, true, 1);
    add(&records, 5, 300, false, 0); /* from afar, without times */
    xs_records_sort(&records);
    assert_int_equal(records.count, 2);
    struct xs_record *record = xs_records_find(&records, 5);
    assert_int_equal(record->records, 3);
    assert_int_equal(record->bytes, 600);
    assert_int_equal(record->ns, 30);
    assert_int_equal(record->untimed, 1);
    xs_records_free(&records);
}

static void sums_saturate(void **state) {
    struct xs_records records = {0};
    (void)state;
    add(&records, 5, UINT64_MAX - 1, true, UINT64_MAX - 1);
    add(&records, 5, 5, true, 5);
    assert_true(xs_records_find(&records, 5)->bytes == UINT64_MAX);
    assert_true(xs_records_find(&records, 5)->ns == UINT64_MAX);
    xs_records_free(&records);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_was_added),
        cmocka_unit_test(rows_of_one_call_are_folded),
        cmocka_unit_test(sums_saturate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
