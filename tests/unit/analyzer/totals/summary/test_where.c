/* Tests where the time of the run went, with hand-made traces of 1,000 us, whose parts are known. Times in the macros
 * are in us. */
#include "unit.h"

#include <sqlite3.h>

#include "analyzer/totals/summary/summary.h"
#include "analyzer/words/where_words.h"
#include "schema/write/store.h"

static struct xs_summary summary;
static char folder[64], path[128];
static struct xs_trace trace;

#define BEGIN                                                                                                          \
    "INSERT OR REPLACE INTO meta VALUES ('duration_ns',1000000),('status','complete');"                                \
    "INSERT INTO thread VALUES (1,41,'main'),(2,42,'worker');"                                                         \
    "INSERT INTO entry_point VALUES (1,'copy',0),(2,'cuCtxCreate',10),(3,'cuMemFree',3),(4,'cuEventRecord',5),"        \
    "(5,'cuMemAlloc',2),(6,'cuModuleGetGlobal',12),(7,'cuMemHostRegister',2),(8,'cuModuleLoadData',13);"
#define TRANSFER(id, thread, enter, leave)                                                                             \
    "INSERT INTO transfer "                                                                                            \
    "(id,entry_point,thread,direction,bytes,src_kind,dst_kind,is_async,is_captured,result,enter_ns,"                   \
    "return_ns) VALUES (" #id ",1," #thread ",1,64,1,4,0,0,0," #enter "000," #leave "000);"
#define COPY(start, end)                                                                                               \
    "INSERT INTO device_copy (correlation,kind,bytes,start_ns,end_ns,device,copies) VALUES (9,1,64," #start            \
    "000," #end "000,0,1);"
#define KERNEL(start, end)                                                                                             \
    "INSERT INTO device_kernel (correlation,name,start_ns,end_ns,device) VALUES (8,1," #start "000," #end "000,0);"
#define SYNC(thread, enter, leave)                                                                                     \
    "INSERT INTO sync (entry_point,thread,scope,result,enter_ns,return_ns) VALUES (1," #thread ",0,0," #enter          \
    "000," #leave "000);"
#define API(entry, thread, enter, leave)                                                                               \
    "INSERT INTO api_call (entry_point,thread,is_captured,result,enter_ns,return_ns) VALUES (" #entry "," #thread      \
    ",0,0," #enter "000," #leave "000);"
#define ALLOCATION(thread, enter, leave, free_enter, free_leave)                                                       \
    "INSERT INTO allocation (entry_point,thread,bytes,kind,origin,enter_ns,return_ns,free_thread,free_enter_ns,"       \
    "free_return_ns) VALUES (5," #thread ",64,4,1," #enter "000," #leave "000," #thread "," #free_enter                \
    "000," #free_leave "000);"
#define MIGRATION(kind, start, end)                                                                                    \
    "INSERT INTO device_migration (kind,address,bytes,start_ns,end_ns) VALUES (" #kind ",4096,4096," #start            \
    "000," #end "000);"

static const struct xs_where *load(const char *sql) {
    struct xs_store *store;
    sqlite3 *db;
    char message[XS_TRACE_MESSAGE_BYTES], *error = NULL;
    strcpy(folder, "/tmp/xferspy-unit.XXXXXX");
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
    return &summary.where;
}

static void drop(void) {
    xs_summary_free(&summary);
    xs_trace_close(&trace);
    unlink(path);
    rmdir(folder);
}

/* In us. */
static void expect_part(enum xs_where_part part, uint64_t us) {
    if (summary.where.parts[part] != us * 1000)
        fail_msg("%s: %llu ns, not %llu us", xs_where_keys[part], (unsigned long long)summary.where.parts[part],
                 (unsigned long long)us);
}

static void expect_whole(void) {
    uint64_t sum = 0;
    unsigned percent = 0;
    for (unsigned i = 0; i < XS_WHERE_PARTS; i++) {
        sum += summary.where.parts[i];
        percent += summary.where.percent[i];
    }
    assert_true(summary.where.known);
    assert_int_equal(sum, summary.where.run_ns);
    assert_int_equal(summary.where.run_ns, 1000000);
    assert_int_equal(percent, 100);
}

static void not_known_without_calls(void **state) {
    (void)state;
    assert_false(load(BEGIN)->known);
    struct xs_string text = {0};
    xs_where_say(&text, &summary.where, false);
    xs_where_bar(&text, &summary.where, 10);
    assert_int_equal(text.length, 0);
    drop();
    assert_false(load("DELETE FROM meta WHERE key = 'duration_ns'")->known);
    drop();
}

/* A copy's own call waits for the kernel before the copy, and then copies. Time beside a kernel also counts as copying.
 */
