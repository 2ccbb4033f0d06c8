/* Tests the data of a timeline: which rows it has, in which order, and which rows become one. */
#include "unit.h"

#include <sqlite3.h>

#include "analyzer/totals/timeline/timeline.h"
#include "schema/write/store.h"

#define TRANSFER(id, result, enter, leave, correlation, batch)                                                         \
    "INSERT INTO transfer (id, entry_point, thread, direction, bytes, src_kind, dst_kind, is_async, is_captured, "     \
    "result, enter_ns, return_ns, correlation, batch_index) VALUES (" #id ", 1, 1, 1, 10" #id ", 1, 4, 0, 0, " #result \
    ", " #enter ", " #leave ", " #correlation ", " #batch ");"
#define COPY(id, kind, start, end, device, dst_device, correlation, node)                                              \
    "INSERT INTO device_copy (id, kind, bytes, copies, start_ns, end_ns, device, dst_device, correlation, "            \
    "graph_node) "                                                                                                     \
    "VALUES (" #id ", " #kind ", 100, 1, " #start ", " #end ", " #device ", " #dst_device ", " #correlation ", " #node \
    ");"

static const char rows[] =
    "INSERT INTO entry_point VALUES (1, 'cuMemcpyHtoD_v2', 0), (2, 'cuCtxDestroy_v2', 3);"
    "INSERT INTO thread VALUES (1, 4242, 'solver'), (2, 4243, NULL);"
    "INSERT INTO stream VALUES (7, 2, NULL, NULL);" TRANSFER(1, 0, 100, 200, 11, NULL)
        TRANSFER(2, 700, 50, 60, 12, NULL) TRANSFER(3, 0, 300, 400, 13, 0) TRANSFER(4, 0, 300, 400, 13, 1)
            TRANSFER(5, 0, 300, 350, 14,
                     NULL) "UPDATE transfer SET stream = 7 WHERE id = 1;"
                           "INSERT INTO allocation (id, entry_point, thread, bytes, enter_ns, return_ns, "
                           "free_entry_point, free_thread, "
                           "free_enter_ns, free_return_ns) VALUES (1, 1, 1, 8, 10, 20, 2, 2, 900, 950), (2, 1, 1, 9, "
                           "30, 40, 2, 2, 900, 950), "
                           "(3, 1, 1, 1, 41, 42, NULL, NULL, NULL, NULL);" COPY(1, 1, 500, 600, 0, NULL, 11, NULL)
                               COPY(2, 2, 550, 560, NULL, 3, 99, 5) COPY(3, 1, 700, 650, 0, NULL, 12, NULL)
                                   COPY(4, 1, NULL, NULL, 0, NULL, 13, NULL) COPY(5, 1, 500, 700, NULL, NULL, 13, NULL);

struct seen {
    size_t count, most;
    struct xs_timeline_row rows[32];
    char names[32][32];
};

static bool take(void *data, const struct xs_timeline_row *row) {
    struct seen *seen = data;
    snprintf(seen->names[seen->count], sizeof seen->names[0], "%s", row->name ? row->name : "");
    seen->rows[seen->count++] = *row;
    return seen->count < seen->most;
}

static struct xs_trace trace;
static char folder[64], path[128], message[XS_TRACE_MESSAGE_BYTES];

static int begin(void **state) {
    struct xs_store *store;
    sqlite3 *db;
    char *error = NULL;
    (void)state;
    strcpy(folder, "/tmp/xferspy-unit.XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/trace.db", folder);
    assert_int_equal(xs_store_create(path, &store), 0);
    assert_int_equal(xs_store_close(store), 0);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, rows, NULL, NULL, &error) != SQLITE_OK)
        fail_msg("%s", error);
    sqlite3_close(db);
    if (xs_trace_open(path, &trace, message) < 0)
        fail_msg("%s", message);
    return 0;
}

static int end(void **state) {
    (void)state;
    xs_trace_close(&trace);
    unlink(path);
    return rmdir(folder);
}

static struct seen scanned(enum xs_timeline_kind kind) {
    struct seen seen = {.most = 32};
    assert_int_equal(xs_timeline_scan(&trace, kind, take, &seen, message), XS_OK);
    return seen;
}

static struct seen merged(bool work) {
    struct seen seen = {.most = 32};
    assert_int_equal(xs_timeline_merge(&trace, work, take, &seen, message), XS_OK);
    return seen;
}

