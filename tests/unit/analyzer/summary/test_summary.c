/* The summary of hand-made traces: exact numbers. */
#include "unit.h"

#include <sqlite3.h>

#include "analyzer/summary/left_out.h"
#include "analyzer/summary/summary.h"
#include "schema/store/store.h"

/* Rows with what these tests do not look at filled in. */
#define TRANSFER(id, direction, bytes, src, dst, async, enter, leave, correlation)                                     \
    "INSERT INTO transfer "                                                                                            \
    "(id,entry_point,thread,direction,bytes,src_kind,dst_kind,is_async,is_captured,result,enter_ns,"                   \
    "return_ns,correlation) VALUES (" #id ",1,1," #direction "," #bytes "," #src "," #dst "," #async ",0,0," #enter    \
    "," #leave "," #correlation ");"
#define COPY(correlation, bytes, start, end, device)                                                                   \
    "INSERT INTO device_copy (correlation,kind,bytes,start_ns,end_ns,device,copies) VALUES (" #correlation             \
    ",1," #bytes "," #start "," #end "," #device ",1);"
#define KERNEL(start, end, device)                                                                                     \
    "INSERT INTO device_kernel (correlation,name,start_ns,end_ns,device) VALUES (1,1," #start "," #end "," #device ")" \
    ";"
enum { H2D = XS_DIR_H2D, PAGEABLE = XS_MEM_PAGEABLE, PINNED = XS_MEM_PINNED, DEVICE = XS_MEM_DEVICE };

struct case_ {
    char folder[64], path[128];
    struct xs_trace trace;
    struct xs_summary summary;
};

static void load(struct case_ *c, const char *sql) {
    struct xs_store *store;
    sqlite3 *db;
    char message[XS_TRACE_MESSAGE_BYTES], *error = NULL;
    strcpy(c->folder, "/tmp/xferspy-unit.XXXXXX");
    assert_non_null(mkdtemp(c->folder));
    snprintf(c->path, sizeof c->path, "%s/trace.db", c->folder);
    assert_int_equal(xs_store_create(c->path, &store), 0);
    assert_int_equal(xs_store_close(store), 0);
    assert_int_equal(sqlite3_open(c->path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &error) != SQLITE_OK)
        fail_msg("%s", error);
    sqlite3_close(db);
    if (xs_trace_open(c->path, &c->trace, message) < 0)
        fail_msg("%s", message);
    if (xs_summary_compute(&c->trace, &c->summary, message) < 0)
        fail_msg("%s", message);
}

static void drop(struct case_ *c) {
    xs_summary_free(&c->summary);
    xs_trace_close(&c->trace);
    unlink(c->path);
    rmdir(c->folder);
}

#define THINNED(source, shape, kind, device, rows, bytes, host, timed, device_ns)                                      \
    "INSERT INTO thinned VALUES (NULL,'" source "'," #shape ",0," #kind ",0," #device "," #rows "," #bytes "," #host   \
    "," #timed "," #device_ns ");"

/* What is gone counts in the totals. */
static void sums_of_what_was_thinned_count(void **state) {
    struct case_ c;
    (void)state;
    load(&c,
         TRANSFER(1, 1, 100, 2, 4, 1, 10, 30, 1) TRANSFER(2, 1, 50, 1, 4, 0, 40, 45, 2) COPY(1, 100, 20, 40, 0)
             COPY(2, 50, 41, 45, 0) COPY(9, 100, 50, 57, 0) KERNEL(
                 60, 70,
                 0) "INSERT INTO launch (kind, is_captured, result, enter_ns) VALUES (0, 0, 0, 59);"
                    "INSERT INTO sync (entry_point, thread, scope, result, enter_ns, return_ns) VALUES (1,1,1,0,1,3);"
                    "UPDATE device_copy_shape SET src_kind = 2, dst_kind = 3;"
                    "INSERT INTO meta VALUES ('thinned.rows', 36), ('thinned.one_in', 4);" /* shapes in their order */
         THINNED("transfer", 1, 0, 0, 11, 1100, 220, 0, 0) THINNED("transfer", 2, 0, 0, 3, 150, 15, 0, 0)
             THINNED("device_copy", 1, 0, 0, 10, 1000, 0, 10, 200) THINNED("device_kernel", 1, 0, 0, 7, 0, 0, 7, 70)
                 THINNED("launch", 1, 0, 0, 5, 0, 0, 0, 0) THINNED("sync", 0, 1, 0, 6, 0, 12, 0, 0));
    assert_int_equal(c.summary.thinned.rows, 36);
    assert_int_equal(c.summary.all.count, 2 + 14);
    assert_int_equal(c.summary.all.bytes, 150 + 1250);
    assert_int_equal(c.summary.all.host_ns, 25 + 235);
    /* ten records of pinned memory, and one whose call is gone */
    assert_int_equal(c.summary.all.timed_count, 2 + 11);
    assert_int_equal(c.summary.all.device_ns, 24 + 207);
    assert_int_equal(c.summary.pinned.count, 12);
    assert_int_equal(c.summary.pageable.blocking_count, 4);
    assert_int_equal(c.summary.coverage.host_transfers, 16);
    assert_int_equal(c.summary.coverage.without_event, 0);
    assert_int_equal(c.summary.launches[0].count, 6);
    assert_int_equal(c.summary.syncs[1].count, 7);
    assert_int_equal(c.summary.syncs[1].ns, 14);
    assert_int_equal(c.summary.devices[0].kernels, 8);
    assert_int_equal(c.summary.devices[0].kernel_busy_ns, 80);
    assert_int_equal(c.summary.devices[0].copy_busy_ns, 31 + 200);
    assert_false(c.summary.where.known);
    drop(&c);
}

