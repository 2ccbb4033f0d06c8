/* Tests downloads of a framework's threads during which the main thread slept, with hand-made traces. */
#include "unit.h"

#include <sqlite3.h>

#include "analyzer/trace/main_waits.h"
#include "schema/write/store.h"

/* Thread 1 is the main thread. Stack 5 was taken while it slept, stack 6 while it ran. */
#define TRACE                                                                                                          \
    "INSERT INTO thread VALUES (1,70,'main'),(2,71,'pool');"                                                           \
    "INSERT INTO entry_point VALUES (1,'cuMemcpyDtoHAsync_v2',1),(2,'cuGraphLaunch',1);"                               \
    "INSERT INTO stack VALUES (5,1,1,0,1,1),(6,1,1,0,1,0),(7,1,1,0,NULL,NULL);"
#define DOWNLOAD(id, stack, enter, end)                                                                                \
    "INSERT INTO transfer(id,entry_point,thread,direction,bytes,is_async,is_captured,result,stack,enter_ns,return_ns," \
    "correlation) VALUES (" #id ",1,2,2,4,1,0,0," #stack "," #enter "," #enter "+5," #id ");"                          \
    "INSERT INTO device_copy(correlation,kind,bytes,start_ns,end_ns,copies) VALUES (" #id ",2,4," #enter "+5," #end    \
    ",1);"
#define MAIN_CALL(id, enter, returned)                                                                                 \
    "INSERT INTO api_call(id,entry_point,thread,is_captured,result,enter_ns,return_ns) VALUES (" #id                   \
    ",2,1,0,0," #enter "," #returned ");"

static void read_waits(const char *sql, struct xs_main_waits *waits) {
    char folder[] = "/tmp/xferspy-unit.XXXXXX", path[64], message[XS_TRACE_MESSAGE_BYTES], *error = NULL;
    struct xs_store *store;
    struct xs_trace trace;
    sqlite3 *db;
    uint64_t damaged = 0;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/trace.db", folder);
    assert_int_equal(xs_store_create(path, &store), 0);
    assert_int_equal(xs_store_close(store), 0);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &error) != SQLITE_OK)
        fail_msg("%s", error);
    sqlite3_close(db);
    assert_int_equal(xs_trace_open(path, &trace, message), 0);
    if (xs_main_waits_read(waits, &trace, message, &damaged) < 0)
        fail_msg("%s", message);
    assert_int_equal(damaged, 0);
    xs_trace_close(&trace);
    unlink(path);
    rmdir(folder);
}

static void check(const struct xs_main_waits *waits, int64_t download, int64_t begin_ns, int64_t end_ns) {
    const struct xs_main_wait *wait = xs_main_wait_of(waits, download);
    assert_non_null(wait);
    assert_int_equal(wait->thread, 1);
    assert_int_equal(wait->begin_ns, begin_ns);
    assert_int_equal(wait->end_ns, end_ns);
}

static void between_calls_of_the_main_thread(void **state) {
    struct xs_main_waits waits;
    (void)state;
    read_waits(TRACE MAIN_CALL(1, 100, 120) DOWNLOAD(1, 5, 500, 520) MAIN_CALL(2, 700, 710) DOWNLOAD(2, 5, 800, 900)
                   MAIN_CALL(3, 850, 860)  /* it went on before the copy's end */
               DOWNLOAD(3, 5, 1000, 1100), /* its last call was long ago */
               &waits);
    assert_int_equal(waits.count, 3);
    check(&waits, 1, 120, 520);
    check(&waits, 2, 710, 850);
    check(&waits, 3, 860, 1100);
    xs_main_waits_free(&waits);
}

/* The main thread slept once for three downloads. The second one ended before the first one. */
static void one_sleep(void **state) {
    struct xs_main_waits waits;
    (void)state;
    read_waits(TRACE MAIN_CALL(1, 100, 120) DOWNLOAD(1, 5, 300, 400) DOWNLOAD(2, 5, 310, 350) DOWNLOAD(3, 5, 320, 450),
               &waits);
    assert_int_equal(waits.count, 3);
    check(&waits, 1, 120, 400);
    check(&waits, 2, 400, 400);
    check(&waits, 3, 400, 450);
    xs_main_waits_free(&waits);
}

static void no_wait(void **state) {
    struct xs_main_waits waits;
    (void)state;
    read_waits(TRACE DOWNLOAD(1, 6, 500, 520)                   /* the main thread ran */
               DOWNLOAD(2, 7, 600, 620)                         /* it was not looked at */
               MAIN_CALL(1, 700, 800) DOWNLOAD(3, 5, 750, 760), /* it was inside a call */
               &waits);
    assert_int_equal(waits.count, 0);
    assert_null(xs_main_wait_of(&waits, 1));
    xs_main_waits_free(&waits);
    read_waits("", &waits);
    assert_int_equal(waits.count, 0);
    xs_main_waits_free(&waits);
}

/* Capture looks at some calls of a place only. Stacks 7 and 8 have no Python frames; 7 has the native frames of 5. */
static void not_looked_at(void **state) {
    struct xs_main_waits waits;
    (void)state;
#define FRAMES                                                                                                         \
    "INSERT INTO stack VALUES (8,1,0,0,NULL,NULL); UPDATE stack SET python_frames = 0 WHERE id = 7;"                   \
    "INSERT INTO stack_frame(id,stack,depth,address,module) VALUES (20480,5,0,4096,1),(28672,7,0,4096,1),"             \
    "(32768,8,0,8192,1);"
#define SEVEN                                                                                                          \
    DOWNLOAD(1, 5, 100, 150)                                                                                           \
    DOWNLOAD(2, 5, 200, 250)                                                                                           \
    DOWNLOAD(3, 5, 300, 350)                                                                                           \
    DOWNLOAD(4, 5, 400, 450) DOWNLOAD(5, 5, 500, 550) DOWNLOAD(6, 5, 600, 650) DOWNLOAD(7, 5, 700, 750)
    read_waits(TRACE FRAMES SEVEN DOWNLOAD(8, 5, 800, 850) MAIN_CALL(1, 860, 870) DOWNLOAD(9, 7, 900, 950)
                   DOWNLOAD(10, 8, 960, 970),
               &waits);
    assert_int_equal(waits.count, 9);
    check(&waits, 9, 870, 950);
    xs_main_waits_free(&waits);
    read_waits(TRACE FRAMES SEVEN DOWNLOAD(9, 7, 900, 950), &waits); /* too few were looked at */
    assert_int_equal(waits.count, 7);
    xs_main_waits_free(&waits);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(between_calls_of_the_main_thread), cmocka_unit_test(one_sleep),
                                       cmocka_unit_test(no_wait), cmocka_unit_test(not_looked_at)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
