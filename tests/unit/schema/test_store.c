/* Every kind of event and record arrives in its row, all columns of it; handles become rows once. */
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static struct xs_store *store;
static const char *path;

static int open_new(void **state) {
    if (make_scratch(state)) {
        return -1;
    }
    path = in_scratch("t.db");
    return xs_store_create(path, &store);
}

static int close_it(void **state) {
    xs_store_close(store);
    store = NULL;
    return delete_scratch(state);
}
#define WITH_STORE(test) cmocka_unit_test_setup_teardown(test, open_new, close_it)

static void put(const struct xs_event *event, uint32_t thread) {
    assert_int_equal(xs_store_event(store, event, thread, &plain_clock), 0);
}

static void expect(const char *sql, const char *rows) { assert_string_equal(rows_of_file(path, sql), rows); }

static struct xs_event event_of(enum xs_event_kind kind) {
    return (struct xs_event){.kind = (uint8_t)kind,
                             .flags = XS_FLAG_HAS_STREAM | XS_FLAG_ASYNC,
                             .entry = 7,
                             .result = 0,
                             .enter_tick = 1000,
                             .return_tick = 1500,
                             .context = 0xc1,
                             .stream = 0x51,
                             .correlation = 99};
}

static void transfer_round_trips(void **state) {
    (void)state;
    struct xs_event event = event_of(XS_EVENT_TRANSFER);
    event.flags |= XS_FLAG_CAPTURED | XS_FLAG_BATCH | XS_FLAG_BOX;
    event.result = 700;
    event.batch_index = 3;
    event.transfer = (struct xs_event_transfer){.dst = 0xffff000000000001,
                                                .src = 0x2000,
                                                .bytes = 6000,
                                                .dst_allocation = 11,
                                                .src_allocation = 12,
                                                .dst_kind = XS_MEM_DEVICE,
                                                .src_kind = XS_MEM_PINNED,
                                                .dst_device = 1,
                                                .src_device = 2,
                                                .direction = XS_DIR_H2D,
                                                .height = 10,
                                                .depth = 6,
                                                .dst_pitch = 512,
                                                .src_pitch = 256,
                                                .dst_slice_rows = 20,
                                                .src_slice_rows = 30};
    put(&event, 4);
    expect("SELECT * FROM transfer", "1|7|4|1|6000|8192|-281474976710655|2|4|2|1|12|11|1|1|1|1|700|1000|1500|99|3|"
                                     "100|10|6|256|512|30|20|NULL|0");
    event.fingerprint_id = 33;
    event.transfer.skip = XS_SKIP_OFF; /* means nothing beside a fingerprint */
    put(&event, 4);
    event.fingerprint_id = 0;
    put(&event, 4);
    event.transfer.skip = 255;
    put(&event, 4);
    expect("SELECT t.fingerprint, t.skip, s.name FROM transfer t LEFT JOIN fingerprint_skip s ON s.id = t.skip",
           "NULL|0|taken\n33|NULL|NULL\nNULL|1|fingerprints are off\nNULL|0|taken");
}

static void what_does_not_apply_is_null(void **state) {
    (void)state;
    struct xs_event event = event_of(XS_EVENT_TRANSFER);
    event.flags = 0;
    event.context = 0;
    event.correlation = 0;
    event.batch_index = 5;
    event.transfer =
        (struct xs_event_transfer){.bytes = 8, .dst_device = -1, .src_device = -1, .height = 2, .src_pitch = 3};
    put(&event, 1);
    expect("SELECT * FROM transfer", "1|7|1|0|8|0|0|0|0|NULL|NULL|NULL|NULL|NULL|NULL|0|0|0|1000|1500|NULL|NULL|NULL|"
                                     "NULL|NULL|NULL|NULL|NULL|NULL|NULL|0");
    event.kind = XS_EVENT_MEMSET;
    event.memset = (struct xs_event_memset){.bytes = 8, .element_bytes = 1, .device = -1, .height = 4};
    put(&event, 1);
    expect("SELECT * FROM memset", "1|7|1|0|8|0|1|0|NULL|NULL|NULL|NULL|0|0|0|1000|1500|NULL|NULL|NULL|NULL");
    expect("SELECT count(*) FROM context", "0");
    expect("SELECT count(*) FROM stream", "0");
}