/* Where it is known of each shape of transfers how long the device took, nothing is divided by size: here the smaller
 * kind took longer. What the records have beyond that is divided as before. */
static void device_times_of_thinned_shapes_stay_theirs(void **state) {
    struct case_ c;
    (void)state;
    load(&c, TRANSFER(1, 1, 100, 2, 4, 1, 10, 30, 1) TRANSFER(2, 1, 50, 1, 4, 0, 40, 45, 2) COPY(1, 100, 20, 40, 0)
                 COPY(2, 50, 41, 45,
                      0) "INSERT INTO meta VALUES ('thinned.rows', 36), ('thinned.one_in', 4);" /* as above */
         THINNED("transfer", 1, 0, 0, 10, 1000, 200, 9, 90) THINNED("transfer", 2, 0, 0, 3, 150, 15, 3, 600)
             THINNED("device_copy", 1, 0, 0, 13, 1150, 0, 13, 700));
    assert_int_equal(c.summary.all.timed_count, 2 + 13);
    assert_int_equal(c.summary.all.timed_bytes, 150 + 1150);
    assert_int_equal(c.summary.all.device_ns, 24 + 700);
    assert_in_range(c.summary.pinned.device_ns, 20 + 90, 20 + 90 + 10);
    assert_in_range(c.summary.pageable.device_ns, 4 + 600, 4 + 600 + 10);
    assert_int_equal(c.summary.coverage.matched, 15);
    drop(&c);
}

/* A record that came when its call was gone is told of the call, and its row is there still: it counts once. Of the
 * three rows here that have no call, two came late. */
static void late_records_of_thinned_calls_count_once(void **state) {
    struct case_ c;
    (void)state;
    load(&c,
         TRANSFER(1, 1, 100, 2, 4, 1, 10, 30, 1) TRANSFER(2, 1, 50, 1, 4, 0, 40, 45, 2) COPY(1, 100, 20, 40, 0) COPY(
             2, 50, 41, 45, 0) COPY(9, 100, 50, 57, 0) COPY(10, 100, 60, 67, 0)
             COPY(11, 100, 70, 77, 0) "INSERT INTO meta VALUES ('thinned.rows', 36), ('thinned.one_in', 4);" THINNED(
                 "transfer", 1, 0, 0, 10, 1000, 200, 9, 74) THINNED("transfer", 2, 0, 0, 3, 150, 15, 3, 600)
                 THINNED("device_copy", 1, 0, 0, 10, 1000, 0, 10, 660));
    assert_int_equal(c.summary.all.timed_count, 2 + 13);
    assert_int_equal(c.summary.all.device_ns, 24 + 660 + 21);
    assert_int_equal(c.summary.coverage.matched, 15);
    assert_int_equal(c.summary.coverage.without_event, 0);
    drop(&c);
}

static const struct xs_totals *of_direction(const struct xs_summary *summary, enum xs_direction direction) {
    for (size_t i = 0; i < summary->group_count; i++)
        if (summary->groups[i].direction == direction)
            return &summary->groups[i].totals;
    fail_msg("no copies of direction %d", direction);
    return NULL;
}