static void calls_of_copies(void **state) {
    (void)state;
    load(BEGIN TRANSFER(1, 1, 100, 300) KERNEL(50, 150) COPY(150, 280) KERNEL(200, 250));
    expect_whole();
    expect_part(XS_WHERE_WAIT, 50);
    expect_part(XS_WHERE_COPY, 150);
    expect_part(XS_WHERE_PROGRAM, 800);
    assert_int_equal(summary.where.copy_beside_kernels_ns, 50000);
    drop();
}

/* A wait counts as waiting for kernels while kernels run, and as waiting for copies while only copies run. */
static void waits(void **state) {
    (void)state;
    load(BEGIN SYNC(1, 100, 400) KERNEL(100, 200) COPY(150, 300));
    expect_whole();
    expect_part(XS_WHERE_WAIT, 200); /* 100 to 200, and 300 to 400, when the device had ended */
    expect_part(XS_WHERE_COPY, 100);
    drop();
}

/* Calls that free memory wait for kernels; calls that allocate memory do not. */
static void allocations(void **state) {
    (void)state;
    load(BEGIN ALLOCATION(1, 100, 200, 500, 700) KERNEL(100, 600) API(7, 1, 800, 850));
    expect_whole();
    expect_part(XS_WHERE_ALLOCATE, 100 + 100 + 50);
    expect_part(XS_WHERE_WAIT, 100);
    drop();
}

static void other_calls(void **state) {
    (void)state;
    load(BEGIN API(2, 1, 0, 300) API(6, 1, 300, 310) API(8, 1, 310, 390) API(
        4, 1, 400, 405) "INSERT INTO launch (entry_point,thread,kind,is_captured,result,enter_ns,return_ns) VALUES"
                        " (1,1,2,0,0,500000,520000),(1,1,0,0,0,600000,NULL);"
                        "INSERT INTO memset "
                        "(entry_point,thread,address,bytes,value,element_bytes,kind,is_async,is_captured,result,"
                        "enter_ns,return_ns) VALUES (1,1,1,1,0,1,4,1,0,0,700000,703000);");
    expect_whole();
    expect_part(XS_WHERE_START, 310);
    expect_part(XS_WHERE_LOAD, 80);
    expect_part(XS_WHERE_LAUNCH, 5 + 20 + 3);
    expect_part(XS_WHERE_PROGRAM, 1000 - 310 - 80 - 28);
    drop();
}

/* Pages that the host needs stop it between its calls. In a wait, every page that moves counts. */
static void faults(void **state) {
    (void)state;
    load(BEGIN SYNC(1, 100, 200) MIGRATION(2, 150, 260) MIGRATION(1, 120, 130) MIGRATION(1, 400, 500) KERNEL(100, 200));
    expect_whole();
    expect_part(XS_WHERE_FAULT, 10 + 50 + 60);
    expect_part(XS_WHERE_WAIT, 40);
    expect_part(XS_WHERE_PROGRAM, 1000 - 100 - 60);
    assert_false(summary.where.faults_in_part);
    drop();
}

/* If migrations were recorded only for a part of the run, their share says so. */
static void faults_in_windows(void **state) {
    struct xs_string text = {0};
    (void)state;
    load(BEGIN SYNC(1, 100, 200) MIGRATION(
        1, 110, 190) "INSERT OR REPLACE INTO meta VALUES ('cupti.migration_rests',3),('cupti.migrations_ns',220000)");
    expect_whole();
    xs_where_say(&text, &summary.where, true);
    assert_non_null(strstr(text.data, "f faults of managed memory 8 % (recorded for 22 % of the run)"));
    xs_string_free(&text);
    drop();
}

/* The thread with most time in calls decides; the other threads run beside it. */
static void one_thread_is_the_line(void **state) {
    (void)state;
    load(BEGIN TRANSFER(1, 1, 0, 300) TRANSFER(2, 2, 100, 500) SYNC(2, 600, 700));
    expect_whole();
    assert_int_equal(summary.where.tid, 42);
    expect_part(XS_WHERE_COPY, 400);
    expect_part(XS_WHERE_WAIT, 100);
    expect_part(XS_WHERE_PROGRAM, 500);
    drop();
    load(BEGIN TRANSFER(1, 2, 0, 300) TRANSFER(2, 1, 100, 400)); /* as much: the first */
    assert_int_equal(summary.where.tid, 41);
    drop();
}

/* The copies of a batch call are one call. */
static void a_batch_call_counts_once(void **state) {
    (void)state;
    load(BEGIN TRANSFER(1, 1, 100, 300) TRANSFER(2, 1, 100, 300) "UPDATE transfer SET batch_index = id - 1");
    expect_whole();
    expect_part(XS_WHERE_COPY, 200);
    drop();
}