static void a_box_without_extent_is_survived(void **state) {
    (void)state;
    struct xs_event event = event_of(XS_EVENT_TRANSFER);
    event.flags |= XS_FLAG_BOX;
    event.transfer.bytes = 64;
    put(&event, 1);
    event.transfer.height = UINT32_MAX;
    event.transfer.depth = UINT32_MAX;
    put(&event, 1);
    expect("SELECT width_bytes FROM transfer", "64\n0");
}

static void memset_round_trips(void **state) {
    (void)state;
    struct xs_event event = event_of(XS_EVENT_MEMSET);
    event.flags |= XS_FLAG_BOX;
    event.memset = (struct xs_event_memset){.address = 0x3000,
                                            .bytes = 400,
                                            .allocation = 5,
                                            .value = 0xdeadbeef,
                                            .height = 4,
                                            .pitch = 128,
                                            .element_bytes = 4,
                                            .kind = XS_MEM_DEVICE,
                                            .device = 3};
    put(&event, 2);
    expect("SELECT * FROM memset", "1|7|2|12288|400|3735928559|4|4|3|5|1|1|1|0|0|1000|1500|99|100|4|128");
}

static struct xs_event alloc_event(uint32_t id) {
    struct xs_event event = event_of(XS_EVENT_ALLOC);
    event.alloc = (struct xs_event_alloc){
        .address = 0x4000, .bytes = 4096, .id = id, .kind = XS_MEM_DEVICE, .origin = XS_ORIGIN_POOL, .device = 1};
    return event;
}

static struct xs_event free_event(uint32_t id) {
    struct xs_event event = event_of(XS_EVENT_FREE);
    event.entry = 8;
    event.stream = 0x52;
    event.enter_tick = 2000;
    event.return_tick = 2500;
    event.alloc.id = id;
    return event;
}

static void allocation_and_free_meet_in_either_order(void **state) {
    (void)state;
    struct xs_event a = alloc_event(41), f = free_event(41);
    put(&a, 1);
    expect("SELECT * FROM allocation", "41|7|1|16384|4096|4|2|1|1|1|1000|1500|NULL|NULL|NULL|NULL|NULL");
    put(&f, 2);
    expect("SELECT * FROM allocation", "41|7|1|16384|4096|4|2|1|1|1|1000|1500|8|2|2|2000|2500");
    a = alloc_event(42);
    f = free_event(42);
    put(&f, 2);
    expect("SELECT * FROM allocation WHERE id = 42", "42|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|8|2|2|"
                                                     "2000|2500");
    put(&a, 1);
    expect("SELECT * FROM allocation WHERE id = 42", "42|7|1|16384|4096|4|2|1|1|1|1000|1500|8|2|2|2000|2500");
}

static void an_implicit_free_keeps_its_entry_point(void **state) {
    (void)state;
    struct xs_event a = alloc_event(1), f = free_event(1);
    f.flags = XS_FLAG_IMPLICIT;
    f.entry = 77;
    put(&a, 1);
    put(&f, 1);
    expect("SELECT free_entry_point, free_stream FROM allocation", "77|NULL");
}

