/* Tests that values which calls have in common are stored once, and that the views show every call with all values. */
#include "store_unit.h"

static struct xs_event upload(uint64_t bytes, uint64_t to) {
    struct xs_event event = event_of(XS_EVENT_TRANSFER);
    event.transfer = (struct xs_event_transfer){.dst = to,
                                                .src = 0x2000,
                                                .bytes = bytes,
                                                .dst_allocation = 5,
                                                .dst_kind = XS_MEM_DEVICE,
                                                .src_kind = XS_MEM_PINNED,
                                                .src_device = -1,
                                                .direction = XS_DIR_H2D};
    return event;
}

static void equal_calls_share_a_shape(void **state) {
    (void)state;
    struct xs_event event = upload(4096, 0x7000);
    for (int i = 0; i < 20; i++) {
        event.enter_tick += 1000;
        event.return_tick += 1000;
        event.correlation++;
        put(&event, 1);
    }
    /* the first one does not know that more will come: one shape without what is in its row, one with */
    expect("SELECT count(*) FROM transfer_shape", "2");
    expect("SELECT count(*), count(bytes), count(dst_address), count(return_ns) FROM transfer_row", "20|1|1|0");
    expect("SELECT DISTINCT bytes, src_address, dst_address, src_allocation, dst_allocation, return_ns - enter_ns"
           " FROM transfer",
           "4096|8192|28672|NULL|5|500");
}

static void what_never_repeats_is_in_the_row(void **state) {
    (void)state;
    for (unsigned i = 0; i < 100; i++) {
        struct xs_event event = upload(100 + i, 0x7000 + i);
        put(&event, 1);
    }
    expect("SELECT count(*), count(bytes) FROM transfer_shape", "1|0");
    expect("SELECT count(*), sum(bytes), count(DISTINCT dst_address) FROM transfer", "100|14950|100");
}

static void more_shapes_than_are_remembered(void **state) {
    (void)state;
    enum { SHAPES = 40000 };
    assert_int_equal(xs_store_begin(store), 0);
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < SHAPES; i++) {
            struct xs_event event = upload(4096, 0x7000);
            event.stack = i + 1;
            put(&event, 1);
        }
    }
    assert_int_equal(xs_store_commit(store), 0);
    expect("SELECT count(*), count(DISTINCT stack), min(stack), max(stack), sum(bytes) FROM transfer",
           "80000|40000|1|40000|327680000");
}

static void a_rollback_takes_shapes_back(void **state) {
    (void)state;
    struct xs_event event = upload(4096, 0x7000);
    assert_int_equal(xs_store_begin(store), 0);
    put(&event, 1);
    put(&event, 1);
    xs_store_rollback(store);
    struct xs_event other = upload(8192, 0x9000); /* would get their numbers */
    put(&other, 2);
    put(&event, 1);
    put(&event, 1);
    expect("SELECT thread, bytes, dst_address FROM transfer", "2|8192|36864\n1|4096|28672\n1|4096|28672");
}

static void a_return_before_the_call_stays(void **state) {
    (void)state;
    struct xs_event event = upload(1, 2);
    event.return_tick = event.enter_tick - 10;
    put(&event, 1);
    expect("SELECT enter_ns, return_ns FROM transfer", "1000|990");
    expect("SELECT host_ns, return_ns FROM transfer_row", "NULL|990");
}

static void device_rows_have_shapes(void **state) {
    (void)state;
    struct xs_device_copy copy = {
        .correlation = 7, .copies = 1, .kind = 1, .bytes = 64, .start_ns = 100, .end_ns = 130};
    struct xs_device_kernel kernel = {.correlation = 8, .name = "k", .start_ns = 200, .end_ns = 250};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(xs_store_device_copy(store, &copy), 0);
        assert_int_equal(xs_store_device_kernel(store, &kernel), 0);
    }
    copy.start_ns = copy.end_ns = 0;
    assert_int_equal(xs_store_device_copy(store, &copy), 0);
    copy.start_ns = 9;
    copy.end_ns = 4;
    assert_int_equal(xs_store_device_copy(store, &copy), 0);
    expect("SELECT bytes, start_ns, end_ns FROM device_copy",
           "64|100|130\n64|100|130\n64|100|130\n64|NULL|NULL\n64|9|4");
    expect("SELECT DISTINCT start_ns, end_ns, correlation FROM device_kernel", "200|250|8");
    expect("SELECT (SELECT count(*) FROM device_copy_shape), (SELECT count(*) FROM device_kernel_shape)", "2|1");
}

static void views_can_be_written(void **state) {
    (void)state;
    struct xs_event event = upload(4096, 0x7000);
    put(&event, 1);
    put(&event, 1);
    xs_store_close(store);
    store = NULL;
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(store_path, &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(db,
                     "UPDATE transfer SET bytes = 'x', return_ns = NULL WHERE id = 1;"
                     "INSERT INTO transfer (entry_point, bytes, enter_ns, return_ns) VALUES (3, 9, 10, 12);"
                     "INSERT INTO launch (id, enter_ns, arguments) VALUES (40, 5, 6);"
                     "INSERT INTO device_copy (correlation, bytes, start_ns, end_ns) VALUES (1, 2, 3, 4);"
                     "INSERT INTO device_kernel (correlation, name) VALUES (1, 2);"
                     "DELETE FROM transfer WHERE id = 2",
                     NULL, NULL, NULL),
        SQLITE_OK);
    sqlite3_close(db);
    expect("SELECT id, entry_point, bytes, enter_ns, return_ns FROM transfer", "1|7|x|1000|NULL\n3|3|9|10|12");
    expect("SELECT id, enter_ns, return_ns, arguments FROM launch", "40|5|NULL|6");
    expect("SELECT bytes, start_ns, end_ns FROM device_copy", "2|3|4");
    expect("SELECT correlation, name, end_ns FROM device_kernel", "1|2|NULL");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_STORE(equal_calls_share_a_shape),
        WITH_STORE(what_never_repeats_is_in_the_row),
        WITH_STORE(more_shapes_than_are_remembered),
        WITH_STORE(a_rollback_takes_shapes_back),
        WITH_STORE(a_return_before_the_call_stays),
        WITH_STORE(device_rows_have_shapes),
        WITH_STORE(views_can_be_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
