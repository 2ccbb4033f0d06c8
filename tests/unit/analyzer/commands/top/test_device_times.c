/* Tests the device times of a trace that is still written: until when they are known, and that no device is busy for
 * longer than this time. */
#include "unit.h"

#include <sqlite3.h>

#include "analyzer/commands/top/device_times.h"
#include "schema/write/store.h"

#define UPLOAD(id, enter, leave)                                                                                       \
    "INSERT INTO transfer (id,entry_point,thread,direction,bytes,src_kind,dst_kind,is_async,is_captured,result,"       \
    "enter_ns,return_ns,correlation) VALUES (" #id ",1,1,1,100,1,4,1,0,0," #enter "," #leave "," #id ");"
#define COPY(id, start, end)                                                                                           \
    "INSERT INTO device_copy (correlation,kind,bytes,start_ns,end_ns,device,copies) VALUES (" #id ",1,100," #start     \
    "," #end ",0,1);"
#define KERNEL(start, end)                                                                                             \
    "INSERT INTO device_kernel (correlation,name,start_ns,end_ns,device) VALUES (1,1," #start "," #end ",0);"
#define ACTIVE "INSERT INTO meta VALUES ('cupti.status', 'active');"

static struct xs_device_times read_of(const char *sql, int is_live, uint64_t from_ns) {
    char folder[] = "/tmp/xferspy-unit.XXXXXX", path[128], message[XS_TRACE_MESSAGE_BYTES], *error = NULL;
    struct xs_store *store;
    struct xs_trace trace;
    struct xs_summary summary;
    struct xs_device_times times;
    sqlite3 *db;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/trace.db", folder);
    assert_int_equal(xs_store_create(path, &store), 0);
    assert_int_equal(xs_store_close(store), 0);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &error) != SQLITE_OK)
        fail_msg("%s", error);
    sqlite3_close(db);
    if (xs_trace_open(path, &trace, message) < 0 || xs_summary_compute(&trace, NULL, &summary, message) < 0)
        fail_msg("%s", message);
    trace.is_live = is_live;
    if (xs_device_times_read(&summary, from_ns, &times, message) < 0)
        fail_msg("%s", message);
    xs_summary_free(&summary);
    xs_trace_close(&trace);
    unlink(path);
    rmdir(folder);
    return times;
}

#define LATE ACTIVE UPLOAD(1, 100, 200) COPY(1, 150, 250) KERNEL(250, 400) UPLOAD(2, 600, 700) UPLOAD(3, 900, 1000)

static void what_comes_late_is_not_known(void **state) {
    (void)state;
    struct xs_device_times times = read_of(LATE, 1, 0);
    assert_true(times.late);
    assert_int_equal(times.known_ns, 400);
    assert_int_equal(times.copy_ns, 100);
    assert_int_equal(times.kernel_ns, 150);
    times = read_of(ACTIVE UPLOAD(1, 100, 200), 1, 0);
    assert_true(times.late);
    assert_int_equal(times.known_ns, 0);
}

/* One reading finds many records. Two streams run at the same time, and a part of their times was known before. */
static void no_device_is_busy_for_longer_than_what_is_known(void **state) {
    (void)state;
    struct xs_device_times times = read_of(LATE COPY(2, 300, 800) COPY(9, 350, 800) KERNEL(300, 800), 1, 400);
    assert_true(times.late);
    assert_int_equal(times.known_ns, 800);
    assert_int_equal(times.copy_ns, 400);
    assert_int_equal(times.kernel_ns, 400);
    times = read_of(LATE, 1, 400); /* nothing came since the last look */
    assert_int_equal(times.copy_ns + times.kernel_ns, 0);
}

static void nothing_is_late_of_a_run_that_ended_or_has_no_device_times(void **state) {
    (void)state;
    struct xs_device_times times = read_of(LATE, 0, 0);
    assert_false(times.late);
    assert_int_equal(times.known_ns, 1000);
    times = read_of(UPLOAD(1, 100, 200) UPLOAD(2, 600, 700), 1, 0);
    assert_false(times.late);
    assert_int_equal(times.known_ns, 700);
    times = read_of(ACTIVE UPLOAD(1, 100, 200) COPY(1, 150, 250), 1, 0); /* every record */
    assert_false(times.late);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_comes_late_is_not_known),
        cmocka_unit_test(no_device_is_busy_for_longer_than_what_is_known),
        cmocka_unit_test(nothing_is_late_of_a_run_that_ended_or_has_no_device_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