static void failed_allocations_and_frees_are_calls(void **state) {
    (void)state;
    struct xs_event a = alloc_event(0), f = free_event(9), unknown = free_event(0);
    a.result = 2;
    f.result = 1;
    f.alloc.address = 0x9000;
    unknown.alloc.address = 0xa000;
    put(&a, 1);
    put(&f, 1);
    put(&unknown, 1);
    a = alloc_event(10);
    a.result = 2;
    put(&a, 1);
    expect("SELECT count(*) FROM allocation", "0");
    expect("SELECT * FROM api_call", "1|7|1|0|16384|4096|NULL|1|1|0|2|1000|1500|99\n"
                                     "2|8|1|0|36864|0|NULL|1|2|0|1|2000|2500|99\n"
                                     "3|8|1|0|40960|0|NULL|1|2|0|0|2000|2500|99\n"
                                     "4|7|1|0|16384|4096|NULL|1|1|0|2|1000|1500|99");
}

static void launch_round_trips(void **state) {
    (void)state;
    struct xs_event event = event_of(XS_EVENT_LAUNCH);
    event.flags |= XS_FLAG_CAPTURED;
    event.launch = (struct xs_event_launch){
        .function = 0xf0, .grid = {1, 2, 3}, .block = {4, 5, 6}, .shared_bytes = 1024, .kind = XS_LAUNCH_COOPERATIVE};
    put(&event, 3);
    event.launch.kind = XS_LAUNCH_GRAPH;
    event.result = 1;
    event.flags = 0;
    event.argument_set = 5;
    put(&event, 3);
    expect("SELECT * FROM launch", "1|7|3|1|240|1|1|1|2|3|4|5|6|1024|1|0|1000|1500|99|NULL\n"
                                   "2|7|3|2|240|1|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|0|1|1000|1500|99|5");
}

static void fingerprints_round_trip(void **state) {
    (void)state;
    struct xs_event event = event_of(XS_EVENT_FINGERPRINT);
    event.fingerprint = (struct xs_event_fingerprint){.content = {1, 0xffffffffffffffff},
                                                      .before = {2, 0x8000000000000000},
                                                      .id = 7,
                                                      .leaves = 10,
                                                      .changed_leaves = 3,
                                                      .constant_value = 0xfffffffe,
                                                      .flags = XS_FINGERPRINT_BEFORE | XS_FINGERPRINT_CHANGED |
                                                               XS_FINGERPRINT_CONSTANT | XS_FINGERPRINT_DEVICE};
    put(&event, 1);
    event.fingerprint.id = 8;
    event.fingerprint.flags = 0;
    put(&event, 1);
    event.fingerprint.content[0] = 99; /* a second one of a number */
    put(&event, 1);
    expect("SELECT * FROM fingerprint", "7|1|-1|2|-9223372036854775808|10|3|4294967294|1\n"
                                        "8|1|-1|NULL|NULL|10|NULL|NULL|0");
    event.fingerprint.id = 0;
    assert_int_equal(xs_store_event(store, &event, 1, &plain_clock), XS_ERROR_INVALID);
    expect("SELECT count(*) FROM context", "0");
}

static void the_view_of_fingerprints_says_what_is_missing(void **state) {
    (void)state;
    struct xs_event event = transfer_event(1), content = event_of(XS_EVENT_FINGERPRINT);
    event.transfer.direction = XS_DIR_H2D;
    event.fingerprint_id = 1;
    put(&event, 1);
    event.fingerprint_id = 2;
    put(&event, 1);
    event.fingerprint_id = 0;
    event.transfer.skip = XS_SKIP_CAPTURE_ELSEWHERE;
    put(&event, 1);
    content.fingerprint = (struct xs_event_fingerprint){.content = {0xab, 0xfedcba9876543210}, .id = 1, .leaves = 1};
    put(&content, 1);
    expect("SELECT transfer, direction, bytes, content, before, leaves, taken_on, missing FROM fingerprints",
           "1|h2d|1|fedcba987654321000000000000000ab|NULL|1|host|NULL\n"
           "2|h2d|1|NULL|NULL|NULL|NULL|lost\n"
           "3|h2d|1|NULL|NULL|NULL|NULL|another thread's stream capture forbids it");
}

