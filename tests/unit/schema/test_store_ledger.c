/* Tests a ledger: rows and sums together are all that the program did, whatever becomes of its parts. */
#include "store_unit.h"

#include "schema/write/store_internal.h"
#include "schema/write/store_ledger.h"

#define SECOND INT64_C(1000000000)

static uint32_t correlation;
static uint64_t parts;

static void put_upload(int64_t at_ns, uint32_t stack, uint64_t bytes, int32_t result) {
    struct xs_event event = event_of(XS_EVENT_TRANSFER);
    event.correlation = ++correlation;
    event.enter_tick = (uint64_t)at_ns;
    event.return_tick = event.enter_tick + 7;
    event.result = result;
    event.stack = stack;
    event.transfer = (struct xs_event_transfer){.dst = 0x7000 + bytes,
                                                .src = 0x2000,
                                                .bytes = bytes,
                                                .dst_kind = XS_MEM_DEVICE,
                                                .src_kind = XS_MEM_PINNED,
                                                .direction = XS_DIR_H2D};
    put(&event, 1);
    struct xs_device_copy copy = {
        .correlation = correlation, .copies = 1, .kind = 1, .bytes = bytes, .start_ns = at_ns + 2, .end_ns = at_ns + 5};
    if (result == 0)
        assert_int_equal(xs_store_device_copy(store, &copy), 0);
}

static void put_other(enum xs_event_kind kind, int64_t at_ns) {
    struct xs_event event = event_of(kind);
    event.correlation = ++correlation;
    event.enter_tick = (uint64_t)at_ns;
    event.return_tick = event.enter_tick + 11;
    if (kind == XS_EVENT_LAUNCH)
        event.launch = (struct xs_event_launch){.function = 5, .kind = XS_LAUNCH_KERNEL};
    put(&event, 1);
}

static void start_ledger(void) {
    correlation = 0;
    parts = 0;
    assert_int_equal(xs_store_ledger_start(store), 0);
}

static void tell(int64_t from_ns, int64_t to_ns) {
    assert_int_equal(xs_store_ledger_part(store, ++parts, from_ns, to_ns), 0);
}

/* A second of the program: `count` uploads of two call sites, launches and waits, a tenth of them in a part. */
static void write_second(int64_t second, int64_t count) {
    int64_t begin_ns = second * SECOND;
    tell(begin_ns, begin_ns + SECOND / 10);
    assert_int_equal(xs_store_begin(store), 0);
    for (int64_t i = 0; i < count; i++) {
        int64_t at_ns = begin_ns + i * (SECOND / count);
        put_upload(at_ns, 1 + (uint32_t)(i % 2), (uint64_t)(100 + i % 10), 0);
        put_other(XS_EVENT_LAUNCH, at_ns + 20);
        put_other(XS_EVENT_SYNC, at_ns + 40);
        put_other(XS_EVENT_MEMSET, at_ns + 60);
    }
    assert_int_equal(xs_store_commit(store), 0);
}

#define ALL(table, source, of_rows, of_sums)                                                                           \
    "(SELECT coalesce(" of_rows ", 0) FROM " table ") + (SELECT coalesce(sum(" of_sums                                 \
    "), 0) FROM thinned WHERE source = '" source "')"

/* Requires what the file has: as another process sees it, and as it would be after a kill at this moment. */
static void expect_all(int64_t seconds, int64_t count) {
    char rows[160];
    long long all = (long long)seconds * count, tens = all / 10;
    snprintf(rows, sizeof rows, "%lld|%lld|%lld|%lld|%lld|%lld|%lld", all, tens * 1045, 7 * all, all, 11 * all, all,
             3 * all);
    expect("SELECT " ALL("transfer", "transfer", "count(*)", "rows") "," ALL(
               "transfer", "transfer", "sum(bytes)",
               "bytes") "," ALL("transfer", "transfer", "sum(return_ns - enter_ns)",
                                "host_ns") "," ALL("launch", "launch", "count(*)",
                                                   "rows") "," ALL("sync", "sync", "sum(return_ns - enter_ns)",
                                                                   "host_ns") "," ALL("memset", "memset", "count(*)",
                                                                                      "rows") "," ALL("device_copy",
                                                                                                      "device_copy",
                                                                                                      "sum(end_ns - "
                                                                                                      "start_ns)",
                                                                                                      "device_ns"),
           rows);
}