/* What is told of such a record is not taken from records of the other direction, of whose calls nothing is told. */
static void late_records_leave_other_directions_alone(void **state) {
    struct case_ c;
    (void)state;
    load(&c, TRANSFER(1, 1, 100, 2, 4, 1, 10, 30, 1) TRANSFER(2, 2, 50, 4, 2, 1, 40, 45, 2) COPY(1, 100, 20, 40, 0)
                 COPY(2, 50, 41, 45, 0)
                     COPY(9, 100, 50, 57, 0) "UPDATE device_copy_shape SET kind = 2 WHERE id = 2;"
                                             "INSERT INTO meta VALUES ('thinned.rows', 36),"
                                             " ('thinned.one_in', 4);" THINNED("transfer", 1, 0, 0, 10, 1000, 200, 1, 7)
                                                 THINNED("transfer", 2, 0, 0, 3, 150, 15, 0, 0)
                                                     THINNED("device_copy", 2, 0, 0, 3, 150, 0, 3, 30));
    assert_int_equal(of_direction(&c.summary, XS_DIR_H2D)->device_ns, 20 + 7);
    assert_int_equal(of_direction(&c.summary, XS_DIR_D2H)->device_ns, 4 + 30);
    assert_int_equal(c.summary.all.timed_count, 2 + 4);
    assert_int_equal(c.summary.coverage.matched, 6);
    drop(&c);
}

/* What was looked at is said, and what was left out beside it; a part that was not left out is no part. */
static void parts_that_were_looked_at(void **state) {
    struct case_ c;
    struct xs_string text = {0};
    (void)state;
    load(&c, "INSERT OR REPLACE INTO meta VALUES ('range.windows', '1000+2000,5000+1'), ('range.count', 2),"
             " ('range.recorded_ns', 2001000), ('range.left_out_transfers', 3), ('range.left_out_launches', 40),"
             " ('range.left_out_memsets', 1), ('duration_ns', 10000000)");
    assert_true(c.summary.looked_at.limited && c.summary.looked_at.has_gaps);
    assert_int_equal(c.summary.looked_at.parts, 2);
    assert_true(c.summary.recorded.in_part);
    assert_int_equal(c.summary.recorded.ns, 2001000);
    assert_int_equal(c.summary.recorded.run_ns, 10000000);
    xs_looked_at_say(&c.summary, &text);
    assert_non_null(strstr(text.data, "Looked at 2.00 ms of 10.0 ms, in 2 parts of the run"));
    text.length = 0;
    assert_int_equal(xs_left_out_say(&c.summary, XS_LEFT_OUTSIDE, &text), 44);
    assert_non_null(strstr(text.data, "3 calls that copy, 1 memset, 40 launches were counted and not recorded"));
    assert_false(c.summary.where.known); /* nobody knows what ran beside them */
    xs_string_free(&text);
    drop(&c);
    load(&c, "INSERT OR REPLACE INTO meta VALUES ('range.windows', '0+2000'), ('range.count', 1),"
             " ('range.recorded_ns', 2000000), ('status', 'complete')");
    assert_true(c.summary.looked_at.limited && !c.summary.looked_at.has_gaps);
    assert_false(c.summary.recorded.in_part); /* no call is missing: shares are of the run */
    assert_int_equal(c.summary.recorded.ns, c.summary.run.duration_ns);
    xs_looked_at_say(&c.summary, &text);
    assert_int_equal(text.length, 0);
    assert_int_equal(xs_left_out_say(&c.summary, XS_LEFT_OUTSIDE, &text), 0);
    drop(&c);
    load(&c, "INSERT INTO meta VALUES ('range.windows', '0+0'), ('range.left_out_transfers', 1),"
             " ('option.window', '5s..6s')");
    xs_looked_at_say(&c.summary, &text);
    assert_non_null(strstr(text.data, "Nothing was recorded but allocations: the program ended before 5s..6s"));
    text.length = 0;
    c.summary.run.is_snapshot = true; /* the program goes on */
    xs_looked_at_say(&c.summary, &text);
    assert_non_null(strstr(text.data, "Nothing was recorded but allocations so far: XFERSPY_WINDOW asks for 5s..6s."));
    assert_false(c.summary.recorded.in_part);
    xs_string_free(&text);
    drop(&c);
}