static void arguments_round_trip(void **state) {
    (void)state;
    struct xs_event event = event_of(XS_EVENT_ARGUMENTS);
    event.arguments = (struct xs_event_arguments){.set = 3, .count = 2, .allocations = {40, 41, 42}};
    put(&event, 1);
    event.arguments = (struct xs_event_arguments){.set = 4};
    put(&event, 1);
    event.arguments.set = 5;
    event.arguments.count = XS_ARGUMENTS_EVENT_COUNT;
    put(&event, 1); /* the first part of a larger set, and the rest of it */
    event.arguments.count = 1;
    event.arguments.allocations[0] = 99;
    put(&event, 1);
    expect("SELECT * FROM argument_set", "3\n4\n5");
    expect("SELECT * FROM argument WHERE argument_set < 5", "3|40\n3|41");
    expect("SELECT count(*), max(allocation) FROM argument WHERE argument_set = 5", "15|99");
    event.arguments.count = XS_ARGUMENTS_EVENT_COUNT + 1;
    assert_int_equal(xs_store_event(store, &event, 1, &plain_clock), XS_ERROR_INVALID);
    event.arguments.count = 1;
    event.arguments.set = 0;
    assert_int_equal(xs_store_event(store, &event, 1, &plain_clock), XS_ERROR_INVALID);
    expect("SELECT count(*) FROM argument", "17");
}

static void sync_and_api_round_trip(void **state) {
    (void)state;
    struct xs_event event = event_of(XS_EVENT_SYNC);
    event.result = 600;
    event.sync = (struct xs_event_sync){.object = 0xe0, .scope = XS_SYNC_EVENT};
    put(&event, 5);
    expect("SELECT * FROM sync", "1|7|5|2|224|1|1|600|1000|1500");
    event = event_of(XS_EVENT_API);
    event.flags |= XS_FLAG_CAPTURED;
    event.result = -1;
    event.api = (struct xs_event_api){.object = 1, .address = 2, .bytes = 3, .argument = 4};
    put(&event, 5);
    expect("SELECT * FROM api_call", "1|7|5|1|2|3|4|1|1|1|-1|1000|1500|99");
}

static void kinds_without_a_name_become_unknown(void **state) {
    (void)state;
    struct xs_event event = event_of(XS_EVENT_TRANSFER);
    event.transfer.direction = 6;
    event.transfer.dst_kind = 255;
    event.transfer.src_kind = XS_MEM_MANAGED;
    put(&event, 1);
    expect("SELECT direction, src_kind, dst_kind FROM transfer", "0|6|0");
    event.kind = 0;
    assert_int_equal(xs_store_event(store, &event, 1, &plain_clock), XS_ERROR_INVALID);
    event.kind = XS_EVENT_ARGUMENTS + 1;
    assert_int_equal(xs_store_event(store, &event, 1, &plain_clock), XS_ERROR_INVALID);
}

static void put_on(uint64_t context, uint64_t stream, unsigned flags, uint32_t thread) {
    struct xs_event event = event_of(XS_EVENT_SYNC);
    event.context = context;
    event.stream = stream;
    event.flags = (uint8_t)flags;
    put(&event, thread);
}

