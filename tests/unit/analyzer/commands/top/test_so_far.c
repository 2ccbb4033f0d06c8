/* Tests what `xferspy top` keeps between its displays: until when device times are known, that no device is busy for
 * longer than this time, and that reading the new rows gives what reading all rows gives. */
#include "unit.h"

#include <sqlite3.h>

#include "analyzer/commands/top/so_far.h"
#include "schema/write/store.h"
#include "schema/write/store_thin.h"

#define UPLOAD(id, enter, leave)                                                                                       \
    "INSERT INTO transfer (id,entry_point,thread,direction,bytes,src_kind,dst_kind,is_async,is_captured,result,"       \
    "enter_ns,return_ns,correlation) VALUES (" #id ",1,1,1,100,1,4,1,0,0," #enter "," #leave "," #id ");"
#define COPY(id, start, end)                                                                                           \
    "INSERT INTO device_copy (correlation,kind,bytes,start_ns,end_ns,device,copies) VALUES (" #id ",1,100," #start     \
    "," #end ",0,1);"
#define KERNEL(start, end)                                                                                             \
    "INSERT INTO device_kernel (correlation,name,start_ns,end_ns,device) VALUES (1,1," #start "," #end ",0);"
#define ACTIVE "INSERT INTO meta VALUES ('cupti.status', 'active');"

static char folder[64], path[128];

static void run_sql(const char *sql) {
    sqlite3 *db;
    char *error = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    sqlite3_exec(db, "PRAGMA synchronous = OFF", NULL, NULL, NULL);
    if (sqlite3_exec(db, sql, NULL, NULL, &error) != SQLITE_OK)
        fail_msg("%s", error);
    sqlite3_close(db);
}

static void read_now(struct xs_so_far *so_far, int is_live) {
    char message[XS_TRACE_MESSAGE_BYTES];
    struct xs_trace trace;
    if (xs_trace_open(path, &trace, message) < 0)
        fail_msg("%s", message);
    trace.is_live = is_live;
    if (xs_so_far_read(so_far, &trace, message) < 0)
        fail_msg("%s", message);
    xs_trace_close(&trace);
}

static int begin(void **state) {
    struct xs_store *store;
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/xferspy-unit.XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/trace.db", folder);
    assert_int_equal(xs_store_create(path, &store), 0);
    return xs_store_close(store);
}

static int end(void **state) {
    (void)state;
    unlink(path);
    return rmdir(folder);
}

#define LATE ACTIVE UPLOAD(1, 100, 200) COPY(1, 150, 250) KERNEL(250, 400) UPLOAD(2, 600, 700) UPLOAD(3, 900, 1000)

static void what_comes_late_is_not_known(void **state) {
    (void)state;
    struct xs_so_far so_far = {0};
    run_sql(ACTIVE UPLOAD(1, 100, 200));
    read_now(&so_far, 1);
    assert_true(so_far.late);
    assert_int_equal(so_far.known_ns, 0);
    run_sql(COPY(1, 150, 250) KERNEL(250, 400) UPLOAD(2, 600, 700) UPLOAD(3, 900, 1000));
    read_now(&so_far, 1);
    assert_true(so_far.late);
    assert_int_equal(so_far.run_ns, 1000);
    assert_int_equal(so_far.known_ns, 400);
    assert_int_equal(so_far.looked_at_ns, 400);
    assert_int_equal(so_far.copy_ns, 100);
    assert_int_equal(so_far.kernel_ns, 150);
    assert_int_equal(so_far.bytes[XS_DIR_H2D], 300);
    xs_so_far_free(&so_far);
}

/* One reading finds many records. Two streams run at the same time, and a part of their times was known before. */
static void no_device_is_busy_for_longer_than_what_is_known(void **state) {
    (void)state;
    struct xs_so_far so_far = {0};
    run_sql(LATE);
    read_now(&so_far, 1);
    read_now(&so_far, 1); /* nothing came since the last look */
    assert_int_equal(so_far.copy_ns + so_far.kernel_ns, 0);
    run_sql(COPY(2, 300, 800) COPY(9, 350, 800) KERNEL(300, 800));
    read_now(&so_far, 1);
    assert_true(so_far.late);
    assert_int_equal(so_far.known_ns, 800);
    assert_int_equal(so_far.looked_at_ns, 400);
    assert_int_equal(so_far.copy_ns, 400);
    assert_int_equal(so_far.kernel_ns, 400);
    xs_so_far_free(&so_far);
}