/* Of a process that was killed the list is of some time before: what was copied since was recorded, too. */
static void parts_of_a_killed_process(void **state) {
#define RANGES(list, count, ns)                                                                                        \
    "INSERT OR REPLACE INTO meta VALUES ('range.windows', '" list "'), ('range.count', " #count "),"                   \
    " ('range.recorded_ns', " #ns "), ('range.left_out_transfers', 3), ('status', 'recovered');"
    const char *later =
        TRANSFER(1, 1, 64, 1, 4, 0, 6000000, 6100000, 1) TRANSFER(2, 1, 64, 1, 4, 0, 8000000, 8500000, 2);
    const struct {
        const char *meta;
        uint64_t parts, recorded_ns;
    } cases[] = {{RANGES("1000+4000,5500+1000", 2, 5000000), 2, 7000000}, /* the second one is known until 6.5 ms */
                 {RANGES("1000+9000", 1, 9000000), 1, 9000000},
                 {RANGES("0+0", 0, 0), 1, 2500000}, /* of two copies, and of what lies between them */
                 {RANGES("1000+4000,5500+1000", 9000, 5000000), 9000, 5000000}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct case_ c;
        struct xs_string text = {0}, sql = {0};
        xs_string_format(&sql, "%s%s", cases[i].meta, later);
        load(&c, sql.data);
        assert_int_equal(c.summary.looked_at.parts, cases[i].parts);
        assert_int_equal(c.summary.looked_at.recorded_ns, cases[i].recorded_ns);
        assert_int_equal(c.summary.recorded.ns, cases[i].recorded_ns < 8500000 ? cases[i].recorded_ns : 8500000);
        xs_looked_at_say(&c.summary, &text);
        assert_null(strstr(text.data, "Nothing was recorded"));
        assert_int_equal(c.summary.looked_at.is_at_most, strstr(text.data, "Looked at not more than ") != NULL);
        assert_int_equal(c.summary.looked_at.is_at_most, i == 0 || i == 2);
        xs_string_free(&text);
        xs_string_free(&sql);
        drop(&c);
    }
#undef RANGES
}

/* How much of a step was recorded: what lies in the ranges, all where there are no gaps, and all behind the end of a
 * list that is cut. */
static void recorded_between_moments(void **state) {
    struct xs_capture_range items[] = {{1000, 3000}, {5000, 6000}, {9000, 9500}};
    struct xs_capture_ranges ranges = {.has_gaps = true, .is_complete = true, .items = items, .count = 3, .ranges = 3};
    (void)state;
    assert_int_equal(xs_recorded_between(&ranges, 0, 10000), 3500);
    assert_int_equal(xs_recorded_between(&ranges, 2000, 5500), 1500);
    assert_int_equal(xs_recorded_between(&ranges, 1200, 1300), 100);
    assert_int_equal(xs_recorded_between(&ranges, 3000, 5000), 0);
    assert_int_equal(xs_recorded_between(&ranges, 9500, 20000), 0);
    ranges.ranges = 4;
    assert_int_equal(xs_recorded_between(&ranges, 2000, 5500), 1500);
    assert_int_equal(xs_recorded_between(&ranges, 9000, 20000), 11000);
    ranges.ranges = 3;
    ranges.is_complete = false; /* the list is of some time before the end */
    assert_int_equal(xs_recorded_between(&ranges, 3000, 5000), 0);
    assert_int_equal(xs_recorded_between(&ranges, 9000, 20000), 11000);
    ranges.has_gaps = false;
    assert_int_equal(xs_recorded_between(&ranges, 3000, 5000), 2000);
    assert_int_equal(xs_recorded_between(&ranges, 5000, 3000), 0);
}

/* Which steps were recorded, and by what they were told apart. */
static void steps_that_were_recorded(void **state) {
    static const struct {
        const char *meta, *text;
    } cases[] = {
        {"('range.steps_by', 'range'), ('range.steps_first', 3), ('range.steps', 3), ('range.steps_passed', 9),"
         " ('option.step', 'epoch'), ('option.skip_steps', '2'), ('option.steps', '3')",
         "Looked at 2.00 ms of 10.0 ms, in steps 3 to 5, by the NVTX range \"epoch\": findings"},
        {"('range.steps_by', 'range'), ('range.steps_first', 3), ('range.steps', 1), ('range.steps_passed', 3),"
         " ('option.step', 'epoch'), ('option.skip_steps', '2'), ('option.steps', '4')",
         ", in step 3 (4 were asked for), by the NVTX range \"epoch\": findings"},
        {"('range.steps_by', 'wait'), ('range.steps_first', 3), ('range.steps', 9), ('option.skip_steps', '2'),"
         " ('range.steps_wait', 'cuStreamSynchronize')",
         ", in steps 3 to 11, by the wait that came most regularly (cuStreamSynchronize): findings"},
        {"('range.steps_by', 'wait'), ('range.steps_first', 7), ('range.steps', 9), ('option.skip_steps', '2'),"
         " ('range.steps_wait', 'cuStreamSynchronize')",
         "regularly (cuStreamSynchronize), which was found only then: findings"},
        {"('range.steps_by', 'wait'), ('range.steps_first', 0), ('range.steps', 0), ('option.skip_steps', '2'),"
         " ('range.steps_wait', 'cuStreamSynchronize')",
         ", in the beginning of a step, by the wait that came most regularly (cuStreamSynchronize): findings"},
    };
    struct case_ c;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct xs_string text = {0}, sql = {0};
        xs_string_format(&sql,
                         "INSERT OR REPLACE INTO meta VALUES ('range.windows', '1000+2000'), ('range.count', 1),"
                         " ('range.recorded_ns', 2000000), ('range.left_out_transfers', 3), ('duration_ns', 10000000),"
                         " %s",
                         cases[i].meta);
        load(&c, sql.data);
        xs_looked_at_say(&c.summary, &text);
        assert_non_null(strstr(text.data, cases[i].text));
        text.length = 0;
        assert_int_equal(xs_left_out_say(&c.summary, XS_LEFT_OUTSIDE, &text), 3);
        assert_non_null(strstr(text.data, "outside of the steps that were asked for."));
        xs_string_free(&text);
        xs_string_free(&sql);
        drop(&c);
    }
}