static void handles_become_rows_once(void **state) {
    (void)state;
    put_on(0xa, 0, XS_FLAG_HAS_STREAM, 1);                      /* stream 1: the legacy default stream of context 1 */
    put_on(0xa, 1, XS_FLAG_HAS_STREAM, 2);                      /* CU_STREAM_LEGACY: the same */
    put_on(0xa, 0, XS_FLAG_HAS_STREAM | XS_FLAG_PER_THREAD, 1); /* 2: thread 1's */
    put_on(0xa, 2, XS_FLAG_HAS_STREAM, 1);                      /* CU_STREAM_PER_THREAD: the same */
    put_on(0xa, 0, XS_FLAG_HAS_STREAM | XS_FLAG_PER_THREAD, 2); /* 3: thread 2's */
    put_on(0xb, 0, XS_FLAG_HAS_STREAM, 1);                      /* 4: context 2's */
    put_on(0xa, 0x99, XS_FLAG_HAS_STREAM, 1);                   /* 5 */
    put_on(0xa, 0x99, XS_FLAG_HAS_STREAM, 2);                   /* the same from another thread */
    put_on(0, 0x99, XS_FLAG_HAS_STREAM, 1);                     /* 6: of no known context */
    put_on(0xa, 0x99, 0, 1);                                    /* none */
    expect("SELECT context, stream FROM sync", "1|1\n1|1\n1|2\n1|2\n1|3\n2|4\n1|5\n1|5\nNULL|6\n1|NULL");
    expect("SELECT * FROM context", "1|10|NULL\n2|11|NULL");
    expect("SELECT * FROM stream", "1|0|1|NULL\n2|2|1|1\n3|2|1|2\n4|0|2|NULL\n5|153|1|NULL\n6|153|NULL|NULL");
    assert_int_equal(xs_store_context(store, 0xb, 1), 0);
    assert_int_equal(xs_store_context(store, 0xc, 0), 0);
    assert_int_equal(xs_store_context(store, 0, 0), 0);
    expect("SELECT * FROM context", "1|10|NULL\n2|11|1\n3|12|0");
}

static void kernel_named(const char *name) {
    struct xs_device_kernel kernel = {.name = name, .device = -1};
    assert_int_equal(xs_store_device_kernel(store, &kernel), 0);
}

static void reopening_knows_what_was_interned(void **state) {
    (void)state;
    put_on(0xa, 0x99, XS_FLAG_HAS_STREAM, 1);
    put_on(0xa, 2, XS_FLAG_HAS_STREAM, 1);
    kernel_named("k1");
    assert_int_equal(xs_store_close(store), 0);
    assert_int_equal(xs_store_open(path, &store), 0);
    put_on(0xa, 0x99, XS_FLAG_HAS_STREAM, 1);
    put_on(0xa, 2, XS_FLAG_HAS_STREAM, 1);
    kernel_named("k1");
    kernel_named("k2");
    expect("SELECT context, stream FROM sync", "1|1\n1|2\n1|1\n1|2");
    expect("SELECT name FROM device_kernel", "1\n1\n2");
    expect("SELECT * FROM kernel_name", "1|k1\n2|k2");
}

/* Regression guard: a context first seen in a batch that is rolled back must be written again. */
static void a_rollback_forgets_what_it_interned(void **state) {
    (void)state;
    assert_int_equal(xs_store_begin(store), 0);
    put_on(0xa, 0x99, XS_FLAG_HAS_STREAM, 1);
    kernel_named("k");
    assert_int_equal(xs_store_thread(store, 1, 10, "one"), 0);
    xs_store_rollback(store);
    put_on(0xb, 0x98, XS_FLAG_HAS_STREAM, 1);
    put_on(0xa, 0x99, XS_FLAG_HAS_STREAM, 1);
    kernel_named("k");
    assert_int_equal(xs_store_thread(store, 1, 10, "one"), 0);
    expect("SELECT s.context, c.handle, t.handle FROM sync s JOIN context c ON c.id = s.context"
           " JOIN stream t ON t.id = s.stream",
           "1|11|152\n2|10|153");
    expect("SELECT name FROM kernel_name", "k");
    expect("SELECT * FROM thread", "1|10|one");
}

