/* Each metric's number from a made-up trace, and which are unknown where the trace lacks their ground. */
#include "unit.h"

#include <sqlite3.h>

#include "analyzer/commands/common/reading.h"
#include "schema/write/store.h"

struct run {
    char folder[64], path[128];
    struct xs_reading reading;
};

static void load(struct run *r, const char *sql) {
    struct xs_store *store;
    sqlite3 *db;
    char *error = NULL;
    strcpy(r->folder, "/tmp/xferspy-unit.XXXXXX");
    assert_non_null(mkdtemp(r->folder));
    snprintf(r->path, sizeof r->path, "%s/trace.db", r->folder);
    assert_int_equal(xs_store_create(r->path, &store), 0);
    assert_int_equal(xs_store_close(store), 0);
    assert_int_equal(sqlite3_open(r->path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &error) != SQLITE_OK)
        fail_msg("%s", error);
    sqlite3_close(db);
    assert_int_equal(xs_reading_open(r->path, NULL, &r->reading), 0);
}

static void drop(struct run *r) {
    xs_reading_close(&r->reading);
    unlink(r->path);
    rmdir(r->folder);
}

static void expect(const struct run *r, const char *name, uint64_t value) {
    int metric = xs_metric_find(name);
    assert_true(metric >= 0);
    if (!r->reading.metrics.of[metric].known || r->reading.metrics.of[metric].value != value)
        fail_msg("%s: %llu, known %d", name, (unsigned long long)r->reading.metrics.of[metric].value,
                 r->reading.metrics.of[metric].known);
}

static void expect_unknown(const struct run *r, const char *name) {
    int metric = xs_metric_find(name);
    assert_true(metric >= 0);
    assert_false(r->reading.metrics.of[metric].known);
    assert_int_equal(r->reading.metrics.of[metric].value, 0);
}

/* Plays a blocking upload of pageable memory, an asynchronous upload of pinned memory that runs beside a kernel for 60
 * ns, a download, a wait, and allocations. */
#define HOST_EVENTS                                                                                                    \
    "INSERT INTO entry_point VALUES (1,'cuMemcpyHtoD_v2',0),(2,'cuMemcpyDtoH_v2',0),(3,'cuMemAlloc_v2',2),"            \
    "(4,'cuMemFree_v2',3),(5,'cuCtxSynchronize',5);"                                                                   \
    "INSERT INTO transfer (id,entry_point,thread,direction,bytes,src_kind,dst_kind,is_async,is_captured,result,"       \
    "enter_ns,return_ns,correlation) VALUES (1,1,1,1,100,1,4,0,0,0,10,30,1),(2,1,1,1,1000,2,4,1,0,0,50,52,2),"         \
    "(3,2,1,2,7,4,2,0,0,0,200,260,3);"                                                                                 \
    "INSERT INTO allocation (id,entry_point,thread,address,bytes,kind,origin,device,enter_ns,return_ns,"               \
    "free_entry_point,free_thread,free_enter_ns,free_return_ns) VALUES (1,3,1,4096,4096,4,1,0,0,5,4,1,900,907);"       \
    "INSERT INTO sync (id,entry_point,thread,scope,result,enter_ns,return_ns) VALUES (1,5,1,0,0,300,340);"

static void every_metric(void **state) {
    struct run r;
    (void)state;
    load(&r, HOST_EVENTS
         "INSERT OR REPLACE INTO meta VALUES ('status','complete'),('duration_ns',1000000),('option.kernels','on'),"
         "('cupti.status','active'),('cupti.kernels',1),('cost.events',1),('cost.start_ns',1000),('cost.close_ns',9),"
         "('cost.fingerprint_call_ns',200),('cost.spool_stall_ns',30),('cost.drain_cpu_ns',7);"
         "INSERT INTO device_copy (correlation,kind,bytes,start_ns,end_ns,device,copies) VALUES (1,1,100,12,28,0,1),"
         "(2,1,1000,60,160,0,1),(3,2,7,210,220,0,1);"
         "INSERT INTO device_kernel (correlation,name,start_ns,end_ns,device) VALUES (9,1,100,180,0);");
    expect(&r, "wall-time", 1000000);
    expect(&r, "bare-time", 998770); /* without what the program waited for */
    expect(&r, "device-time", 126);
    expect(&r, "exposed-time", 66);
    expect(&r, "kernel-time", 80);
    expect(&r, "call-time", 82);
    expect(&r, "blocked-time", 80);
    expect(&r, "wait-time", 40);
    expect(&r, "transfers", 3);
    expect(&r, "transfer-bytes", 1107);
    expect(&r, "uploads", 2);
    expect(&r, "upload-bytes", 1100);
    expect(&r, "downloads", 1);
    expect(&r, "download-bytes", 7);
    expect(&r, "pageable-bytes", 100);
    expect(&r, "allocations", 1);
    expect(&r, "allocation-time", 12);
    expect(&r, "peak-device-bytes", 4096);
    expect(&r, "saved-time", 12); /* nothing touches the allocation */
    expect(&r, "least-saved-time", 12);
    drop(&r);
}

static void without_device_records(void **state) {
    struct run r;
    (void)state;
    load(&r, HOST_EVENTS);
    expect_unknown(&r, "wall-time"); /* no end */
    expect_unknown(&r, "device-time");
    expect_unknown(&r, "exposed-time");
    expect_unknown(&r, "kernel-time");
    expect(&r, "call-time", 82);
    expect(&r, "transfers", 3);
    drop(&r);
}

static void names(void **state) {
    (void)state;
    assert_int_equal(xs_metric_find("no-such"), -1);
    assert_int_equal(xs_metric_find(""), -1);
    for (int i = 0; i < XS_METRICS; i++)
        assert_int_equal(xs_metric_find(xs_metric_infos[i].name), i); /* none is there twice */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_metric),
        cmocka_unit_test(without_device_records),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
