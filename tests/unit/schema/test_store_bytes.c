/* Tests how many bytes a call takes in the trace. A program copies between 16 buffers and launches 8 kernels again and
 * again, at irregular times, as a program with a loop does. */
#include <sqlite3.h>

#include "store_unit.h"

enum { CALLS = 50000, BUFFERS = 16, KERNELS = 8 };

static uint64_t tick = 1000000;
static uint32_t correlation = 1000000; /* as in the middle of a long run */
static uint64_t chance = UINT64_C(88172645463325252);

static uint64_t below(uint64_t limit) {
    chance ^= chance << 13;
    chance ^= chance >> 7;
    chance ^= chance << 17;
    return chance % limit;
}

static void call(struct xs_event *event) {
    event->enter_tick = tick += 3000 + below(20000);
    event->return_tick = event->enter_tick + 1000 + below(9000);
    event->correlation = ++correlation;
}

static void put_upload(bool with_record, uint32_t fingerprint) {
    struct xs_event event = event_of(XS_EVENT_TRANSFER);
    uint64_t buffer = below(BUFFERS);
    event.transfer = (struct xs_event_transfer){.dst = 0x7f0000000000 + (buffer << 24),
                                                .src = 0x560000000000 + (buffer << 24),
                                                .bytes = UINT64_C(4096) << (buffer % 8),
                                                .dst_allocation = (uint32_t)buffer + 1,
                                                .dst_kind = XS_MEM_DEVICE,
                                                .src_kind = XS_MEM_PINNED,
                                                .src_device = -1,
                                                .direction = XS_DIR_H2D,
                                                .skip = fingerprint ? 0 : 1};
    event.stack = (uint32_t)buffer + 1;
    event.fingerprint_id = fingerprint;
    call(&event);
    put(&event, 1);
    if (with_record) {
        struct xs_device_copy copy = {.correlation = correlation,
                                      .copies = 1,
                                      .kind = 1,
                                      .bytes = event.transfer.bytes,
                                      .start_ns = (int64_t)tick + 2000,
                                      .end_ns = (int64_t)(tick + 4000 + below(90000))};
        assert_int_equal(xs_store_device_copy(store, &copy), 0);
    }
    if (fingerprint) {
        const struct xs_event_fingerprint content = {.content = {below(UINT64_MAX), below(UINT64_MAX)},
                                                     .before = {below(UINT64_MAX), below(UINT64_MAX)},
                                                     .id = fingerprint,
                                                     .leaves = 1u << (buffer % 8),
                                                     .changed_leaves = 1,
                                                     .flags = XS_FINGERPRINT_BEFORE | XS_FINGERPRINT_CHANGED};
        assert_int_equal(xs_store_fingerprint(store, &content), 0);
    }
}

static void put_launch(bool with_record) {
    static const char *const names[KERNELS] = {"gemm", "add", "mul", "relu", "softmax", "norm", "copy", "sum"};
    struct xs_event event = event_of(XS_EVENT_LAUNCH);
    uint64_t kernel = below(KERNELS);
    event.launch = (struct xs_event_launch){
        .function = 0x550000000000 + kernel * 512, .grid = {64 + (uint32_t)kernel, 1, 1}, .block = {256, 1, 1}};
    call(&event);
    put(&event, 1);
    if (with_record) {
        struct xs_device_kernel record = {.correlation = correlation,
                                          .name = names[kernel],
                                          .start_ns = (int64_t)tick + 2000,
                                          .end_ns = (int64_t)(tick + 4000 + below(90000)),
                                          .grid = {64 + (int32_t)kernel, 1, 1},
                                          .block = {256, 1, 1}};
        assert_int_equal(xs_store_device_kernel(store, &record), 0);
    }
}

/* Returns the file's size as another process sees it. */
static int64_t file_bytes(void) {
    sqlite3 *db;
    sqlite3_stmt *statement;
    assert_int_equal(sqlite3_open_v2(store_path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size",
                                        -1, &statement, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    int64_t bytes = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return bytes;
}

enum what { UPLOADS, UPLOADS_WITH_CONTENTS, LAUNCHES, LAUNCHES_WITH_KERNELS };

/* Requires this number of bytes for each call, including the tables' pages. */
static double bytes_a_call(enum what what) {
    int64_t before = file_bytes();
    assert_int_equal(xs_store_begin(store), 0);
    for (uint32_t i = 0; i < CALLS; i++)
        if (what == UPLOADS || what == UPLOADS_WITH_CONTENTS)
            put_upload(true, what == UPLOADS_WITH_CONTENTS ? i + 1 : 0);
        else
            put_launch(what == LAUNCHES_WITH_KERNELS);
    assert_int_equal(xs_store_commit(store), 0);
    assert_true(file_bytes() > before);
    double bytes = (double)(file_bytes() - before) / CALLS;
    print_message("%.1f bytes\n", bytes);
    return bytes;
}

static void a_transfer_with_its_record(void **state) {
    (void)state;
    assert_true(bytes_a_call(UPLOADS) <= 64);
    expect("SELECT count(*), (SELECT count(*) FROM device_copy) FROM transfer", "50000|50000");
}

static void a_transfer_with_its_content(void **state) {
    (void)state;
    assert_true(bytes_a_call(UPLOADS_WITH_CONTENTS) <= 112);
    expect("SELECT count(*), count(fingerprint) FROM transfer", "50000|50000");
}

static void a_launch(void **state) {
    (void)state;
    assert_true(bytes_a_call(LAUNCHES) <= 40);
    expect("SELECT count(*) FROM launch", "50000");
}

static void a_launch_with_its_kernel(void **state) {
    (void)state;
    assert_true(bytes_a_call(LAUNCHES_WITH_KERNELS) <= 56);
    expect("SELECT count(*), (SELECT count(*) FROM device_kernel) FROM launch", "50000|50000");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_STORE(a_transfer_with_its_record),
        WITH_STORE(a_transfer_with_its_content),
        WITH_STORE(a_launch),
        WITH_STORE(a_launch_with_its_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