static void device_records_round_trip(void **state) {
    (void)state;
    struct xs_device_copy copy = {.correlation = 5,
                                  .copies = 2,
                                  .kind = 1,
                                  .src_kind = 2,
                                  .dst_kind = 3,
                                  .is_async = 1,
                                  .device = 0,
                                  .src_device = -1,
                                  .dst_device = 1,
                                  .context = 1,
                                  .stream = 7,
                                  .graph = 4,
                                  .bytes = 4096,
                                  .graph_node = 0xffffffffff,
                                  .start_ns = 10,
                                  .end_ns = 20};
    assert_int_equal(xs_store_device_copy(store, &copy), 0);
    copy = (struct xs_device_copy){.correlation = 6,
                                   .copies = 1,
                                   .kind = 200,
                                   .device = -1,
                                   .src_device = -1,
                                   .dst_device = -1,
                                   .context = UINT32_MAX,
                                   .stream = UINT32_MAX,
                                   .graph = 9};
    assert_int_equal(xs_store_device_copy(store, &copy), 0);
    expect("SELECT * FROM device_copy", "1|5|1|2|3|4096|10|20|0|NULL|1|1|7|1|2|4|1099511627775\n"
                                        "2|6|0|0|0|0|NULL|NULL|NULL|NULL|NULL|NULL|NULL|0|1|NULL|NULL");
    struct xs_device_memset set = {.correlation = 7,
                                   .value = 0xff,
                                   .memory_kind = 3,
                                   .device = 2,
                                   .context = 1,
                                   .stream = 7,
                                   .graph = 3,
                                   .bytes = 64,
                                   .graph_node = 12,
                                   .start_ns = 30,
                                   .end_ns = 40};
    assert_int_equal(xs_store_device_memset(store, &set), 0);
    expect("SELECT * FROM device_memset", "1|7|255|64|3|30|40|2|1|7|3|12");
    struct xs_device_kernel kernel = {.correlation = 8,
                                      .name = "_Z3addPf",
                                      .device = 0,
                                      .context = 1,
                                      .stream = 7,
                                      .grid = {1, 2, 3},
                                      .block = {4, 5, 6},
                                      .start_ns = 50,
                                      .end_ns = 60};
    assert_int_equal(xs_store_device_kernel(store, &kernel), 0);
    assert_int_equal(xs_store_device_kernel(store, &kernel), 0);
    expect("SELECT * FROM device_kernel", "1|8|1|50|60|0|1|7|1|2|3|4|5|6|NULL|NULL\n"
                                          "2|8|1|50|60|0|1|7|1|2|3|4|5|6|NULL|NULL");
    expect("SELECT * FROM kernel_name", "1|_Z3addPf");
    struct xs_device_sync sync = {
        .correlation = 9, .kind = 2, .context = 1, .stream = UINT32_MAX, .event = 3, .start_ns = 70, .end_ns = 80};
    assert_int_equal(xs_store_device_sync(store, &sync), 0);
    expect("SELECT * FROM device_sync", "1|9|2|70|80|1|NULL|3");
    struct xs_device_migration migration = {.kind = 1,
                                            .address = 0x1000,
                                            .bytes = 65536,
                                            .src_device = -1,
                                            .dst_device = 0,
                                            .stream = 7,
                                            .process = 123,
                                            .start_ns = 90,
                                            .end_ns = 95};
    assert_int_equal(xs_store_device_migration(store, &migration), 0);
    expect("SELECT * FROM device_migration", "1|1|4096|65536|90|95|NULL|0|7|123");
}

