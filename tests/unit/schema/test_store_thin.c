/* A trace that is kept below a size: nothing of its sums is lost, at no moment. */
#include "store_unit.h"

#include "schema/write/store_internal.h"
#include "schema/write/store_thin.h"

enum { LIMIT = 2 << 20, BATCH = 512, BATCHES = 160, COPIES_OF_A_BATCH_CALL = 4 };

static uint32_t correlation;
static int64_t now_ns;

static bool without_records;

static void put_upload(unsigned n, int32_t result) {
    struct xs_event event = event_of(XS_EVENT_TRANSFER);
    event.correlation = ++correlation;
    event.enter_tick = (uint64_t)(now_ns += 100);
    event.return_tick = event.enter_tick + 7;
    event.result = result;
    event.stack = 1 + n % 3;
    event.transfer = (struct xs_event_transfer){.dst = 0x7000 + n % 5 * 4096,
                                                .src = 0x2000,
                                                .bytes = 10 + n % 11,
                                                .dst_kind = XS_MEM_DEVICE,
                                                .src_kind = XS_MEM_PINNED,
                                                .direction = XS_DIR_H2D};
    put(&event, 1);
    struct xs_device_copy copy = {.correlation = correlation,
                                  .copies = 1,
                                  .kind = 1,
                                  .bytes = 10 + n % 11,
                                  .start_ns = now_ns + 20,
                                  .end_ns = now_ns + 25};
    if (result == 0 && !without_records)
        assert_int_equal(xs_store_device_copy(store, &copy), 0);
}

static void put_launch(void) {
    struct xs_event event = event_of(XS_EVENT_LAUNCH);
    event.correlation = ++correlation;
    event.enter_tick = (uint64_t)(now_ns += 100);
    event.return_tick = 0;
    event.launch =
        (struct xs_event_launch){.function = 5, .grid = {1, 1, 1}, .block = {32, 1, 1}, .kind = XS_LAUNCH_KERNEL};
    put(&event, 1);
    struct xs_device_kernel kernel = {
        .correlation = correlation, .name = "k", .start_ns = now_ns, .end_ns = now_ns + 3};
    assert_int_equal(xs_store_device_kernel(store, &kernel), 0);
}

static void put_batch_call(bool has_correlation) {
    struct xs_event event = event_of(XS_EVENT_TRANSFER);
    event.flags |= XS_FLAG_BATCH;
    event.correlation = has_correlation ? ++correlation : 0;
    event.enter_tick = (uint64_t)(now_ns += 100);
    event.return_tick = event.enter_tick + 50;
    event.transfer = (struct xs_event_transfer){.bytes = 3, .direction = XS_DIR_D2H};
    for (event.batch_index = 0; event.batch_index < COPIES_OF_A_BATCH_CALL; event.batch_index++)
        put(&event, 1);
}

static void put_wait(void) {
    struct xs_event event = event_of(XS_EVENT_SYNC);
    event.correlation = 0;
    event.enter_tick = (uint64_t)(now_ns += 100);
    event.return_tick = event.enter_tick + 11;
    put(&event, 1);
}

/* Writes a batch, and then thins the trace. */
static void write_batch(unsigned batch) {
    assert_int_equal(xs_store_begin(store), 0);
    for (unsigned i = 0; i < BATCH; i++) {
        put_upload(batch * BATCH + i, 0);
        put_launch();
    }
    put_batch_call(true);
    put_wait();
    put_upload(0, 700);
    assert_int_equal(xs_store_commit(store), 0);
    assert_int_equal(xs_store_thin(store, LIMIT, 2 * BATCH, now_ns), 0);
}

static void expect_number(const char *sql, long long number) {
    char text[32];
    snprintf(text, sizeof text, "%lld", number);
    expect(sql, text);
}

#define BOTH(table, source, of_rows, of_thinned)                                                                       \
    "SELECT (SELECT " of_rows " FROM " table ") + (SELECT coalesce(sum(" of_thinned                                    \
    "), 0) FROM thinned WHERE source ="                                                                                \
    " '" source "')"

