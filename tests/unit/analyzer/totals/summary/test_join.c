/* Tests that transfers find their device records, however the rows of both tables are ordered: the sums of random runs
 * are those of a search through all records for each transfer. */
#include "loaded.h"

#include "analyzer/base/text.h"
#include "analyzer/trace/records.h"

enum { RUNS = 40, ROWS = 80, CALLS = 50 };

struct expected {
    struct xs_record records[CALLS + 1]; /* by correlation number */
    uint64_t timed, device_ns, matched, without_record, without_event, slowest_ns;
    int64_t slowest;
};

static uint64_t seed;

static unsigned random_below(unsigned end) {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)((seed >> 33) % end);
}

/* Adds a row of device_copy; some rows have no times, and some no call. */
static void add_record(struct xs_string *sql, struct expected *expected) {
    unsigned correlation = random_below(CALLS + 1), bytes = 1 + random_below(500), ns = 1 + random_below(900);
    struct xs_record *record = &expected->records[correlation];
    bool is_timed = random_below(8) > 0;
    if (is_timed)
        xs_string_format(sql,
                         "INSERT INTO device_copy (correlation, kind, bytes, start_ns, end_ns, device, copies) VALUES "
                         "(%u, 1, %u, 10, %u, 0, 1);",
                         correlation, bytes, 10 + ns);
    else
        xs_string_format(sql,
                         "INSERT INTO device_copy (correlation, kind, bytes, device, copies) VALUES (%u, 1, %u, 0, 1);",
                         correlation, bytes);
    record->correlation = correlation;
    record->records++;
    record->bytes += bytes;
    record->ns += is_timed ? ns : 0;
    record->untimed |= !is_timed;
}

static void add_transfer(struct xs_string *sql, struct expected *expected, int64_t id) {
    unsigned correlation = random_below(CALLS + 1), bytes = 1 + random_below(500);
    struct xs_record *record = correlation ? &expected->records[correlation] : NULL;
    uint64_t ns;
    xs_string_format(sql,
                     "INSERT INTO transfer (id, entry_point, thread, direction, bytes, src_kind, dst_kind, is_async, "
                     "is_captured, result, enter_ns, return_ns, correlation) VALUES (%d, 1, 1, 1, %u, 1, 4, 0, 0, 0, "
                     "5, 9, %u);",
                     (int)id, bytes, correlation);
    if (!record || !record->records) {
        expected->without_record++;
        return;
    }
    record->matched = 1;
    expected->matched++;
    if (!xs_record_share(record, bytes, &ns))
        return;
    expected->timed++;
    expected->device_ns += ns;
    if (ns > expected->slowest_ns) {
        expected->slowest_ns = ns;
        expected->slowest = id;
    }
}

static void expect(const struct xs_summary *summary, const struct expected *expected) {
    assert_int_equal(summary->all.count, ROWS);
    assert_int_equal(summary->all.timed_count, expected->timed);
    assert_int_equal(summary->all.device_ns, expected->device_ns);
    assert_int_equal(summary->coverage.device_copies, ROWS);
    assert_int_equal(summary->coverage.matched, expected->matched);
    assert_int_equal(summary->coverage.without_record, expected->without_record);
    assert_int_equal(summary->coverage.without_event, expected->without_event);
    assert_true(summary->slowest_by_device);
    assert_int_equal(summary->slowest[0].id, expected->slowest);
}

static void transfers_find_their_records_in_any_order(void **state) {
    (void)state;
    for (unsigned run = 1; run <= RUNS; run++) {
        XS_SCOPED_STRING sql = {0};
        struct expected expected = {.timed = 0};
        struct case_ c;
        seed = run;
        xs_string_format(&sql, "BEGIN;");
        for (int i = 0; i < ROWS; i++)
            add_record(&sql, &expected);
        for (int i = 1; i <= ROWS; i++)
            add_transfer(&sql, &expected, i);
        for (int i = 0; i <= CALLS; i++)
            expected.without_event += expected.records[i].matched ? 0 : expected.records[i].records;
        xs_string_format(&sql, "COMMIT;");
        load(&c, sql.data);
        expect(&c.summary, &expected);
        drop(&c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(transfers_find_their_records_in_any_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