/* And why none was. */
static void no_step_was_recorded(void **state) {
    struct case_ c;
    struct xs_string text = {0};
    (void)state;
    load(&c, "INSERT INTO meta VALUES ('range.windows', '0+0'), ('range.left_out_transfers', 1),"
             " ('range.steps_by', 'none')");
    xs_looked_at_say(&c.summary, &text);
    assert_non_null(strstr(text.data, "Nothing was recorded but allocations: no wait came regularly"));
    text.length = 0;
    drop(&c);
    load(&c, "INSERT INTO meta VALUES ('range.windows', '0+0'), ('range.left_out_transfers', 1), ('option.step', 'x'),"
             " ('range.steps_by', 'range'), ('range.steps_passed', 1), ('option.skip_steps', '4')");
    xs_looked_at_say(&c.summary, &text);
    assert_non_null(strstr(text.data, "the NVTX range \"x\" came 1 time, and 4 steps were to be skipped."));
    text.length = 0;
    drop(&c);
    load(&c, "INSERT INTO meta VALUES ('range.windows', '0+0'), ('range.left_out_transfers', 1), ('option.step', 'x'),"
             " ('range.steps_by', 'range'), ('range.steps_passed', 3), ('option.steps', '2')");
    xs_looked_at_say(&c.summary, &text);
    assert_non_null(strstr(text.data, "came 3 times, and 0 steps were to be skipped; the others ended before the first"
                                      " CUDA call."));
    text.length = 0;
    drop(&c);
    load(&c, "INSERT INTO meta VALUES ('range.windows', '0+0'), ('range.left_out_transfers', 1), ('option.step', 'x'),"
             " ('range.steps_by', 'range'), ('range.steps_passed', 0)");
    xs_looked_at_say(&c.summary, &text);
    assert_string_equal(text.data, "Nothing was recorded but allocations: no NVTX range \"x\" came.");
    xs_string_free(&text);
    drop(&c);
}

static void nothing(void **state) {
    struct case_ c;
    (void)state;
    load(&c, "");
    assert_int_equal(c.summary.all.count, 0);
    assert_int_equal(c.summary.group_count, 0);
    assert_int_equal(c.summary.largest_count, 0);
    assert_int_equal(c.summary.run.duration_ns, 0);
    assert_int_equal(c.summary.run.rank, -1);
    assert_int_equal(c.summary.damaged_rows, 0);
    drop(&c);
}