/* As another process sees it, which is what a kill at this moment would leave. */
static void expect_sums(unsigned batches) {
    long long uploads = (long long)batches * BATCH, bytes = 0;
    for (long long n = 0; n < uploads; n++)
        bytes += 10 + n % 11;
    long long more = (long long)batches * COPIES_OF_A_BATCH_CALL;
    expect_number(BOTH("transfer", "transfer", "sum(result = 0)", "rows"), uploads + more);
    expect_number(BOTH("transfer WHERE result = 0", "transfer", "sum(bytes)", "bytes"), bytes + 3 * more);
    expect_number(BOTH("transfer WHERE result = 0 AND coalesce(batch_index, 0) = 0", "transfer",
                       "sum(return_ns - enter_ns)", "host_ns"),
                  7 * uploads + 50 * batches);
    expect_number(BOTH("device_copy", "device_copy", "count(*)", "timed"), uploads);
    expect_number(BOTH("device_copy", "device_copy", "sum(bytes)", "bytes"), bytes);
    expect_number(BOTH("device_copy", "device_copy", "sum(end_ns - start_ns)", "device_ns"), 5 * uploads);
    expect_number(BOTH("launch", "launch", "count(*)", "rows"), uploads);
    expect_number(BOTH("device_kernel", "device_kernel", "sum(end_ns - start_ns)", "device_ns"), 3 * uploads);
    expect_number(BOTH("sync", "sync", "sum(return_ns - enter_ns)", "host_ns"), 11LL * batches);
    expect_number("SELECT count(*) FROM transfer WHERE result = 700", batches);
}

static void sums_stay_exact_and_the_file_small(void **state) {
    (void)state;
    correlation = 0;
    now_ns = 1000;
    for (unsigned batch = 0; batch < BATCHES; batch++) {
        write_batch(batch);
        if (batch % 32 == 31)
            expect_sums(batch + 1);
    }
    expect("SELECT page_count * 4096 <= 2097152 FROM pragma_page_count()", "1");
}

static void what_stays_is_whole(void **state) {
    (void)state;
    correlation = 0;
    now_ns = 1000;
    for (unsigned batch = 0; batch < BATCHES; batch++)
        write_batch(batch);
    expect("SELECT DISTINCT count(*) FROM transfer WHERE batch_index IS NOT NULL GROUP BY correlation", "4");
    /* a pass takes calls first, so a call that is there has its record */
    expect("SELECT count(*) FROM transfer WHERE result = 0 AND batch_index IS NULL AND correlation NOT IN"
           " (SELECT correlation FROM device_copy)",
           "0");
    expect("SELECT count(*) > 1000, min(correlation) FROM transfer WHERE enter_ns <"
           " (SELECT value FROM meta WHERE key = 'thinned.from_ns')",
           "1|1");
    expect("SELECT count(*) <= 2 FROM (SELECT enter_ns / 1000 FROM launch WHERE enter_ns >"
           " (SELECT value FROM meta WHERE key = 'thinned.to_ns') GROUP BY 1 HAVING count(*) < 3)",
           "1"); /* the first and the last of them are not whole */
    expect("SELECT (SELECT value FROM meta WHERE key = 'thinned.rows') = (SELECT sum(rows) FROM thinned)", "1");
    expect("SELECT value >= 4 FROM meta WHERE key = 'thinned.one_in'", "1");
}

/* Without CUPTI, and outside of its windows, calls have no correlation. */
static void batches_without_correlation_are_whole(void **state) {
    enum { CALLS = 200, ROUNDS = 300 };
    (void)state;
    correlation = 0;
    now_ns = 1000;
    for (unsigned round = 0; round < ROUNDS; round++) {
        assert_int_equal(xs_store_begin(store), 0);
        for (unsigned i = 0; i < CALLS; i++)
            put_batch_call(false);
        assert_int_equal(xs_store_commit(store), 0);
        assert_int_equal(xs_store_thin(store, LIMIT, CALLS, now_ns), 0);
    }
    expect("SELECT DISTINCT count(*) FROM transfer GROUP BY enter_ns", "4");
    expect("SELECT sum(rows) > 4000 FROM thinned", "1");
    expect_number(BOTH("transfer", "transfer", "count(*)", "rows"), (long long)CALLS * ROUNDS * COPIES_OF_A_BATCH_CALL);
    expect_number(BOTH("transfer WHERE batch_index = 0", "transfer", "sum(return_ns - enter_ns)", "host_ns"),
                  50LL * CALLS * ROUNDS);
}