static void nothing_is_late_of_a_run_that_ended_or_has_no_device_times(void **state) {
    (void)state;
    struct xs_so_far so_far = {0};
    run_sql(UPLOAD(1, 100, 200) UPLOAD(2, 600, 700));
    read_now(&so_far, 1);
    assert_false(so_far.late);
    assert_int_equal(so_far.known_ns, 700);
    run_sql(ACTIVE UPLOAD(3, 800, 900));
    read_now(&so_far, 0);
    assert_false(so_far.late);
    assert_int_equal(so_far.known_ns, 900);
    run_sql(COPY(3, 850, 950)); /* every record */
    read_now(&so_far, 1);
    assert_false(so_far.late);
    xs_so_far_free(&so_far);
}

/* Device times of windows are known when the window has ended, and say nothing about the time between windows. */
static void shares_are_of_the_windows(void **state) {
    (void)state;
    struct xs_so_far so_far = {0};
    run_sql(ACTIVE UPLOAD(1, 1000, 2000) COPY(1, 1500, 2500)
                UPLOAD(2, 90000, 91000) "INSERT INTO meta VALUES ('cupti.windows', '1+4');");
    read_now(&so_far, 1);
    assert_false(so_far.late);
    assert_int_equal(so_far.known_ns, 5000);
    assert_int_equal(so_far.looked_at_ns, 4000);
    assert_int_equal(so_far.copy_ns, 1000);
    run_sql(UPLOAD(3, 110000, 111000)
                COPY(3, 110500, 111500) "UPDATE meta SET value = '1+4,100+20' WHERE key = 'cupti.windows';" UPLOAD(
                    4, 130000, 131000));
    read_now(&so_far, 1);
    assert_int_equal(so_far.known_ns, 120000);
    assert_int_equal(so_far.looked_at_ns, 20000);
    assert_int_equal(so_far.copy_ns, 1000);
    xs_so_far_free(&so_far);
}

/* Only copies that ran count, and each direction by itself. */
static void bytes_are_those_of_the_summary(void **state) {
    (void)state;
    struct xs_so_far so_far = {0};
    run_sql(UPLOAD(1, 100, 200) UPLOAD(2, 300, 400) UPLOAD(3, 500, 600) UPLOAD(4, 700, 800) UPLOAD(
        5, 900,
        950) "UPDATE transfer_shape SET result = 2 WHERE id = (SELECT shape FROM transfer_row WHERE id = 2);"
             "UPDATE transfer_shape SET is_captured = 1 WHERE id = (SELECT shape FROM transfer_row WHERE id = 3);"
             "UPDATE transfer_shape SET direction = 2 WHERE id = (SELECT shape FROM transfer_row WHERE id = 4);");
    read_now(&so_far, 1);
    assert_int_equal(so_far.bytes[XS_DIR_H2D], 200);
    assert_int_equal(so_far.bytes[XS_DIR_D2H], 100);
    xs_so_far_free(&so_far);
}

static void expect_equal(const struct xs_so_far *a, const struct xs_so_far *b) {
    assert_memory_equal(a->bytes, b->bytes, sizeof a->bytes);
    assert_memory_equal(a->last, b->last, sizeof a->last);
    assert_int_equal(a->run_ns, b->run_ns);
    assert_int_equal(a->known_ns, b->known_ns);
    assert_int_equal(a->late, b->late);
}

static uint64_t next(uint64_t *random, uint64_t limit) {
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return (*random >> 33) % limit;
}

/* Rows come in random batches, records later than their calls; the busy times of all readings add up to those that one
 * reading finds. */