static void totals_by_kind(void **state) {
    struct case_ c;
    (void)state;
    load(&c, TRANSFER(1, 1, 100, 1, 4, 0, 10, 30, 1) TRANSFER(2, 1, 50, 1, 4, 1, 40, 45, 2)
                 TRANSFER(3, 1, 1000, 2, 4, 1, 50, 52, 3) TRANSFER(4, 2, 7, 4, 3, 0, 60, 70, NULL)
                     COPY(1, 100, 12, 28, 0) COPY(2, 50, 46, 50, 0) COPY(3, 1000, 60, 160, 0));
    const struct xs_summary *s = &c.summary;
    assert_int_equal(s->group_count, 3);
    assert_int_equal(s->groups[0].src_kind, PINNED); /* by device time */
    assert_int_equal(s->groups[0].totals.device_ns, 100);
    assert_int_equal(s->groups[1].src_kind, PAGEABLE);
    assert_int_equal(s->groups[1].direction, H2D);
    assert_int_equal(s->groups[1].dst_kind, DEVICE);
    assert_int_equal(s->groups[1].totals.count, 2);
    assert_int_equal(s->groups[1].totals.bytes, 150);
    assert_int_equal(s->groups[1].totals.device_ns, 20);
    assert_int_equal(s->groups[1].totals.host_ns, 25);
    assert_int_equal(s->groups[1].totals.async_count, 1);
    assert_int_equal(s->groups[1].totals.blocking_host_ns, 20);
    assert_int_equal(s->groups[2].totals.timed_count, 0);
    assert_int_equal(s->all.count, 4);
    assert_int_equal(s->all.bytes, 1157);
    assert_int_equal(s->all.timed_bytes, 1150);
    assert_int_equal(s->pageable.bytes, 150);
    assert_int_equal(s->pinned.bytes, 1007); /* registered counts as pinned */
    assert_int_equal(s->coverage.matched, 3);
    assert_int_equal(s->coverage.without_record, 1);
    assert_int_equal(s->run.duration_ns, 160); /* to the last thing seen */
    assert_true(s->run.duration_estimated);
    drop(&c);
}

/* Every kind of what was left out is one sentence with its number. */
static void left_out_is_said(void **state) {
    static const struct {
        const char *name, *text;
        uint64_t count;
    } wanted[XS_LEFT_OUT_COUNT] = {
        {"dropped", "5 calls were not recorded: the spool was full and could not grow.", 5},
        {"nested",
         "1,026 calls were not recorded: made inside other driver calls, such as those that a library's callback made.",
         1026},
        {"left",
         "1 call was not recorded: the program never came back from the driver there, but jumped out of the call or "
         "ended the thread.",
         1},
        {"damaged", "3 recorded events were lost: the spool was damaged.", 3},
        {"cupti_records", "CUPTI dropped 9 records.", 9},
        {"without_stack", "The call site is not known of 1 of 2 transfers.", 1},
        {"outside", "4 launches were counted and not recorded: outside of what XFERSPY_WINDOW asks for.", 4}};
    struct case_ c;
    (void)state;
    load(&c, "INSERT INTO meta VALUES ('coverage.dropped', 5), ('coverage.nested', 1026), ('coverage.left', 1),"
             " ('skipped_events', 3), ('cupti.dropped_records', 9), ('option.stack', 'auto'),"
             " ('range.windows', '0+9'), ('range.left_out_launches', 4);" TRANSFER(1, 1, 100, 1, 4, 0, 10, 30, 1)
                 TRANSFER(2, 1, 50, 1, 4, 1, 40, 45, 2) "UPDATE transfer SET stack = 1 WHERE id = 2;");
    for (unsigned kind = 0; kind < XS_LEFT_OUT_COUNT; kind++) {
        struct xs_string text = {0};
        assert_int_equal(xs_left_out_say(&c.summary, (enum xs_left_out)kind, &text), wanted[kind].count);
        assert_string_equal(text.data, wanted[kind].text);
        assert_string_equal(xs_left_out_names[kind], wanted[kind].name);
        xs_string_free(&text);
    }
    drop(&c);
    load(&c, "INSERT INTO meta VALUES ('option.stack', 'none');" TRANSFER(1, 1, 100, 1, 4, 0, 10, 30, 1));
    for (unsigned kind = 0; kind < XS_LEFT_OUT_COUNT; kind++) {
        struct xs_string text = {0};
        assert_int_equal(xs_left_out_say(&c.summary, (enum xs_left_out)kind, &text), 0);
        assert_int_equal(text.length, 0);
    }
    drop(&c);
}

/* A batch call's copies share one number and, here, one record; its host time counts once. */
static void a_batch_is_split_by_bytes(void **state) {
    struct case_ c;
    (void)state;
    load(&c, TRANSFER(1, 1, 1000, 2, 4, 1, 0, 10, 5) TRANSFER(
                 2, 1, 3000, 2, 4, 1, 0, 10, 5) "UPDATE transfer SET batch_index = id - 1;" COPY(5, 4000, 0, 400, 0));
    const struct xs_summary *s = &c.summary;
    assert_int_equal(s->all.host_ns, 10);
    assert_int_equal(s->all.device_ns, 400);
    assert_int_equal(s->largest[0].totals.device_ns, 300);
    assert_int_equal(s->largest[1].totals.device_ns, 100);
    assert_int_equal(s->coverage.matched, 2);
    assert_int_equal(s->coverage.without_event, 0);
    drop(&c);
}