/* Tests the time of xferspy itself, before the first call and around the calls. It is never longer than the time that
 * is there, and never part of a call. */
static void what_xferspy_took(void **state) {
    (void)state;
    load(BEGIN TRANSFER(1, 1, 100, 300) "INSERT OR REPLACE INTO meta VALUES ('cost.start_ns',30000),"
                                        "('cost.cupti_start_ns',40000),('cost.fingerprint_call_ns',50000)");
    expect_whole();
    expect_part(XS_WHERE_XFERSPY, 120);
    expect_part(XS_WHERE_COPY, 200);
    expect_part(XS_WHERE_PROGRAM, 680);
    drop();
    load(BEGIN TRANSFER(1, 1, 100, 300) "INSERT OR REPLACE INTO meta VALUES ('cost.start_ns',3000000),"
                                        "('cost.fingerprint_call_ns',5000000)");
    expect_whole();
    expect_part(XS_WHERE_XFERSPY, 800);
    expect_part(XS_WHERE_PROGRAM, 0);
    expect_part(XS_WHERE_COPY, 200);
    drop();
}

/* Calls that begin before the run or end after it count only within the run. In a damaged trace, whose calls overlap,
 * the parts still add up. */
static void odd_times(void **state) {
    (void)state;
    load(BEGIN TRANSFER(1, 1, -100, 100) TRANSFER(2, 1, 900, 1200) TRANSFER(3, 1, 1300, 1400) TRANSFER(4, 1, 500, 400));
    expect_whole();
    expect_part(XS_WHERE_COPY, 200);
    drop();
    load(BEGIN TRANSFER(1, 1, 0, 900) TRANSFER(2, 1, 0, 900));
    assert_int_equal(summary.where.run_ns, 1800000);
    assert_int_equal(summary.where.percent[XS_WHERE_COPY], 100);
    drop();
}

/* The largest rests get what rounding leaves. */
static void percents_add_up(void **state) {
    static const struct {
        uint64_t parts[XS_WHERE_PARTS];
        unsigned percent[XS_WHERE_PARTS];
    } cases[] = {
        {{1, 1, 1}, {34, 33, 33}},
        {{665, 0, 335}, {67, 0, 33}},
        {{1, 1, 1, 1, 1, 1, 1, 1}, {13, 13, 13, 13, 12, 12, 12, 12}},
        {{999, 1}, {100, 0}},
        {{UINT64_MAX / 4, UINT64_MAX / 4}, {50, 50}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct xs_where where = {.known = true};
        for (unsigned k = 0; k < XS_WHERE_PARTS; k++) {
            where.parts[k] = cases[i].parts[k];
            where.run_ns += where.parts[k];
        }
        xs_where_round(&where);
        for (unsigned k = 0; k < XS_WHERE_PARTS; k++)
            assert_int_equal(where.percent[k], cases[i].percent[k]);
    }
}

static void words_and_bar(void **state) {
    struct xs_where where = {.known = true,
                             .percent = {[XS_WHERE_PROGRAM] = 61, [XS_WHERE_COPY] = 17, [XS_WHERE_WAIT] = 22}};
    struct xs_string text = {0};
    (void)state;
    xs_where_say(&text, &where, false);
    assert_string_equal(text.data, "the program itself 61 %, waiting for kernels 22 %, copying 17 %");
    text.length = 0;
    xs_where_say(&text, &where, true);
    assert_string_equal(text.data, "p the program itself 61 %, w waiting for kernels 22 %, c copying 17 %");
    text.length = 0;
    xs_where_bar(&text, &where, 20);
    assert_string_equal(text.data, "[ppppppppppppccccwwww]");
    text.length = 0;
    where = (struct xs_where){.known = true, .percent = {1, 1, 1, 1, 1, 1, 1, 1, 92}};
    xs_where_bar(&text, &where, 20);
    assert_int_equal(strlen(text.data), 22);
    xs_string_free(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(not_known_without_calls),
        cmocka_unit_test(calls_of_copies),
        cmocka_unit_test(waits),
        cmocka_unit_test(allocations),
        cmocka_unit_test(other_calls),
        cmocka_unit_test(faults),
        cmocka_unit_test(faults_in_windows),
        cmocka_unit_test(one_thread_is_the_line),
        cmocka_unit_test(a_batch_call_counts_once),
        cmocka_unit_test(what_xferspy_took),
        cmocka_unit_test(odd_times),
        cmocka_unit_test(percents_add_up),
        cmocka_unit_test(words_and_bar),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