static void the_small_tables_round_trip(void **state) {
    (void)state;
    struct xs_device_row device = {.id = 1,
                                   .name = "GPU",
                                   .uuid = "u",
                                   .pci_bus_id = "p",
                                   .compute_capability = "9.0",
                                   .memory_bytes = INT64_C(80) << 30,
                                   .link_generation = 5,
                                   .link_width = 16,
                                   .link_peak_bytes_per_s = 63000000000,
                                   .simulated = 1};
    assert_int_equal(xs_store_device(store, &device), 0);
    device = (struct xs_device_row){.id = 2};
    assert_int_equal(xs_store_device(store, &device), 0);
    expect("SELECT * FROM device", "1|GPU|u|p|9.0|85899345920|5|16|63000000000|1\n"
                                   "2|NULL|NULL|NULL|NULL|0|NULL|NULL|NULL|0");
    assert_int_equal(xs_store_entry_point(store, 7, "cuMemFree_v2", XS_CAT_FREE), 0);
    expect("SELECT * FROM entry_point", "7|cuMemFree_v2|3");
    assert_int_equal(xs_store_thread(store, 3, 1234, "python"), 0);
    assert_int_equal(xs_store_thread(store, 3, 1234, "worker"), 0);
    assert_int_equal(xs_store_thread(store, 4, 1235, NULL), 0);
    expect("SELECT * FROM thread", "3|1234|worker\n4|1235|NULL");
    assert_int_equal(xs_store_note(store, 55, "cupti", "not found"), 0);
    expect("SELECT * FROM note", "1|55|cupti|not found");
    assert_int_equal(xs_store_meta_text(store, "host", "h"), 0);
    assert_int_equal(xs_store_meta_text(store, "gone", "x"), 0);
    assert_int_equal(xs_store_meta_text(store, "gone", NULL), 0);
    assert_int_equal(xs_store_meta_int(store, "n", INT64_MIN), 0);
    expect("SELECT * FROM meta WHERE key IN ('host', 'gone', 'n')", "host|h\nn|-9223372036854775808");
    expect("SELECT * FROM meta WHERE key IN ('schema_version', 'status')", "schema_version|2\nstatus|running");
    uint32_t generation = 1, drained = 1;
    assert_int_equal(xs_store_progress_get(store, 3, &generation, &drained), 0);
    assert_int_equal(generation + drained, 0);
    assert_int_equal(xs_store_progress_set(store, 3, UINT32_MAX, 128), 0);
    assert_int_equal(xs_store_progress_get(store, 3, &generation, &drained), 0);
    assert_int_equal(generation, UINT32_MAX);
    assert_int_equal(drained, 128);
    assert_int_equal(xs_store_finish(store, XS_STATUS_COMPLETE), 0);
    expect("SELECT count(*) FROM spool_progress", "0");
    expect("SELECT value FROM meta WHERE key = 'status'", "complete");
}

static void lookups_name_every_kind(void **state) {
    (void)state;
    expect("SELECT group_concat(name) FROM direction", "unknown,h2d,d2h,d2d,peer,h2h");
    expect("SELECT name FROM memory_kind WHERE id = 6", "managed");
    expect("SELECT name FROM category WHERE id = 12", "lookup");
    expect("SELECT name FROM migration_kind WHERE id = 8", "d2d");
    expect("SELECT name FROM fingerprint_skip WHERE id = 5", "another thread's stream capture forbids it");
    expect("SELECT (SELECT count(*) FROM origin), (SELECT count(*) FROM launch_kind), (SELECT count(*) FROM"
           " sync_scope), (SELECT count(*) FROM copy_kind) > 8, (SELECT count(*) FROM device_memory_kind)",
           "7|4|3|1|8");
}

static void every_view_can_be_read(void **state) {
    (void)state;
    struct xs_event event = transfer_event(1);
    assert_int_equal(xs_store_entry_point(store, 1, "cuMemcpyHtoD_v2", XS_CAT_TRANSFER), 0);
    assert_int_equal(xs_store_thread(store, 1, 10, "t"), 0);
    put(&event, 1);
    static const char *const views[] = {"device_copy_by_call",
                                        "transfers",
                                        "allocations",
                                        "memsets",
                                        "kernels",
                                        "syncs",
                                        "fingerprints",
                                        "summary_by_direction",
                                        "summary_by_entry_point",
                                        "summary_by_kernel",
                                        "graph_copies"};
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        char sql[100];
        snprintf(sql, sizeof sql, "SELECT count(*) >= 0 FROM %s", views[i]);
        expect(sql, "1");
    }
    expect("SELECT entry_point, direction, bytes, host_ns FROM transfers", "cuMemcpyHtoD_v2|unknown|1|5");
}