static void a_scan_has_what_ran_row_by_row(void **state) {
    (void)state;
    struct seen seen = scanned(XS_TIMELINE_TRANSFER);
    static const int64_t ids[] = {1, 3, 4, 5}, batch[] = {-1, 0, 1, -1};
    assert_int_equal(seen.count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(seen.rows[i].id, ids[i]);
        assert_int_equal(seen.rows[i].batch_index, batch[i]);
        assert_int_equal(seen.rows[i].evidence, XS_EVIDENCE_TRANSFER);
        assert_true(seen.rows[i].timed && seen.rows[i].ran);
    }
    assert_int_equal(seen.rows[0].stream, 7);
    assert_int_equal(seen.rows[0].bytes, 101);
    assert_int_equal(seen.rows[0].direction, XS_DIR_H2D);
    assert_int_equal(scanned(XS_TIMELINE_ALLOCATION).count, 3);
    seen = scanned(XS_TIMELINE_FREE);
    assert_int_equal(seen.count, 2);
    assert_int_equal(seen.rows[1].thread, 2);
}

static void calls_come_in_the_order_of_time(void **state) {
    static const struct {
        enum xs_timeline_kind kind;
        int64_t id, start_ns, correlation;
    } expected[] = {
        {XS_TIMELINE_ALLOCATION, 1, 10, 0}, {XS_TIMELINE_ALLOCATION, 2, 30, 0}, {XS_TIMELINE_ALLOCATION, 3, 41, 0},
        {XS_TIMELINE_TRANSFER, 2, 50, 12},  {XS_TIMELINE_TRANSFER, 1, 100, 11}, {XS_TIMELINE_BATCH, 3, 300, 13},
        {XS_TIMELINE_TRANSFER, 5, 300, 14}, {XS_TIMELINE_FREE, 1, 900, 0},
    };
    (void)state;
    struct seen seen = merged(false);
    assert_int_equal(seen.count, sizeof expected / sizeof *expected);
    for (size_t i = 0; i < seen.count; i++) {
        assert_int_equal(seen.rows[i].kind, expected[i].kind);
        assert_int_equal(seen.rows[i].id, expected[i].id);
        assert_int_equal(seen.rows[i].start_ns, expected[i].start_ns);
        assert_int_equal(seen.rows[i].correlation, expected[i].correlation);
    }
    assert_false(seen.rows[3].ran);
    assert_string_equal(seen.names[4], "cuMemcpyHtoD_v2");
    assert_int_equal(seen.rows[5].evidence_row, 3);
    assert_int_equal(seen.rows[5].evidence_rows, 2);
    assert_string_equal(seen.names[7], "cuCtxDestroy_v2");
    assert_int_equal(seen.rows[7].evidence_rows, 0);
}

static void work_has_times_and_its_call(void **state) {
    (void)state;
    struct seen seen = merged(true);
    static const int64_t ids[] = {5, 1, 2}, devices[] = {-1, 0, 3}, calls[] = {3, 1, 0}, asked[] = {2, 1, 0};
    assert_int_equal(seen.count, 3); /* the longer of two first; two have no times that can be */
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(seen.rows[i].id, ids[i]);
        assert_int_equal(seen.rows[i].device, devices[i]);
        assert_int_equal(seen.rows[i].evidence_row, calls[i]);
        assert_int_equal(seen.rows[i].evidence_rows, asked[i]);
    }
    assert_true(seen.rows[1].stream_known && seen.rows[1].stream_handle == 2);
    assert_false(seen.rows[0].stream_known);
    assert_int_equal(seen.rows[2].direction, XS_DIR_D2H);
    assert_int_equal(seen.rows[2].evidence, XS_TIMELINE_NO_EVIDENCE); /* a graph's */
    seen = scanned(XS_TIMELINE_COPY);
    assert_int_equal(seen.count, 3);
    assert_int_equal(seen.rows[0].id, 1);
    assert_int_equal(xs_timeline_ns(&seen.rows[0]), 100);
}

static void enough_is_enough(void **state) {
    struct seen seen = {.most = 2};
    (void)state;
    assert_int_equal(xs_timeline_merge(&trace, false, take, &seen, message), XS_OK);
    assert_int_equal(seen.count, 2);
    assert_int_equal(xs_timeline_scan(&trace, XS_TIMELINE_TRANSFER, take, &(struct seen){.most = 1}, message), XS_OK);
}

static void threads_have_names(void **state) {
    struct xs_timeline_thread thread;
    (void)state;
    assert_int_equal(xs_timeline_thread(&trace, 1, &thread, message), XS_OK);
    assert_true(thread.known);
    assert_int_equal(thread.tid, 4242);
    assert_string_equal(thread.name, "solver");
    free(thread.name);
    assert_int_equal(xs_timeline_thread(&trace, 2, &thread, message), XS_OK);
    assert_true(thread.known && !thread.name);
    assert_int_equal(xs_timeline_thread(&trace, 3, &thread, message), XS_OK);
    assert_false(thread.known);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scan_has_what_ran_row_by_row),
        cmocka_unit_test(calls_come_in_the_order_of_time),
        cmocka_unit_test(work_has_times_and_its_call),
        cmocka_unit_test(enough_is_enough),
        cmocka_unit_test(threads_have_names),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
