/* Numbers as people read them. */
#include "unit.h"

#include "analyzer/base/units.h"

static void counts(void **state) {
    char b[XS_UNIT_BYTES];
    (void)state;
    assert_string_equal(xs_format_count(b, 0), "0");
    assert_string_equal(xs_format_count(b, 999), "999");
    assert_string_equal(xs_format_count(b, 1000), "1,000");
    assert_string_equal(xs_format_count(b, 1234567), "1,234,567");
    assert_string_equal(xs_format_count(b, UINT64_MAX), "18,446,744,073,709,551,615");
}

static void bytes(void **state) {
    char b[XS_UNIT_BYTES];
    (void)state;
    assert_string_equal(xs_format_bytes(b, 0), "0 B");
    assert_string_equal(xs_format_bytes(b, 1023), "1023 B");
    assert_string_equal(xs_format_bytes(b, 1024), "1.00 KiB");
    assert_string_equal(xs_format_bytes(b, 1536 * 1024), "1.50 MiB");
    assert_string_equal(xs_format_bytes(b, UINT64_C(1) << 30), "1.00 GiB");
    assert_string_equal(xs_format_bytes(b, (UINT64_C(1) << 30) - 1), "1.00 GiB"); /* not 1024 MiB */
    assert_string_equal(xs_format_bytes(b, 1000 * 1024), "1000 KiB");
    assert_string_equal(xs_format_bytes(b, 10230), "9.99 KiB");
    assert_string_equal(xs_format_bytes(b, 10236), "10.0 KiB");
    assert_string_equal(xs_format_bytes(b, UINT64_MAX), "16.0 EiB");
}

static void times(void **state) {
    char b[XS_UNIT_BYTES];
    (void)state;
    assert_string_equal(xs_format_ns(b, 0), "0 ns");
    assert_string_equal(xs_format_ns(b, 850), "850 ns");
    assert_string_equal(xs_format_ns(b, 1000), "1.00 us");
    assert_string_equal(xs_format_ns(b, 999499), "999 us");
    assert_string_equal(xs_format_ns(b, 999500), "1.00 ms");
    assert_string_equal(xs_format_ns(b, 12345678), "12.3 ms");
    assert_string_equal(xs_format_ns(b, UINT64_C(1500000000)), "1.50 s");
    assert_string_equal(xs_format_ns(b, UINT64_C(119900000000)), "120 s");
    assert_string_equal(xs_format_ns(b, UINT64_C(200000000000)), "3 min 20 s");
    assert_string_equal(xs_format_ns(b, UINT64_C(7260000000000)), "2 h 01 min");
    assert_true(strlen(xs_format_ns(b, UINT64_MAX)) < XS_UNIT_BYTES);
}

static void rates(void **state) {
    char b[XS_UNIT_BYTES];
    (void)state;
    assert_string_equal(xs_format_rate(b, 1000, 0), "");
    assert_string_equal(xs_format_rate(b, 0, 10), "0.00 B/s");
    assert_string_equal(xs_format_rate(b, 64 << 20, 1220000), "55.0 GB/s");
    assert_string_equal(xs_format_rate(b, 4, 7100), "563 kB/s");
    assert_string_equal(xs_format_rate(b, UINT64_MAX, 1), "> 1 EB/s");
}

static void shares(void **state) {
    char b[XS_UNIT_BYTES];
    (void)state;
    assert_string_equal(xs_format_share(b, 1, 0), "");
    assert_string_equal(xs_format_share(b, 0, 5), "0 %");
    assert_string_equal(xs_format_share(b, 1, 2), "50 %");
    assert_string_equal(xs_format_share(b, 1, 3), "33 %");
    assert_string_equal(xs_format_share(b, 1, 30), "3.3 %");
    assert_string_equal(xs_format_share(b, 1, 2000), "<0.1 %");
    assert_string_equal(xs_format_share(b, 3, 2), "150 %");
    assert_string_equal(xs_format_share(b, UINT64_MAX, 1), ">99999 %");
}

/* Two times in one sentence are printed alike only if they are equal. */
static void two_times(void **state) {
    static const struct {
        uint64_t a_ns, b_ns;
        const char *a, *b;
    } cases[] = {
        {300000000, 159000000, "300 ms", "159 ms"},
        {126240000, 125630000, "126.2 ms", "125.6 ms"},
        {12345678, 12347678, "12.346 ms", "12.348 ms"},
        {5000000, 5000000, "5.00 ms", "5.00 ms"},
        {UINT64_C(1000000001), UINT64_C(1000000000), "1.00000 s", "1.00000 s"},
    };
    char a[XS_UNIT_BYTES], b[XS_UNIT_BYTES];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        xs_format_two_ns(a, cases[i].a_ns, b, cases[i].b_ns);
        assert_string_equal(a, cases[i].a);
        assert_string_equal(b, cases[i].b);
    }
}

static void dates(void **state) {
    char b[XS_UNIT_BYTES];
    (void)state;
    assert_string_equal(xs_format_unix_ns(b, INT64_C(1767225600000000000)), "2026-01-01 00:00:00 UTC");
    assert_string_equal(xs_format_unix_ns(b, 0), "");
    assert_string_equal(xs_format_unix_ns(b, -1), "");
    xs_format_unix_ns(b, INT64_MAX);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts), cmocka_unit_test(bytes), cmocka_unit_test(times),     cmocka_unit_test(rates),
        cmocka_unit_test(shares), cmocka_unit_test(dates), cmocka_unit_test(two_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