static void rows_and_sums_are_all(void **state) {
    (void)state;
    start_ledger();
    for (int64_t second = 0; second < 4; second++)
        write_second(second, 100);
    assert_int_equal(xs_store_ledger_roll_up(store, 4 * SECOND), 0);
    expect_all(4, 100);
    expect("SELECT count(*), count(DISTINCT enter_ns / 100000000) FROM transfer", "40|4");
    expect("SELECT count(*) FROM device_copy WHERE correlation NOT IN (SELECT correlation FROM transfer)", "0");
    expect("SELECT value FROM meta WHERE key IN ('range.windows', 'range.count', 'ledger.rolled_up_ns') ORDER BY key",
           "4000000000\n4\n0+100001,1000000+100001,2000000+100001,3000000+100001");
}

static void sites_are_told_apart(void **state) {
    (void)state;
    start_ledger();
    write_second(0, 100);
    assert_int_equal(xs_store_ledger_roll_up(store, SECOND), 0);
    expect("SELECT s.stack, sum(t.rows), sum(t.bytes) FROM thinned t JOIN transfer_shape s ON s.id = t.shape"
           " WHERE t.source = 'transfer' GROUP BY 1 ORDER BY 1",
           "1|45|4680\n2|45|4725");
}

static void a_kill_leaves_the_last_roll_up(void **state) {
    (void)state;
    start_ledger();
    write_second(0, 100);
    assert_int_equal(xs_store_ledger_roll_up(store, SECOND), 0);
    write_second(1, 100);
    expect_all(1, 100);
    assert_int_equal(xs_store_ledger_roll_up(store, 2 * SECOND), 0);
    expect_all(2, 100);
}

static void the_end_is_rolled_up(void **state) {
    (void)state;
    start_ledger();
    write_second(0, 100);
    assert_int_equal(xs_store_finish(store, XS_STATUS_COMPLETE), 0);
    assert_int_equal(xs_store_close(store), 0);
    store = NULL;
    expect_all(1, 100);
    expect("SELECT value FROM meta WHERE key = 'status'", "complete");
}

static void recovery_goes_on(void **state) {
    (void)state;
    start_ledger();
    write_second(0, 100);
    assert_int_equal(xs_store_close(store), 0);
    assert_int_equal(xs_store_open(store_path, &store), 0);
    assert_int_equal(xs_store_begin(store), 0);
    assert_int_equal(xs_store_ledger_resume(store), 0);
    put_upload(SECOND / 20, 1, 100, 0); /* in the part */
    put_upload(SECOND / 2, 1, 101, 0);  /* behind it */
    put_upload(2 * SECOND, 1, 102, 0);  /* after the last roll-up */
    assert_int_equal(xs_store_ledger_add_up(store), 0);
    assert_int_equal(xs_store_finish(store, XS_STATUS_RECOVERED), 0);
    assert_int_equal(xs_store_commit(store), 0);
    expect("SELECT (SELECT count(*) FROM transfer), sum(rows) FROM thinned WHERE source = 'transfer'", "11|92");
    expect("SELECT (SELECT value FROM meta WHERE key = 'thinned.rows') = sum(rows) FROM thinned", "1");
    expect("SELECT value FROM meta WHERE key = 'range.windows'", "0+100001");
}

static void a_trace_is_not_resumed(void **state) {
    (void)state;
    assert_int_equal(xs_store_begin(store), 0);
    assert_int_equal(xs_store_ledger_resume(store), 0);
    put_upload(SECOND, 1, 100, 0);
    assert_int_equal(xs_store_ledger_add_up(store), 0);
    assert_int_equal(xs_store_commit(store), 0);
    expect("SELECT (SELECT count(*) FROM transfer), count(*) FROM thinned", "1|0");
}