/* The calls of a site that has many, and of others that have few, in both directions. */
static void put_copy_of(uint32_t stack, enum xs_direction direction) {
    struct xs_event event = event_of(XS_EVENT_TRANSFER);
    event.correlation = ++correlation;
    event.enter_tick = (uint64_t)(now_ns += 100);
    event.return_tick = event.enter_tick + 7;
    event.stack = stack;
    event.transfer = (struct xs_event_transfer){.bytes = 8, .direction = (uint8_t)direction};
    put(&event, 1);
    struct xs_device_copy copy = {
        .correlation = correlation, .copies = 1, .kind = 1, .bytes = 8, .start_ns = now_ns, .end_ns = now_ns + stack};
    assert_int_equal(xs_store_device_copy(store, &copy), 0);
}

enum { OFTEN = 1, SOME = 2, FEW = 3, ONCE = 100 }; /* stacks */

static void write_sites(unsigned batches) {
    correlation = 0;
    now_ns = 1000;
    for (unsigned batch = 0; batch < batches; batch++) {
        assert_int_equal(xs_store_begin(store), 0);
        for (unsigned i = 0; i < BATCH; i++) {
            put_copy_of(OFTEN, XS_DIR_H2D);
            if (i % 128 == 0)
                put_copy_of(SOME, XS_DIR_H2D);
        }
        if (batch % 4 == 0) {
            put_copy_of(OFTEN, XS_DIR_D2H);
            put_copy_of(FEW, XS_DIR_H2D);
            put_copy_of(ONCE + batch, XS_DIR_H2D);
            put_launch();
        }
        assert_int_equal(xs_store_commit(store), 0);
        assert_int_equal(xs_store_thin(store, LIMIT, BATCH + BATCH / 128 + 4, now_ns), 0);
    }
    expect("SELECT value >= 16 FROM meta WHERE key = 'thinned.one_in'", "1");
}

#define OF_THE_MIDDLE                                                                                                  \
    " enter_ns > (SELECT value FROM meta WHERE key = 'thinned.from_ns')"                                               \
    " AND enter_ns <= (SELECT value FROM meta WHERE key = 'thinned.to_ns')"

static void a_site_with_few_calls_keeps_them(void **state) {
    enum { ROUNDS = 200 };
    (void)state;
    write_sites(ROUNDS);
    expect_number("SELECT count(*) FROM transfer WHERE stack = 3", ROUNDS / 4);
    expect_number("SELECT count(*) FROM transfer WHERE stack >= 100", ROUNDS / 4);
    expect_number("SELECT count(*) FROM transfer WHERE direction = 2", ROUNDS / 4);
    expect_number("SELECT count(*) FROM launch", ROUNDS / 4);
    /* with their records */
    expect("SELECT count(*) FROM transfer WHERE correlation NOT IN (SELECT correlation FROM device_copy)", "0");
    expect("SELECT count(*) FROM launch WHERE correlation NOT IN (SELECT correlation FROM device_kernel)", "0");
    /* the one with more keeps a larger part than the one with most, which has the most rows all the same */
    expect(
        "SELECT some * 128 > often * 3 / 2, often > some FROM (SELECT sum(stack = 1) AS often, sum(stack = 2) AS some"
        " FROM transfer WHERE direction = 1 AND" OF_THE_MIDDLE ")",
        "1|1");
    expect("SELECT page_count * 4096 <= 2097152 FROM pragma_page_count()", "1");
}

#define OF_SITE(value, sum)                                                                                            \
    "SELECT (SELECT coalesce(sum(" sum "), 0) FROM thinned g JOIN transfer_shape s ON s.id = g.shape"                  \
    " WHERE g.source = 'transfer' AND s.stack = 1) + (SELECT " value                                                   \
    " FROM transfer t JOIN device_copy d USING (correlation) WHERE t.stack = 1)"

static void what_the_device_took_is_known_by_site(void **state) {
    enum { ROUNDS = 200, COPIES = ROUNDS * BATCH + ROUNDS / 4 };
    (void)state;
    write_sites(ROUNDS);
    expect_number(OF_SITE("count(*)", "g.rows"), COPIES);
    expect_number(OF_SITE("count(*)", "g.timed"), COPIES);
    expect_number(OF_SITE("sum(d.end_ns - d.start_ns)", "g.device_ns"), OFTEN * COPIES);
}