static void what_did_not_run_is_not_counted(void **state) {
    struct case_ c;
    (void)state;
    load(&c,
         TRANSFER(1, 1, 100, 1, 4, 0, 0, 1, 1) TRANSFER(2, 1, 100, 1, 4, 0, 0, 1, 2) TRANSFER(3, 1, 0, 1, 4, 0, 0, 1, 3)
             TRANSFER(4, 1, 100, 1, 4, 0, 0, 1,
                      4) "UPDATE transfer SET is_captured = 1 WHERE id = 1; UPDATE transfer SET result = 700 WHERE id "
                         "= 2;" COPY(4, 100, 0, 1, 0)
                             COPY(9, 5, 0, 1,
                                  0) "INSERT INTO device_copy "
                                     "(correlation,kind,bytes,start_ns,end_ns,device,copies,graph,graph_node) VALUES "
                                     "(4,1,30,5,7,0,1,1,11),(4,2,40,7,8,0,1,1,12);");
    const struct xs_summary *s = &c.summary;
    assert_int_equal(s->all.count, 2);
    assert_int_equal(s->all.device_ns, 1); /* the graph's nodes are not this call's */
    assert_int_equal(s->coverage.host_transfers, 4);
    assert_int_equal(s->coverage.host_captured, 1);
    assert_int_equal(s->coverage.host_failed, 1);
    assert_int_equal(s->coverage.host_empty, 1);
    assert_int_equal(s->coverage.matched, 1);
    assert_int_equal(s->coverage.without_record, 0);
    assert_int_equal(s->coverage.without_event, 1);
    assert_int_equal(s->coverage.device_copies, 4);
    assert_int_equal(s->coverage.device_copies_graph, 2);
    assert_int_equal(s->graph_total.count, 2);
    assert_int_equal(s->graph_total.bytes, 70);
    assert_int_equal(s->graph_total.ns, 3);
    drop(&c);
}

/* Two copy streams and two kernel streams on device 0; device 1 has kernels, that hide nothing on device 0. */
static void overlap_is_by_device_and_over_streams(void **state) {
    struct case_ c;
    (void)state;
    load(&c, COPY(1, 1, 0, 100, 0) COPY(2, 1, 50, 150, 0) COPY(3, 1, 300, 400, 0) COPY(4, 1, 0, 10, 1)
                 KERNEL(120, 200, 0) KERNEL(140, 320, 0) KERNEL(0, 1000, 1));
    const struct xs_device_summary *d = c.summary.devices;
    assert_int_equal(c.summary.device_count, 2);
    assert_int_equal(d[0].copy_busy_ns, 250);
    assert_int_equal(d[0].kernel_busy_ns, 200);
    assert_int_equal(d[0].kernel_ns, 260);
    assert_int_equal(d[0].both_busy_ns, 50); /* 120-150 and 300-320 */
    assert_int_equal(d[0].kernels, 2);
    assert_int_equal(d[1].both_busy_ns, 10);
    drop(&c);
}

static void largest_and_slowest(void **state) {
    struct case_ c;
    (void)state;
    load(&c,
         "INSERT INTO entry_point VALUES (1, 'cuMemcpyHtoD_v2', 0);"
         "WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 1000)"
         "INSERT INTO transfer (id,entry_point,thread,direction,bytes,src_kind,dst_kind,is_async,is_captured,result,"
         " enter_ns,return_ns,correlation) SELECT n,1,1,1,n % 10 * 100,1,4,0,0,0,n * 100,n * 100 + n,n FROM i;");
    const struct xs_summary *s = &c.summary;
    assert_int_equal(s->largest_count, XS_TOP);
    for (int i = 0; i < XS_TOP; i++) {
        assert_int_equal(s->largest[i].bytes, (9 - i) * 100);
        assert_int_equal(s->largest[i].totals.count, 100);
        assert_int_equal(s->largest[i].first_transfer, 9 - i);
        assert_string_equal(s->largest[i].entry_point, "cuMemcpyHtoD_v2");
        assert_int_equal(s->slowest[i].id, 1000 - i);
        assert_int_equal(s->slowest[i].host_ns, 1000 - i);
    }
    assert_false(s->slowest_by_device);
    drop(&c);
}