static void parts_are_dropped_whole(void **state) {
    (void)state;
    enum { SECONDS = 200, LIMIT = 1 << 20 };
    start_ledger();
    for (int64_t second = 0; second < SECONDS; second++) {
        write_second(second, 1000);
        assert_int_equal(xs_store_ledger_keep_size(store, LIMIT), 0);
    }
    assert_int_equal(xs_store_ledger_roll_up(store, SECONDS * SECOND), 0);
    expect_all(SECONDS, 1000);
    expect("SELECT page_count * 4096 <= 1048576 FROM pragma_page_count()", "1");
    expect("SELECT count(*) > 10, min(n), max(n) FROM (SELECT count(*) AS n FROM transfer GROUP BY"
           " enter_ns / 1000000000)",
           "1|100|100");
    expect("SELECT (SELECT count(DISTINCT enter_ns / 1000000000) FROM transfer) = value FROM meta"
           " WHERE key = 'range.count'",
           "1");
    expect("SELECT count(*) FROM device_copy WHERE correlation NOT IN (SELECT correlation FROM transfer)", "0");
}

static void a_part_has_at_most_so_many_calls(void **state) {
    (void)state;
    start_ledger();
    tell(0, INT64_MAX);
    assert_int_equal(xs_store_begin(store), 0);
    for (int64_t i = 0; i < XS_LEDGER_CALLS + 10; i++) {
        assert_int_equal(xs_store_ledger_part_is_full(store, parts), i >= XS_LEDGER_CALLS);
        put_upload(i * 1000, 1, 8, 0);
    }
    assert_int_equal(xs_store_commit(store), 0);
    assert_false(xs_store_ledger_part_is_full(store, parts + 1));
    assert_int_equal(xs_store_ledger_part(store, parts, 0, SECOND), 0);
    assert_int_equal(xs_store_ledger_roll_up(store, SECOND), 0);
    expect("SELECT (SELECT count(*) FROM transfer), (SELECT count(*) FROM device_copy), sum(rows) FROM thinned"
           " WHERE source = 'transfer'",
           "2048|2048|10");
    expect("SELECT value FROM meta WHERE key = 'range.windows'", "0+2048");
}

static void failed_calls_stay(void **state) {
    (void)state;
    start_ledger();
    assert_int_equal(xs_store_begin(store), 0);
    put_upload(5 * SECOND, 1, 8, 700);
    assert_int_equal(xs_store_commit(store), 0);
    assert_int_equal(xs_store_ledger_roll_up(store, 6 * SECOND), 0);
    expect("SELECT result FROM transfer", "700");
}

static void too_many_sites_share_a_sum(void **state) {
    (void)state;
    start_ledger();
    assert_int_equal(xs_store_begin(store), 0);
    for (uint32_t i = 0; i < XS_LEDGER_SUMS + 500; i++)
        put_upload(i, 1 + i, 8, 0);
    assert_int_equal(xs_store_commit(store), 0);
    assert_int_equal(xs_store_ledger_roll_up(store, SECOND), 0);
    expect("SELECT sum(rows), count(*) <= 8193, max(rows) >= 500 FROM thinned WHERE source = 'transfer'", "8692|1|1");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_STORE(rows_and_sums_are_all),
        WITH_STORE(sites_are_told_apart),
        WITH_STORE(a_kill_leaves_the_last_roll_up),
        WITH_STORE(the_end_is_rolled_up),
        WITH_STORE(recovery_goes_on),
        WITH_STORE(a_trace_is_not_resumed),
        WITH_STORE(parts_are_dropped_whole),
        WITH_STORE(a_part_has_at_most_so_many_calls),
        WITH_STORE(failed_calls_stay),
        WITH_STORE(too_many_sites_share_a_sum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