static void reading_what_is_new_gives_what_reading_all_gives(void **state) {
    (void)state;
    enum { BATCHES = 40, MOST = 12, STEP = 100 };
    struct xs_so_far grown = {0};
    uint64_t random = 1, copy_ns = 0, kernel_ns = 0;
    int64_t called = 0, recorded = 0;
    run_sql(ACTIVE);
    for (int batch = 0; batch <= BATCHES; batch++) {
        char sql[8192] = "", row[512];
        int64_t calls = (int64_t)next(&random, MOST);
        for (int64_t until = called + calls; called < until;) {
            called++;
            snprintf(row, sizeof row,
                     "INSERT INTO transfer (id,entry_point,thread,direction,bytes,is_captured,result,enter_ns,"
                     "return_ns,correlation) VALUES (%d,1,1,%d,%d,0,0,%d,%d,%d);",
                     (int)called, 1 + (int)next(&random, 2), (int)next(&random, 1000), (int)called * STEP,
                     (int)called * STEP + 20, (int)called);
            strcat(sql, row);
        }
        run_sql(sql);
        sql[0] = 0;
        int64_t left = called - recorded;
        for (int64_t until = batch == BATCHES ? called : recorded + (int64_t)next(&random, (uint64_t)left + 1);
             recorded < until;) {
            int64_t start = ++recorded * STEP + 10;
            snprintf(row, sizeof row,
                     recorded % 2 ? "INSERT INTO device_copy (correlation,kind,bytes,start_ns,end_ns,device,copies) "
                                    "VALUES (1,1,100,%d,%d,%d,1);"
                                  : "INSERT INTO device_kernel (correlation,name,start_ns,end_ns,device) "
                                    "VALUES (1,1,%d,%d,%d);",
                     (int)start, (int)start + 30 + (int)next(&random, 60), (int)next(&random, 3));
            strcat(sql, row);
        }
        run_sql(sql);
        read_now(&grown, batch != BATCHES);
        copy_ns += grown.copy_ns;
        kernel_ns += grown.kernel_ns;
        struct xs_so_far whole = {0};
        read_now(&whole, batch != BATCHES);
        expect_equal(&grown, &whole);
        assert_int_equal(copy_ns, whole.copy_ns);
        assert_int_equal(kernel_ns, whole.kernel_ns);
        xs_so_far_free(&whole);
    }
    assert_true(called > BATCHES && copy_ns > 0 && kernel_ns > 0);
    xs_so_far_free(&grown);
}

/* Rows that were read and are removed later stay counted, as the sums of the trace have them. If rows are removed
 * before they were read, all is read again. */
static void rows_that_are_removed_stay_counted(void **state) {
    (void)state;
    struct xs_so_far so_far = {0};
    run_sql(UPLOAD(1, 100, 200) UPLOAD(2, 300, 400) UPLOAD(3, 500, 600));
    read_now(&so_far, 1);
    assert_int_equal(so_far.bytes[XS_DIR_H2D], 300);
#define THIN(from, to, until)                                                                                          \
    "INSERT INTO thinned (source,shape,entry_point,kind,stack,device,rows,bytes,host_ns,timed,device_ns) SELECT "      \
    "'transfer', shape, 0, 0, 0, 0, 1, 100, 100, 0, 0 FROM transfer_row WHERE id BETWEEN " #from " AND " #to ";"       \
    "DELETE FROM transfer_row WHERE id BETWEEN " #from " AND " #to ";"                                                 \
    "INSERT OR REPLACE INTO meta VALUES ('" XS_META_THINNED_TO_NS "', " #until ");"
    run_sql(THIN(2, 2, 400) UPLOAD(4, 700, 800));
    read_now(&so_far, 1);
    assert_int_equal(so_far.bytes[XS_DIR_H2D], 400);
    run_sql(UPLOAD(5, 900, 1000) UPLOAD(6, 1100, 1200) THIN(5, 5, 1000));
    read_now(&so_far, 1);
    assert_int_equal(so_far.bytes[XS_DIR_H2D], 600);
    xs_so_far_free(&so_far);
}

static void another_run_begins_anew(void **state) {
    (void)state;
    struct xs_so_far so_far = {0};
    run_sql("INSERT INTO meta VALUES ('start_unix_ns', 5);" UPLOAD(1, 100, 200) UPLOAD(2, 300, 400));
    read_now(&so_far, 1);
    run_sql("UPDATE meta SET value = 6 WHERE key = 'start_unix_ns'; DELETE FROM transfer_row WHERE id = 2;");
    read_now(&so_far, 1);
    assert_int_equal(so_far.bytes[XS_DIR_H2D], 100);
    assert_int_equal(so_far.run_ns, 200);
    xs_so_far_free(&so_far);
}

#define WITH_TRACE(test) cmocka_unit_test_setup_teardown(test, begin, end)
int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_TRACE(what_comes_late_is_not_known),
        WITH_TRACE(no_device_is_busy_for_longer_than_what_is_known),
        WITH_TRACE(nothing_is_late_of_a_run_that_ended_or_has_no_device_times),
        WITH_TRACE(shares_are_of_the_windows),
        WITH_TRACE(bytes_are_those_of_the_summary),
        WITH_TRACE(reading_what_is_new_gives_what_reading_all_gives),
        WITH_TRACE(rows_that_are_removed_stay_counted),
        WITH_TRACE(another_run_begins_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
