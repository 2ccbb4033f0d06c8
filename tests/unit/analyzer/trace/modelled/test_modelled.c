/* Tests device times that were not recorded: which are modelled, where they are placed, and that they are marked. The
 * sequences are recorded completely, and then all records except those of a few calls are removed. */
#include "played.h"

#include <sqlite3.h>

#include "analyzer/trace/modelled/estimate.h"
#include "analyzer/trace/modelled/modelled.h"
#include "analyzer/trace/modelled/modelled_calls.h"
#include "analyzer/trace/modelled/modelled_lanes.h"
#include "analyzer/trace/windows/device_windows.h"

struct cut {
    struct played played;
    struct xs_trace trace;
    bool has_window; /* the trace says when the calls with records were */
};

/* Ends the sequence, and keeps only the records of the calls from the first to the last of these row ids of `table`. */
static void cut_to(struct cut *c, const char *table, int first, int last) {
    char sql[2400], message[XS_TRACE_MESSAGE_BYTES];
    snprintf(sql, sizeof sql,
             "INSERT INTO meta SELECT 'cupti.windows', min(enter_ns) / 1000 || '+' || (max(enter_ns) - min(enter_ns) +"
             " 1000) / 1000 FROM %s WHERE id BETWEEN %d AND %d;"
             "INSERT INTO meta VALUES ('cupti.detachments', 1);"
             "CREATE TEMP TABLE kept AS SELECT min(enter_ns) AS a, max(enter_ns) AS b FROM %s WHERE id BETWEEN %d AND"
             " %d;"
             "UPDATE transfer SET correlation = NULL WHERE enter_ns < (SELECT a FROM kept) OR enter_ns > (SELECT b FROM"
             " kept);"
             "UPDATE launch SET correlation = NULL WHERE enter_ns < (SELECT a FROM kept) OR enter_ns > (SELECT b FROM"
             " kept);"
             "DELETE FROM device_copy WHERE correlation NOT IN (SELECT correlation FROM transfer WHERE correlation IS"
             " NOT NULL);"
             "DELETE FROM device_kernel WHERE correlation NOT IN (SELECT correlation FROM launch WHERE correlation IS"
             " NOT NULL);",
             table, first, last, table, first, last);
    if (c->has_window)
        snprintf(sql + strlen(sql), sizeof sql - strlen(sql),
                 "UPDATE meta SET value = (SELECT (a / 1000) || '+' || ((b - a + 1000) / 1000) FROM (SELECT"
                 " a - a %% 1000 AS a, b FROM kept)) WHERE key = 'cupti.windows';");
    play_analyse(&c->played, sql);
    assert_int_equal(xs_trace_open(c->played.path, &c->trace, message), 0);
    assert_int_equal(xs_modelled_add_to(&c->trace, message), 0);
    assert_non_null(c->trace.windows);
}

static void end(struct cut *c) {
    xs_trace_close(&c->trace);
    play_end(&c->played);
}