static void allocations_and_their_peak(void **state) {
    struct case_ c;
    (void)state;
    load(&c, "INSERT INTO allocation (kind,bytes,enter_ns,return_ns,free_enter_ns,free_return_ns) VALUES"
             " (4,100,0,10,20,25),(4,200,12,14,30,31),(4,50,20,20,NULL,NULL),(2,7,0,1,1,2);");
    const struct xs_allocation_totals *device = &c.summary.allocations[DEVICE];
    assert_int_equal(device->count, 3);
    assert_int_equal(device->bytes, 350);
    assert_int_equal(device->peak_bytes, 300); /* at 20 the first is freed before the third comes */
    assert_int_equal(device->host_ns, 12);
    assert_int_equal(device->frees, 2);
    assert_int_equal(device->free_host_ns, 6);
    assert_int_equal(device->live_count, 1);
    assert_int_equal(device->live_bytes, 50);
    assert_int_equal(c.summary.allocations[PINNED].live_count, 0);
    drop(&c);
}

static void damage_is_counted_and_left_out(void **state) {
    struct case_ c;
    (void)state;
    load(&c, TRANSFER(1, 1, -5, 1, 4, 0, 0, 10, 1) TRANSFER(2, 99, 8, 1, 4, 0, 0, 10, 2)
                 TRANSFER(3, 1, 8, 1, 4, 0, 50, 20, 3) TRANSFER(4, 1, 'x', 1, 4, 0, 0, 1, 4) COPY(3, 8, 9, 2, 0));
    assert_int_equal(c.summary.all.count, 4);
    assert_int_equal(c.summary.all.bytes, 16);
    assert_int_equal(c.summary.all.host_ns, 21);
    assert_int_equal(c.summary.all.timed_count, 0);
    assert_int_equal(c.summary.damaged_rows, 5);
    drop(&c);
}

/* A kernel's time goes to the kind of launch that started it; what was recorded before CUPTI ended counts. */
static void device_times_of_launches(void **state) {
    struct case_ c;
    (void)state;
    load(&c,
         "INSERT INTO launch (entry_point,thread,kind,is_captured,result,enter_ns,correlation) VALUES "
         "(1,1,0,0,0,1,1),(1,1,1,0,0,2,2),(1,1,2,0,0,3,3);"
         "INSERT INTO device_kernel (correlation,name,start_ns,end_ns,device,graph_node) VALUES "
         "(1,1,10,20,0,NULL),(2,1,20,50,0,NULL),(3,1,50,150,0,7);"
         "INSERT INTO device_memset (correlation,bytes,start_ns,end_ns,graph_node) VALUES (4,8,1,6,NULL),(3,8,1,9,8);"
         "INSERT OR REPLACE INTO meta VALUES ('cupti.status','stepped aside'),('cupti.kernels',0);");
    assert_int_equal(c.summary.launches[XS_LAUNCH_KERNEL].device_ns, 10);
    assert_int_equal(c.summary.launches[XS_LAUNCH_COOPERATIVE].device_ns, 30);
    assert_int_equal(c.summary.launches[XS_LAUNCH_GRAPH].device_ns, 100);
    assert_int_equal(c.summary.memsets.device_ns, 5);
    assert_true(c.summary.run.kernels_recorded);
    drop(&c);
}

/* Either mark is enough: the run's or a device's. */
static void simulated_is_never_missed(void **state) {
    struct case_ c;
    (void)state;
    load(&c, "INSERT OR REPLACE INTO meta VALUES ('simulated', 0); INSERT INTO device (id, simulated) VALUES (0, 0), "
             "(1, 1);");
    assert_true(c.summary.run.simulated);
    drop(&c);
    load(&c, "INSERT OR REPLACE INTO meta VALUES ('simulated', 1);");
    assert_true(c.summary.run.simulated);
    drop(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing),
        cmocka_unit_test(sums_of_what_was_thinned_count),
        cmocka_unit_test(device_times_of_thinned_shapes_stay_theirs),
        cmocka_unit_test(late_records_of_thinned_calls_count_once),
        cmocka_unit_test(late_records_leave_other_directions_alone),
        cmocka_unit_test(parts_that_were_looked_at),
        cmocka_unit_test(parts_of_a_killed_process),
        cmocka_unit_test(recorded_between_moments),
        cmocka_unit_test(steps_that_were_recorded),
        cmocka_unit_test(no_step_was_recorded),
        cmocka_unit_test(totals_by_kind),
        cmocka_unit_test(left_out_is_said),
        cmocka_unit_test(a_batch_is_split_by_bytes),
        cmocka_unit_test(what_did_not_run_is_not_counted),
        cmocka_unit_test(overlap_is_by_device_and_over_streams),
        cmocka_unit_test(largest_and_slowest),
        cmocka_unit_test(allocations_and_their_peak),
        cmocka_unit_test(device_times_of_launches),
        cmocka_unit_test(damage_is_counted_and_left_out),
        cmocka_unit_test(simulated_is_never_missed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
