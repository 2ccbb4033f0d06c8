/* The summary of hand-made traces: exact numbers. */
#include "analyzer/words/left_out.h"
#include "loaded.h"

#define THINNED(source, shape, kind, device, rows, bytes, host, timed, device_ns)                                      \
    "INSERT INTO thinned VALUES (NULL,'" source "'," #shape ",0," #kind ",0," #device "," #rows "," #bytes "," #host   \
    "," #timed "," #device_ns ");"

/* Rows that were dropped count in the totals. */
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
    load(&c,
         TRANSFER(1, 1, 100, 2, 4, 1, 10, 30, 1) TRANSFER(2, 1, 50, 1, 4, 0, 40, 45, 2) COPY(1, 100, 20, 40, 0)
             COPY(2, 50, 41, 45,
                  0) "INSERT INTO meta VALUES ('thinned.rows', 36), ('thinned.one_in', 4);" /* as in the first trace */
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

/* Values that such a record lacks are not taken from records of the other direction, whose calls lack them, too. */
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

/* A staged copy between devices has two records of all bytes. Its time is the sum of both, and it is neither a
 * download nor an upload, even if it was thinned. */
static void a_staged_copy_between_devices(void **state) {
    struct case_ c;
    (void)state;
    load(&c,
         TRANSFER(1, 4, 100, 4, 4, 0, 10, 60, 1) COPY(1, 100, 20, 27, 0) COPY(1, 100, 40, 45, 1)
             TRANSFER(2, 2, 100, 4, 2, 0, 70, 90, 2) COPY(
                 2, 100, 75, 80,
                 0) "UPDATE device_copy SET kind = 2 WHERE start_ns IN (20, 75);"
                    "UPDATE device_copy SET src_kind = 3, dst_kind = CASE correlation WHEN 1 THEN 3 ELSE 2 END;"
                    "INSERT INTO meta VALUES ('thinned.rows', 6), ('thinned.one_in', 4);"
                    "INSERT INTO thinned SELECT NULL, 'transfer', id, 0, 0, 0, 0, 2, 200, 100, 0, 0 FROM transfer_shape"
                    " WHERE direction = 4;"
                    "INSERT INTO thinned SELECT NULL, 'device_copy', id, 0, 0, 0, device, 2, 200, 0, 2,"
                    " CASE kind WHEN 2 THEN 14 ELSE 10 END FROM device_copy_shape WHERE dst_kind = 3;");
    const struct xs_summary *s = &c.summary;
    assert_int_equal(s->group_count, 2);
    assert_int_equal(s->groups[0].direction, XS_DIR_PEER);
    assert_int_equal(s->groups[0].totals.count, 3);
    assert_int_equal(s->groups[0].totals.timed_count, 3);
    assert_int_equal(s->groups[0].totals.timed_bytes, 300);
    assert_int_equal(s->groups[0].totals.device_ns, 7 + 5 + 24);
    assert_int_equal(s->groups[1].direction, XS_DIR_D2H);
    assert_int_equal(s->groups[1].totals.device_ns, 5);
    assert_int_equal(s->coverage.matched, 4);
    assert_int_equal(s->devices[0].copy_busy_ns, 7 + 5 + 14);
    assert_int_equal(s->devices[1].copy_busy_ns, 5 + 10);
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
        {"outside", "4 launches were counted and not recorded: outside of what XFERSPY_WINDOW asks for.", 4},
        {"newer_functions",
         "Functions of a newer driver: the program called 2 (cuNew, cuNew_ptsz) and looked up 1 more (cuOther). "
         "xferspy "
         "does not record these calls. Unless it knows that a function changes no device memory, it takes it that all "
         "of "
         "it may change at any time after the first call.",
         3}};
    struct case_ c;
    (void)state;
    load(&c, "INSERT INTO meta VALUES ('coverage.dropped', 5), ('coverage.nested', 1026), ('coverage.left', 1),"
             " ('skipped_events', 3), ('cupti.dropped_records', 9), ('option.stack', 'auto'),"
             " ('coverage.unknown_called', 'cuNew,cuNew_ptsz'), ('coverage.unknown_looked_up', 'cuOther'),"
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
        cmocka_unit_test(totals_by_kind),
        cmocka_unit_test(a_staged_copy_between_devices),
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