static int64_t number(const struct xs_trace *trace, const char *sql) {
    sqlite3_stmt *statement = NULL;
    assert_int_equal(sqlite3_prepare_v2(trace->db, sql, -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    int64_t value = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return value;
}

/* A number that no function has is not the number of the first function, cuMemcpy. */
static void a_damaged_entry_point_is_none(void **state) {
    static const struct {
        const char *sql;
        int32_t entry_point;
    } cases[] = {{"UPDATE transfer SET entry_point = 0", 0},
                 {"UPDATE transfer SET entry_point = 65535", 65535},
                 {"UPDATE transfer SET entry_point = 65536", XS_NO_ENTRY_POINT},
                 {"UPDATE transfer SET entry_point = -1", XS_NO_ENTRY_POINT},
                 {"UPDATE transfer SET entry_point = 1 << 32", XS_NO_ENTRY_POINT},
                 {"UPDATE transfer SET entry_point = 'cuMemcpy'", XS_NO_ENTRY_POINT}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct played p;
        struct xs_trace trace;
        struct xs_merge calls;
        char message[XS_TRACE_MESSAGE_BYTES];
        play_begin(&p);
        play_alloc(&p, 0x1000, 4096);
        play_up(&p, 0x1000, 4096, 1, NOT_MEASURED, 0x500000);
        play_analyse(&p, cases[i].sql);
        assert_int_equal(xs_trace_open(p.path, &trace, message), 0);
        int status = xs_calls_begin(&calls, &trace, false, message);
        const struct xs_modelled_call *call = xs_calls_next(&calls, &status);
        assert_non_null(call);
        assert_int_equal(call->entry_point, cases[i].entry_point);
        xs_merge_end(&calls);
        xs_trace_close(&trace);
        play_end(&p);
    }
}

static void kernels_take_what_their_function_took(void **state) {
    struct cut c = {.has_window = false};
    (void)state;
    play_begin(&c.played);
    uint32_t a = play_alloc(&c.played, 0x1000, 4096);
    c.played.kernel_ns = 3000;
    for (int i = 0; i < 100; i++)
        play_kernel(&c.played, 1, &a);
    cut_to(&c, "launch", 20, 40);
    assert_int_equal(number(&c.trace, "SELECT count(*) FROM device_kernel"), 100);
    assert_int_equal(number(&c.trace, "SELECT sum(modelled) FROM device_kernel"), 79);
    assert_int_equal(number(&c.trace, "SELECT count(*) FROM device_kernel WHERE end_ns - start_ns <> 3000"), 0);
    /* each has the number of its launch, and does not begin before it */
    assert_int_equal(number(&c.trace, "SELECT count(*) FROM device_kernel k JOIN launch l ON l.correlation ="
                                      " k.correlation WHERE k.start_ns >= l.enter_ns"),
                     100);
    assert_int_equal(number(&c.trace, "SELECT count(DISTINCT correlation) FROM launch"), 100);
    /* in the order of time, as for everybody who reads the trace */
    assert_int_equal(number(&c.trace, "SELECT count(*) FROM device_kernel a JOIN device_kernel b ON b.id = a.id + 1"
                                      " WHERE b.start_ns < a.end_ns"),
                     0);
    for (int64_t row = 1; row <= 100; row++)
        assert_int_equal(xs_is_modelled_row(&c.trace, XS_NUMBERED_LAUNCH, row), row < 20 || row > 40);
    assert_int_equal(c.trace.windows->sums[XS_SUM_KERNELS].modelled, 79);
    assert_int_equal(c.trace.windows->sums[XS_SUM_KERNELS].modelled_ns, 79 * 3000);
    /* the trace itself is as it was */
    assert_int_equal(number(&c.trace, "SELECT count(*) FROM main.device_kernel"), 21);
    assert_int_equal(number(&c.trace, "SELECT count(correlation) FROM main.launch"), 21);
    end(&c);
}

/* Kernels of 2 us that begin 11 us after their launches, and waits from 10 us to 15 us after them: each wait waited,
 * though not for long. */
static void short_waits_waited(void **state) {
    struct cut c = {.has_window = true};
    (void)state;
    play_begin(&c.played);
    uint32_t a = play_alloc(&c.played, 0x1000, 4096);
    c.played.kernel_ns = 2000;
    c.played.kernel_delay_ns = 11000;
    for (int i = 0; i < 60; i++) {
        c.played.call_ns = 0;
        play_kernel(&c.played, 1, &a);
        c.played.call_ns = 5000;
        play_sync(&c.played);
    }
    cut_to(&c, "launch", 20, 40);
    assert_int_equal(number(&c.trace, "SELECT sum(modelled) FROM device_kernel"), 39);
    assert_int_equal(number(&c.trace, "SELECT count(*) FROM device_kernel k JOIN launch l USING (correlation)"
                                      " JOIN sync s ON s.id = l.id WHERE k.end_ns > s.enter_ns"),
                     60);
    end(&c);
}

/* Kernels of 1 us that begin 12 us after their launches, which are 10 us apart in the window and 4 us elsewhere; before
 * every tenth of the window the host pauses. The 9 us between the other kernels of the window are the host's, so they
 * are no pause of the device elsewhere. */
static void pauses_of_the_host_are_not_the_device_s(void **state) {
    struct cut c = {.has_window = true};
    (void)state;
    play_begin(&c.played);
    uint32_t a = play_alloc(&c.played, 0x1000, 4096);
    c.played.kernel_ns = 1000;
    c.played.kernel_delay_ns = 12000;
    for (int i = 0; i < 100; i++) {
        if (i < 40 && i % 10 == 0)
            c.played.now_ns += 50000;
        if (i >= 40)
            c.played.now_ns -= 6000;
        play_kernel(&c.played, 1, &a);
    }
    cut_to(&c, "launch", 1, 40);
    assert_int_equal(number(&c.trace, "SELECT sum(modelled) FROM device_kernel"), 60);
    assert_in_range(number(&c.trace, "SELECT max(k.start_ns - l.enter_ns) FROM device_kernel k"
                                     " JOIN launch l USING (correlation)"),
                    12000, 13000);
    end(&c);
}

static void modelled_tables_have_all_columns(void **state) {
    static const char *const tables[] = {"device_copy", "device_memset", "device_kernel"};
    struct cut c = {.has_window = false};
    (void)state;
    play_begin(&c.played);
    uint32_t a = play_alloc(&c.played, 0x1000, 4096);
    for (int i = 0; i < 9; i++)
        play_kernel(&c.played, 1, &a);
    cut_to(&c, "launch", 2, 3);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        char sql[300];
        snprintf(sql, sizeof sql,
                 "SELECT group_concat(name) IS NULL FROM pragma_table_info('%s', 'main') WHERE name NOT IN (SELECT name"
                 " FROM pragma_table_info('%s', 'temp'))",
                 tables[i], tables[i]);
        assert_int_equal(number(&c.trace, sql), 1);
        snprintf(sql, sizeof sql, "SELECT count(modelled) > 0 OR count(*) = 0 FROM %s", tables[i]);
        assert_int_equal(number(&c.trace, sql), 1);
    }
    /* recorded rows are as they were */
    assert_int_equal(number(&c.trace,
                            "SELECT count(*) FROM (SELECT name, grid_x, block_z, cupti_stream, start_ns, end_ns"
                            " FROM main.device_kernel INTERSECT SELECT name, grid_x, block_z, cupti_stream,"
                            " start_ns, end_ns FROM device_kernel)"),
                     2);
    end(&c);
}

static void copies_of_another_size_take_what_the_link_says(void **state) {
    struct cut c = {.has_window = false};
    (void)state;
    play_begin(&c.played);
    play_alloc(&c.played, 0x100000, 64 << 20);
    c.played.host = XS_MEM_PINNED;
    c.played.async = true;
    for (int i = 0; i < 40; i++)
        play_up(&c.played, 0x100000, i % 2 ? 4 << 20 : 1 << 20, NO_CONTENT, NOT_MEASURED, 0x5000);
    play_up(&c.played, 0x100000, 16 << 20, NO_CONTENT, NOT_MEASURED, 0x5000);
    cut_to(&c, "transfer", 1, 20);
    /* A copy takes 1 us for 4 KiB. The recorded copies run at the same time, so none of them can be distinguished from
     * a queued one. */
    int64_t ns = number(&c.trace, "SELECT end_ns - start_ns FROM device_copy ORDER BY id DESC LIMIT 1");
    assert_in_range(ns, 4096000 * 9 / 10, 4096000 * 11 / 10);
    assert_int_equal(number(&c.trace, "SELECT sum(modelled) FROM device_copy"), 21);
    /* one engine: none begins before the one before it has ended */
    assert_int_equal(number(&c.trace, "SELECT count(*) FROM device_copy a JOIN device_copy b ON b.id = a.id + 1 WHERE"
                                      " b.modelled AND a.modelled AND b.start_ns < a.end_ns"),
                     0);
    end(&c);
}

static void blocking_copies_end_by_their_return(void **state) {
    struct cut c = {.has_window = false};
    (void)state;
    play_begin(&c.played);
    uint32_t a = play_alloc(&c.played, 0x100000, 1 << 20);
    c.played.host = XS_MEM_PINNED;
    for (int i = 0; i < 60; i++) {
        play_kernel(&c.played, 1, &a);
        play_down(&c.played, 0x100000, 4096, NO_CONTENT, 0x5000);
    }
    cut_to(&c, "transfer", 10, 20);
    assert_int_equal(number(&c.trace, "SELECT count(*) FROM device_copy d JOIN transfer t ON t.correlation ="
                                      " d.correlation WHERE d.modelled AND d.end_ns <= t.return_ns AND d.start_ns >="
                                      " t.enter_ns AND d.end_ns >= d.start_ns"),
                     number(&c.trace, "SELECT sum(modelled) FROM device_copy"));
    end(&c);
}

/* Plays an upload that the driver stages while its call lasts, after a kernel that still runs. */
static void staged_upload(struct played *p, uint32_t allocation, uint64_t call_ns) {
    enum { BEFORE_NS = 200000 };
    p->kernel_ns = 90000;
    p->call_ns = 0;
    play_kernel(p, 1, &allocation);
    p->delay_ns = BEFORE_NS;
    p->call_ns = call_ns;
    p->device_ns = call_ns - BEFORE_NS + 16000;
    play_up(p, 0x100000, 16 << 20, NO_CONTENT, NOT_MEASURED, 0x5000);
    p->now_ns += call_ns;
    p->call_ns = 0;
    play_wait(p, XS_SYNC_STREAM, 0);
}

/* Plays a small upload. The driver copies its data away, and it begins when its call has returned. */
static void small_upload(struct played *p) {
    p->delay_ns = p->call_ns = 4000;
    p->device_ns = 900;
    play_up(p, 0x100000, 1024, NO_CONTENT, NOT_MEASURED, 0x5000);
}

static void staged_uploads_take_what_their_calls_leave(void **state) {
    struct cut c = {.has_window = false};
    (void)state;
    play_begin(&c.played);
    uint32_t a = play_alloc(&c.played, 0x100000, 64 << 20);
    c.played.async = true;
    for (int i = 0; i < 60; i++) {
        for (int j = 0; j < 4; j++)
            small_upload(&c.played);
        staged_upload(&c.played, a, i < 20 ? 2000000 + 20000 * (uint64_t)(i % 10) : 4000000);
    }
    cut_to(&c, "transfer", 1, 100);
    assert_int_equal(number(&c.trace, "SELECT sum(modelled) FROM device_copy WHERE bytes > 1024"), 40);
    /* 3.816 ms each; what was recorded took 1.8 to 2 ms */
    int64_t ns = number(&c.trace, "SELECT avg(end_ns - start_ns) FROM device_copy WHERE modelled AND bytes > 1024");
    assert_in_range(ns, 3816000 * 19 / 20, 3816000 * 21 / 20);
    assert_int_equal(number(&c.trace, "SELECT count(*) FROM device_copy d JOIN transfer t ON t.correlation ="
                                      " d.correlation WHERE d.modelled AND d.bytes > 1024 AND (d.start_ns < t.enter_ns"
                                      " OR abs(d.end_ns - t.return_ns) > 30000)"),
                     0);
    /* the small ones are as they were */
    ns = number(&c.trace, "SELECT max(abs(end_ns - start_ns - 900)) FROM device_copy WHERE modelled AND bytes = 1024");
    assert_in_range(ns, 0, 90);
    end(&c);
}

/* Calls are shorter while CUPTI is not attached, but the copies are not. */
static void shorter_calls_have_whole_copies(void **state) {
    struct cut c = {.has_window = false};
    (void)state;
    play_begin(&c.played);
    play_alloc(&c.played, 0x100000, 1 << 20);
    for (int i = 0; i < 60; i++) {
        c.played.delay_ns = i < 20 ? 14000 : 4000;
        c.played.call_ns = i < 20 ? 25000 + 100 * (uint64_t)i : 9000;
        c.played.device_ns = 1500;
        play_down(&c.played, 0x100000, 1024, NO_CONTENT, 0x5000);
        c.played.now_ns += 50000;
    }
    cut_to(&c, "transfer", 1, 20);
    assert_int_equal(number(&c.trace, "SELECT sum(modelled) FROM device_copy"), 40);
    assert_int_equal(number(&c.trace, "SELECT count(*) FROM device_copy d JOIN transfer t ON t.correlation ="
                                      " d.correlation WHERE d.end_ns - d.start_ns NOT BETWEEN 1400 AND 1600 OR"
                                      " d.start_ns < t.enter_ns OR d.end_ns > t.return_ns"),
                     0);
    end(&c);
}

static void work_ends_when_a_wait_returns(void **state) {
    struct cut c = {.has_window = false};
    (void)state;
    play_begin(&c.played);
    uint32_t a = play_alloc(&c.played, 0x100000, 1 << 20);
    for (int i = 0; i < 60; i++) {
        c.played.kernel_ns = i < 20 ? 40000 : 2000; /* in the windows they were longer than the waits outside allow */
        c.played.call_ns = i < 20 ? 45000 : 0;
        play_kernel(&c.played, 1, &a);
        play_wait(&c.played, XS_SYNC_CONTEXT, 0);
        c.played.now_ns += 50000;
    }
    cut_to(&c, "launch", 1, 20);
    assert_int_equal(number(&c.trace, "SELECT count(*) FROM device_kernel k JOIN launch l ON l.correlation ="
                                      " k.correlation JOIN sync s ON s.id = l.id WHERE k.modelled AND k.end_ns <="
                                      " s.return_ns AND k.start_ns >= l.enter_ns"),
                     40);
    end(&c);
}

/* A call's number is compared like the number of its device work, so SQLite makes an index for the join. Without an
 * index, the export of a trace with 200,000 launches was refused as damaged. */
static void calls_are_found_by_their_numbers(void **state) {
    enum { KERNELS = 3000, MOST_STEPS = 200 * KERNELS };
    struct cut c = {.has_window = false};
    (void)state;
    play_begin(&c.played);
    uint32_t a = play_alloc(&c.played, 0x1000, 4096);
    for (int i = 0; i < KERNELS; i++)
        play_kernel(&c.played, 1, &a);
    cut_to(&c, "launch", 20, 40);
    sqlite3_stmt *statement = NULL;
    const char *sql = "SELECT count(c.id) FROM device_kernel k LEFT JOIN (SELECT correlation, min(id) AS id FROM launch"
                      " WHERE correlation IS NOT NULL GROUP BY correlation) c ON c.correlation = k.correlation";
    assert_int_equal(sqlite3_prepare_v2(c.trace.db, sql, -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    assert_int_equal(sqlite3_column_int64(statement, 0), KERNELS);
    assert_true(sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 0) < MOST_STEPS);
    sqlite3_finalize(statement);
    end(&c);
}

static void a_whole_trace_is_left_alone(void **state) {
    struct played p;
    struct xs_trace trace;
    char message[XS_TRACE_MESSAGE_BYTES];
    (void)state;
    play_begin(&p);
    play_unseen_kernel(&p);
    play_analyse(&p, "INSERT INTO meta VALUES ('cupti.windows', '')");
    assert_int_equal(xs_trace_open(p.path, &trace, message), 0);
    assert_int_equal(xs_modelled_add_to(&trace, message), 0);
    assert_null(trace.windows);
    assert_int_equal(number(&trace, "SELECT count(*) FROM sqlite_temp_schema"), 0);
    assert_false(xs_is_modelled(&trace, 1));
    xs_trace_close(&trace);
    play_end(&p);
}

/* Nothing was recorded at all, and what meta says is nonsense. */
static void nonsense_is_read(void **state) {
    static const char *const lists[] = {
        "x", "5", "5+", "5+x", "0+0", "-1", "1+1,1+1,", "9+9", "99999999999999999999+1", "1+99999999999999999999"};
    (void)state;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        struct played p;
        struct xs_trace trace;
        char message[XS_TRACE_MESSAGE_BYTES], sql[400];
        play_begin(&p);
        uint32_t a = play_alloc(&p, 0x1000, 4096);
        play_up(&p, 0x1000, 4096, NO_CONTENT, NOT_MEASURED, 0x5000);
        play_kernel(&p, 1, &a);
        snprintf(sql, sizeof sql,
                 "INSERT INTO meta VALUES ('cupti.windows', '%s'); DELETE FROM device_copy; DELETE FROM device_kernel;"
                 "UPDATE transfer SET correlation = NULL; UPDATE launch SET id = 4611686018427387904",
                 lists[i]);
        play_analyse(&p, sql);
        assert_int_equal(xs_trace_open(p.path, &trace, message), 0);
        assert_int_equal(xs_modelled_add_to(&trace, message), 0);
        assert_int_equal(number(&trace, "SELECT count(*) FROM device_copy WHERE modelled"), 1);
        assert_int_equal(number(&trace, "SELECT count(*) FROM launch WHERE correlation IS NULL"), 1);
        xs_trace_close(&trace);
        play_end(&p);
    }
}

/* --- its parts --- */

static struct xs_pending work(int64_t enter_ns, int64_t ns, int64_t unsure_ns, uint32_t row) {
    return (struct xs_pending){.enter_ns = enter_ns,
                               .lasts = {ns, unsure_ns, 0},
                               .is_kernel = true,
                               .table = XS_MODELLED_KERNEL,
                               .first = {[XS_MODELLED_KERNEL] = row}};
}

static void what_is_less_sure_gives_way(void **state) {
    struct xs_modelled_tables tables = {0};
    struct xs_lane lane = {0};
    struct xs_modelled_row row = {.number = 1};
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        struct xs_pending one = work(0, 1000, i ? 100 : 0, i);
        xs_modelled_add(&tables, XS_MODELLED_KERNEL, &row);
        xs_lane_add(&lane, &one, &tables);
    }
    assert_int_equal(xs_lane_end(&lane), 2000);
    xs_lane_fit(&lane, 2, 1900, false);
    assert_in_range(lane.items[0].end_ns - lane.items[0].start_ns, 999, 1000);
    assert_in_range(lane.items[1].end_ns - lane.items[1].start_ns, 898, 900);
    xs_lane_fit(&lane, 2, 2300, false); /* nothing says that it took longer */
    assert_int_equal(xs_lane_end(&lane), 2000);
    xs_lane_fit(&lane, 2, 2300, true);
    assert_in_range(lane.items[1].end_ns - lane.items[1].start_ns, 1298, 1300);
    xs_lane_fit(&lane, 2, 9000, true); /* not plausible */
    assert_int_equal(xs_lane_end(&lane), 2000);
    xs_lane_fit(&lane, 2, 100, false); /* they have to end then */
    assert_true(xs_lane_end(&lane) <= 100);
    struct xs_lane_work latest = xs_lane_latest(&lane);
    xs_lane_settle(&lane, 2, &tables);
    assert_int_equal(xs_lane_pending(&lane), 0);
    assert_true(xs_lane_work_end(&latest) <= 100);
    assert_true(tables.of[XS_MODELLED_KERNEL].items[1].end_ns <= 100);
    free(lane.items);
    xs_modelled_tables_free(&tables);
}