static void the_file_names_itself_before_it_is_closed(void **state) {
    (void)state;
    size_t bytes;
    unsigned char *data = read_all(path, &bytes);
    assert_memory_equal(data, "SQLite format 3", 16);
    assert_memory_equal(data + 68, "xfsp", 4);
    assert_memory_equal(data + 60, "\0\0\0\2", 4);
    free(data);
    assert_int_equal(xs_store_meta_int(store, "n", 1), 0);
    assert_true(exists(in_scratch("t.db-wal")));
    expect("PRAGMA journal_mode", "wal");
    xs_store_close(store);
    store = NULL;
    assert_false(exists(in_scratch("t.db-wal")));
    assert_false(exists(in_scratch("t.db-shm")));
    expect("PRAGMA journal_mode", "delete");
    expect("PRAGMA integrity_check", "ok");
}

static void creating_twice_fails_and_harms_nothing(void **state) {
    (void)state;
    struct xs_store *second;
    errno = 0;
    assert_int_equal(xs_store_create(path, &second), XS_ERROR_SYSTEM);
    assert_int_equal(errno, EEXIST);
    assert_null(second);
    assert_int_equal(xs_store_create(in_scratch("no/such/folder.db"), &second), XS_ERROR_SYSTEM);
    assert_int_equal(errno, ENOENT);
    put_on(0xa, 1, XS_FLAG_HAS_STREAM, 1);
}

/* Debian's SQLite takes such names for URIs unless told otherwise. */
static void a_name_like_a_uri_is_a_name(void **state) {
    (void)state;
    char before[4096];
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(scratch), 0);
    struct xs_store *odd;
    struct xs_trace trace;
    char message[XS_TRACE_MESSAGE_BYTES];
    assert_int_equal(xs_store_create("file:x?mode=memory", &odd), 0);
    assert_int_equal(xs_store_close(odd), 0);
    assert_true(exists("file:x?mode=memory"));
    assert_int_equal(xs_trace_open("file:x?mode=memory", &trace, message), 0);
    xs_trace_close(&trace);
    assert_int_equal(chdir(before), 0);
}

static void errors_have_texts(void **state) {
    (void)state;
    assert_string_equal(xs_error_text(XS_ERROR_FULL), "no space left");
    assert_string_equal(xs_error_text(XS_OK), "success");
    assert_string_equal(xs_error_text(-1000), "unknown error");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_STORE(transfer_round_trips),
        WITH_STORE(what_does_not_apply_is_null),
        WITH_STORE(a_box_without_extent_is_survived),
        WITH_STORE(memset_round_trips),
        WITH_STORE(allocation_and_free_meet_in_either_order),
        WITH_STORE(an_implicit_free_keeps_its_entry_point),
        WITH_STORE(failed_allocations_and_frees_are_calls),
        WITH_STORE(launch_round_trips),
        WITH_STORE(fingerprints_round_trip),
        WITH_STORE(the_view_of_fingerprints_says_what_is_missing),
        WITH_STORE(arguments_round_trip),
        WITH_STORE(sync_and_api_round_trip),
        WITH_STORE(kinds_without_a_name_become_unknown),
        WITH_STORE(handles_become_rows_once),
        WITH_STORE(reopening_knows_what_was_interned),
        WITH_STORE(a_rollback_forgets_what_it_interned),
        WITH_STORE(device_records_round_trip),
        WITH_STORE(the_small_tables_round_trip),
        WITH_STORE(lookups_name_every_kind),
        WITH_STORE(every_view_can_be_read),
        WITH_STORE(the_file_names_itself_before_it_is_closed),
        WITH_STORE(creating_twice_fails_and_harms_nothing),
        WITH_STORE(a_name_like_a_uri_is_a_name),
        cmocka_unit_test(errors_have_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