/* Records may come after their calls were deleted: while the program copies much, the host's events are written first.
 */
static void records_that_come_late_are_known_by_site(void **state) {
    enum { ROUNDS = 200, LATE = 40 };
    (void)state;
    without_records = true;
    correlation = 0;
    now_ns = 1000;
    for (unsigned round = 0; round < ROUNDS + LATE; round++) {
        assert_int_equal(xs_store_begin(store), 0);
        for (unsigned i = 0; i < BATCH; i++) {
            struct xs_device_copy copy = {.copies = 1, .kind = 1, .bytes = 3, .start_ns = 5, .end_ns = 9};
            copy.correlation = (round - LATE) * BATCH + i + 1;
            if (round < ROUNDS)
                put_upload(i, 0);
            if (round >= LATE)
                assert_int_equal(xs_store_device_copy(store, &copy), 0);
        }
        assert_int_equal(xs_store_commit(store), 0);
        assert_int_equal(xs_store_thin(store, LIMIT, BATCH, now_ns), 0);
    }
    without_records = false;
    expect_number("SELECT (SELECT sum(device_ns) FROM thinned WHERE source = 'transfer') + (SELECT 4 * count(*) FROM"
                  " transfer)",
                  4LL * ROUNDS * BATCH);
    expect_number(BOTH("device_copy", "device_copy", "count(*)", "rows"), (long long)ROUNDS * BATCH);
}

/* Two threads; one of them is written when the other is far ahead, as from a full spool. The device's records are in
 * order. If a call of the late thread is kept, because its site has few calls, its record is kept, too. */
static void calls_far_out_of_order_keep_their_records(void **state) {
    enum { ROUNDS = 12, CALLS = 16384, RARE = 512, STEP = 1024, ROOM = 4 * LIMIT, TO_THE_END = 100 };
    (void)state;
    now_ns = 1000;
    for (uint32_t i = 0; i < ROUNDS * CALLS; i++) {
        uint32_t at = i % CALLS, first = i - at;
        struct xs_event event = event_of(XS_EVENT_TRANSFER);
        bool is_late = at >= CALLS / 2;
        if (i % STEP == 0)
            assert_int_equal(xs_store_begin(store), 0);
        event.correlation = first + (is_late ? 2 * (at - CALLS / 2) + 2 : 2 * at + 1);
        event.enter_tick = (uint64_t)(now_ns += 100);
        event.return_tick = event.enter_tick + 7;
        event.stack = is_late && at % RARE == 0 ? 100 + i : is_late ? 2 : 1;
        event.transfer = (struct xs_event_transfer){.bytes = 8, .direction = XS_DIR_H2D};
        put(&event, 1 + is_late);
        struct xs_device_copy copy = {
            .correlation = i + 1, .copies = 1, .kind = 1, .bytes = 8, .start_ns = now_ns, .end_ns = now_ns + 2};
        assert_int_equal(xs_store_device_copy(store, &copy), 0);
        if (i % STEP == STEP - 1) {
            assert_int_equal(xs_store_commit(store), 0);
            assert_int_equal(xs_store_thin(store, ROOM, STEP, now_ns), 0);
        }
    }
    for (unsigned i = 0; i < TO_THE_END; i++)
        assert_int_equal(xs_store_thin(store, ROOM, 0, now_ns), 0);
    expect("SELECT value >= 4 FROM meta WHERE key = 'thinned.one_in'", "1");
    expect_number("SELECT count(*) FROM transfer WHERE stack >= 100", (long long)ROUNDS * CALLS / 2 / RARE);
    expect("SELECT count(*) FROM transfer WHERE correlation NOT IN (SELECT correlation FROM device_copy)", "0");
    expect("SELECT count(*) FROM device_copy WHERE correlation NOT IN (SELECT correlation FROM transfer)", "0");
    expect_number(BOTH("transfer", "transfer", "count(*)", "rows"), (long long)ROUNDS * CALLS);
    expect_number(BOTH("device_copy", "device_copy", "count(*)", "timed"), (long long)ROUNDS * CALLS);
    expect("SELECT page_count * 4096 <= 8388608 FROM pragma_page_count()", "1");
}

