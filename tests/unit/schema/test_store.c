/* The store but for its events: handles become rows once, device records and the small tables arrive in theirs, the
 * file is a sound one from its first moment on. */
#include "store_unit.h"

#include <errno.h>
#include <unistd.h>

#include "schema/safe_open/side_files.h"

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
    put_on(0xa, 0x99, XS_FLAG_HAS_STREAM, 2);                   /* the same stream handle in another thread */
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
    assert_int_equal(xs_store_open(store_path, &store), 0);
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
    expect("SELECT * FROM device_copy", "1|1|2|3|4096|0|NULL|1|1|7|1|2|4|1099511627775|5|10|20\n"
                                        "2|0|0|0|0|NULL|NULL|NULL|NULL|NULL|0|1|NULL|NULL|6|NULL|NULL");
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
    expect("SELECT * FROM device_kernel", "1|1|0|1|7|1|2|3|4|5|6|NULL|NULL|8|50|60\n"
                                          "2|1|0|1|7|1|2|3|4|5|6|NULL|NULL|8|50|60");
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
    for (unsigned i = 0; i < XS_SLEEPS; i++)
        assert_int_equal(xs_store_host_sample(store, &(struct xs_host_sample){3, 6, 70 + i, 8, (enum xs_sleep)i}), 0);
    expect("SELECT thread, stack, at_ns, ns, is_asleep FROM host_sample", "3|6|70|8|0\n3|6|71|8|1\n3|6|72|8|NULL");
    assert_int_equal(xs_store_note(store, 55, "cupti", "not found"), 0);
    expect("SELECT * FROM note", "1|55|cupti|not found");
    assert_int_equal(xs_store_meta_text(store, "host", "h"), 0);
    assert_int_equal(xs_store_meta_text(store, "gone", "x"), 0);
    assert_int_equal(xs_store_meta_text(store, "gone", NULL), 0);
    assert_int_equal(xs_store_meta_int(store, "n", INT64_MIN), 0);
    expect("SELECT * FROM meta WHERE key IN ('host', 'gone', 'n')", "host|h\nn|-9223372036854775808");
    char version[40];
    snprintf(version, sizeof version, "schema_version|%d\nstatus|running", xs_schema_version);
    expect("SELECT * FROM meta WHERE key IN ('schema_version', 'status')", version);
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
    unsigned char *data = read_all(store_path, &bytes);
    assert_memory_equal(data, "SQLite format 3", 16);
    assert_memory_equal(data + 68, "xfsp", 4);
    const unsigned char version[] = {0, 0, 0, (unsigned char)xs_schema_version};
    assert_memory_equal(data + 60, version, 4);
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
    assert_int_equal(xs_store_create(store_path, &second), XS_ERROR_SYSTEM);
    assert_int_equal(errno, EEXIST);
    assert_null(second);
    assert_int_equal(xs_store_create(in_scratch("no/such/folder.db"), &second), XS_ERROR_SYSTEM);
    assert_int_equal(errno, ENOENT);
    put_on(0xa, 1, XS_FLAG_HAS_STREAM, 1);
}

/* Regression guard: in a folder where others may write, one of them planted a log, which SQLite would use, or which it
 * could not delete and capture did not start; an index of his he could cut off while it was mapped. */
static void names_that_are_taken_beside_a_trace(void **state) {
    (void)state;
    static const char *const suffixes[] = {"-wal", "-shm", "-journal"};
    struct xs_store *odd = NULL;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        char path[4096], beside[4200];
        snprintf(path, sizeof path, "%s", in_scratch("odd.db"));
        snprintf(beside, sizeof beside, "%s%s", path, suffixes[i]);
        assert_int_equal(symlink("nowhere", beside), 0);
        errno = 0;
        assert_int_equal(xs_store_create(path, &odd), XS_ERROR_SYSTEM);
        assert_int_equal(errno, EEXIST);
        assert_null(odd);
        assert_false(exists(path));
        assert_int_equal(unlink(beside), 0);
        /* One that was put there after the first look. */
        assert_int_equal(xs_store_create(path, &odd), 0);
        assert_true(xs_side_files_are_own(path));
        unlink(beside);
        assert_int_equal(link(path, beside), 0);
        assert_false(xs_side_files_are_own(path));
        assert_int_equal(unlink(beside), 0);
        assert_int_equal(symlink("nowhere", beside), 0);
        assert_false(xs_side_files_are_own(path));
        assert_int_equal(unlink(beside), 0);
        xs_store_close(odd);
        unlink(path);
    }
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
        WITH_STORE(handles_become_rows_once),
        WITH_STORE(reopening_knows_what_was_interned),
        WITH_STORE(a_rollback_forgets_what_it_interned),
        WITH_STORE(device_records_round_trip),
        WITH_STORE(the_small_tables_round_trip),
        WITH_STORE(lookups_name_every_kind),
        WITH_STORE(every_view_can_be_read),
        WITH_STORE(the_file_names_itself_before_it_is_closed),
        WITH_STORE(creating_twice_fails_and_harms_nothing),
        WITH_STORE(names_that_are_taken_beside_a_trace),
        WITH_STORE(a_name_like_a_uri_is_a_name),
        cmocka_unit_test(errors_have_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
