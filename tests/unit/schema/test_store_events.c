/* Tests that every kind of event arrives in its row, with all columns. */
#include "store_unit.h"

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
    expect("SELECT * FROM transfer", "1|7|4|1|6000|8192|-281474976710655|2|4|2|1|12|11|1|1|1|1|700|100|10|6|256|512|30|"
                                     "20|0|61|62|1000|1500|99|NULL|3|NULL");
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
    event.stack = event.range = 0;
    event.transfer =
        (struct xs_event_transfer){.bytes = 8, .dst_device = -1, .src_device = -1, .height = 2, .src_pitch = 3};
    put(&event, 1);
    expect("SELECT * FROM transfer", "1|7|1|0|8|0|0|0|0|NULL|NULL|NULL|NULL|NULL|NULL|0|0|0|NULL|NULL|NULL|NULL|NULL|"
                                     "NULL|NULL|0|NULL|NULL|1000|1500|NULL|NULL|NULL|NULL");
    event.kind = XS_EVENT_MEMSET;
    event.memset = (struct xs_event_memset){.bytes = 8, .element_bytes = 1, .device = -1, .height = 4};
    put(&event, 1);
    expect("SELECT * FROM memset", "1|7|1|0|8|0|1|0|NULL|NULL|NULL|NULL|0|0|0|1000|1500|NULL|NULL|NULL|NULL|NULL|NULL");
    expect("SELECT count(*) FROM context", "0");
    expect("SELECT count(*) FROM stream", "0");
}

static void a_watched_download_names_its_watch(void **state) {
    (void)state;
    struct xs_event event = event_of(XS_EVENT_TRANSFER);
    event.flags = XS_FLAG_WATCHED;
    event.transfer = (struct xs_event_transfer){.bytes = 8, .direction = XS_DIR_D2H, .host_read = 6};
    put(&event, 1);
    event.flags |= XS_FLAG_BOX; /* in its place is the height */
    put(&event, 1);
    expect("SELECT host_read, height FROM transfer", "6|NULL\nNULL|6");
    struct xs_host_read read = {
        .id = 6, .watched_bytes = 8192, .read_bytes = 4096, .pieces = 2, .read_pieces = 2, .edge_read_bytes = 4096};
    assert_int_equal(xs_store_host_read(store, &read), 0);
    read.id = 7;
    read.doubt = XS_HOST_READS_SHARED;
    assert_int_equal(xs_store_host_read(store, &read), 0);
    assert_int_equal(xs_store_host_read(store, &(struct xs_host_read){.id = 8, .doubt = XS_HOST_READS_SMALL}), 0);
    expect("SELECT * FROM host_read",
           "6|8192|4096|2|2|NULL|4096\n7|8192|NULL|NULL|NULL|3|NULL\n8|NULL|NULL|NULL|NULL|1|NULL");
    expect("SELECT name FROM host_read_doubt WHERE id = 3", "another process may have read it");
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
    expect("SELECT * FROM memset", "1|7|2|12288|400|3735928559|4|4|3|5|1|1|1|0|0|1000|1500|99|100|4|128|61|62");
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
    event.stack = 63;
    event.range = 64;
    event.alloc.id = id;
    return event;
}

static void allocation_and_free_meet_in_either_order(void **state) {
    (void)state;
    struct xs_event a = alloc_event(41), f = free_event(41);
    put(&a, 1);
    expect("SELECT * FROM allocation",
           "41|7|1|16384|4096|4|2|1|1|1|1000|1500|NULL|NULL|NULL|NULL|NULL|61|62|NULL|NULL");
    put(&f, 2);
    expect("SELECT * FROM allocation", "41|7|1|16384|4096|4|2|1|1|1|1000|1500|8|2|2|2000|2500|61|62|63|64");
    a = alloc_event(42);
    f = free_event(42);
    put(&f, 2);
    expect("SELECT * FROM allocation WHERE id = 42", "42|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|8|2|2|"
                                                     "2000|2500|NULL|NULL|63|64");
    put(&a, 1);
    expect("SELECT * FROM allocation WHERE id = 42",
           "42|7|1|16384|4096|4|2|1|1|1|1000|1500|8|2|2|2000|2500|61|62|63|64");
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
    event.stack = 0;
    put(&event, 3);
    expect("SELECT * FROM launch", "1|7|3|1|240|1|1|1|2|3|4|5|6|1024|1|0|NULL|1000|1500|99|61\n"
                                   "2|7|3|2|240|1|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|0|1|5|1000|1500|99|NULL");
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
    expect("SELECT * FROM sync", "1|7|5|2|224|1|1|600|1000|1500|61|62");
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

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_STORE(transfer_round_trips),
        WITH_STORE(what_does_not_apply_is_null),
        WITH_STORE(a_watched_download_names_its_watch),
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