/* More sites with few calls than there is room for calls: they share what there is, and the file stays small. */
static void very_many_sites_share(void **state) {
    enum { ROUNDS = 400 };
    (void)state;
    correlation = 0;
    now_ns = 1000;
    for (unsigned round = 0; round < ROUNDS; round++) {
        assert_int_equal(xs_store_begin(store), 0);
        for (unsigned i = 0; i < BATCH; i++)
            put_copy_of(1 + (round * BATCH + i) % 3000, XS_DIR_H2D);
        assert_int_equal(xs_store_commit(store), 0);
        assert_int_equal(xs_store_thin(store, LIMIT, BATCH, now_ns), 0);
    }
    expect_number(BOTH("transfer", "transfer", "count(*)", "rows"), (long long)ROUNDS * BATCH);
    expect_number(BOTH("device_copy", "transfer", "count(*)", "timed"), (long long)ROUNDS * BATCH);
    expect("SELECT page_count * 4096 <= 2097152 FROM pragma_page_count()", "1");
}

static unsigned long steps;

static int count_step(void *unused) {
    (void)unused;
    steps++;
    return 0;
}

/* A trace that is too large by what is never dropped is not gone through again and again. */
static void what_cannot_be_thinned_costs_no_time(void **state) {
    enum { FILLING = 300, MORE = 300 };
    (void)state;
    correlation = 0;
    now_ns = 1000;
    for (unsigned batch = 0; batch < FILLING + MORE; batch++) {
        assert_int_equal(xs_store_begin(store), 0);
        for (unsigned i = 0; i < BATCH / 4; i++)
            put_upload(i, 700);
        assert_int_equal(xs_store_commit(store), 0);
        if (batch >= FILLING)
            sqlite3_progress_handler(store->db, 1000, count_step, NULL);
        assert_int_equal(xs_store_thin(store, LIMIT, BATCH / 4, now_ns), 0);
        sqlite3_progress_handler(store->db, 0, NULL, NULL);
    }
    expect("SELECT page_count * 4096 > 2097152 FROM pragma_page_count()", "1");
    assert_in_range(steps, 1, 60000); /* 22,000; 230,000 if it were gone through as often as that is possible */
}

/* Rows that arrived faster than they could be thinned make the file longer for a while. */
static void a_burst_is_given_back_at_the_end(void **state) {
    enum { BURST = 24, AFTER = 40 };
    (void)state;
    correlation = 0;
    now_ns = 1000;
    for (unsigned batch = 0; batch < BATCHES; batch++)
        write_batch(batch);
    assert_int_equal(xs_store_begin(store), 0);
    for (unsigned i = 0; i < BURST * BATCH; i++)
        put_upload(i, 0);
    assert_int_equal(xs_store_commit(store), 0);
    for (unsigned batch = 0; batch < AFTER; batch++)
        write_batch(batch);
    expect("SELECT page_count * 4096 > 2097152 FROM pragma_page_count()", "1");
    assert_int_equal(xs_store_close(store), 0);
    store = NULL;
    expect("SELECT page_count * 4096 <= 2097152 FROM pragma_page_count()", "1");
    expect_number(BOTH("transfer", "transfer", "sum(result = 0)", "rows"),
                  (BATCHES + AFTER) * (BATCH + COPIES_OF_A_BATCH_CALL) + BURST * BATCH);
    expect("PRAGMA integrity_check", "ok");
}

static void a_small_trace_is_left_alone(void **state) {
    (void)state;
    correlation = 0;
    now_ns = 1000;
    for (unsigned batch = 0; batch < 4; batch++)
        write_batch(batch);
    expect("SELECT count(*) FROM thinned", "0");
    expect("SELECT count(*) FROM meta WHERE key LIKE 'thinned%'", "0");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_STORE(sums_stay_exact_and_the_file_small),
        WITH_STORE(what_stays_is_whole),
        WITH_STORE(batches_without_correlation_are_whole),
        WITH_STORE(what_cannot_be_thinned_costs_no_time),
        WITH_STORE(a_burst_is_given_back_at_the_end),
        WITH_STORE(a_small_trace_is_left_alone),
        WITH_STORE(a_site_with_few_calls_keeps_them),
        WITH_STORE(what_the_device_took_is_known_by_site),
        WITH_STORE(very_many_sites_share),
        WITH_STORE(records_that_come_late_are_known_by_site),
        WITH_STORE(calls_far_out_of_order_keep_their_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