static void a_ratio_has_an_error(void **state) {
    const double above[] = {2, 4, 6, 8, 10}, below[] = {1, 2, 3, 4, 5}, other[] = {2, 3, 7, 8, 10};
    struct xs_ratio ratio;
    (void)state;
    assert_true(xs_ratio_of(above, below, 5, &ratio));
    assert_true(ratio.ratio > 1.999 && ratio.ratio < 2.001 && ratio.error < 0.001);
    assert_true(xs_ratio_of(other, below, 5, &ratio));
    assert_true(ratio.ratio > 1.999 && ratio.ratio < 2.001 && ratio.error > 0.1 && ratio.error < 1);
    assert_false(xs_ratio_of(above, below, 3, &ratio));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_damaged_entry_point_is_none),
                                       cmocka_unit_test(kernels_take_what_their_function_took),
                                       cmocka_unit_test(short_waits_waited),
                                       cmocka_unit_test(pauses_of_the_host_are_not_the_device_s),
                                       cmocka_unit_test(modelled_tables_have_all_columns),
                                       cmocka_unit_test(copies_of_another_size_take_what_the_link_says),
                                       cmocka_unit_test(blocking_copies_end_by_their_return),
                                       cmocka_unit_test(staged_uploads_take_what_their_calls_leave),
                                       cmocka_unit_test(shorter_calls_have_whole_copies),
                                       cmocka_unit_test(work_ends_when_a_wait_returns),
                                       cmocka_unit_test(calls_are_found_by_their_numbers),
                                       cmocka_unit_test(a_whole_trace_is_left_alone),
                                       cmocka_unit_test(nonsense_is_read),
                                       cmocka_unit_test(what_is_less_sure_gives_way),
                                       cmocka_unit_test(a_ratio_has_an_error)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
