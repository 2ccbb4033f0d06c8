/* Reading a trace's rows: what a column may hold, rows in any order, and damage that must not crash. */
#include "played.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "analyzer/trace/scan.h"

enum { A = 0x10000, B = 0x20000, BYTES = 0x8000, HOST = 0x500000 };
static struct played played, *p = &played;

/* Tests values that a column may hold, whatever its declared type. */
static void values_are_checked(void **state) {
    (void)state;
    char message[XS_TRACE_MESSAGE_BYTES];
    struct xs_trace trace;
    struct xs_scan scan;
    uint64_t damaged = 0, ns;
    play_begin(p);
    play_analyse(p, NULL);
    assert_int_equal(xs_trace_open(p->path, &trace, message), 0);
    xs_scan_begin(&scan, &trace, "SELECT 7, NULL, -1, '7', 1.5, x'07', 9223372036854775807", message, &damaged);
    assert_true(xs_scan_row(&scan));
    static const int64_t integers[] = {7, 0, -1, 0, 0, 0, INT64_MAX};
    for (int i = 0; i < 7; i++) {
        assert_int_equal(xs_scan_int(&scan, i), integers[i]);
        assert_int_equal(xs_scan_null(&scan, i), i == 1);
    }
    assert_int_equal(xs_scan_count(&scan, 0), 7);
    assert_int_equal(xs_scan_count_or_null(&scan, 1), 0);
    assert_int_equal(xs_scan_kind(&scan, 1, 5), 0);
    assert_false(xs_scan_span(&scan, 1, 0, &ns));
    assert_true(xs_scan_span(&scan, 2, 0, &ns));
    assert_int_equal(ns, 8);
    assert_int_equal(damaged, 0); /* nothing so far that could not be true */
    assert_int_equal(xs_scan_count(&scan, 3), 0);
    assert_int_equal(damaged, 1);
    assert_int_equal(xs_scan_count(&scan, 1), 0); /* each row once */
    assert_int_equal(xs_scan_kind(&scan, 0, 7), 0);
    assert_false(xs_scan_span(&scan, 0, 2, &ns));
    assert_int_equal(damaged, 1);
    assert_false(xs_scan_row(&scan));
    assert_int_equal(xs_scan_end(&scan), 0);
    xs_trace_close(&trace);
    play_end(p);
}

static void play_many(int count) {
    uint32_t a = play_alloc(p, A, BYTES), b = play_alloc(p, B, BYTES);
    for (int i = 0; i < count; i++) {
        play_up(p, i % 2 ? A : B, BYTES, 1 + i % 3, i ? i % 5 : 0, HOST);
        if (i % 4 == 3)
            play_kernel(p, 1, i % 8 == 3 ? &a : &b);
        if (i % 5 == 4)
            play_down(p, A, BYTES, 1 + i % 3, HOST);
    }
}

static void count_instances(void *data, unsigned detector, const struct xs_instance *instance) {
    (void)detector;
    assert_non_null(instance);
    ++*(uint64_t *)data;
}

/* The same calls give the same findings, each instance once, if their rows are in another order: within the window,
 * within the wide window, and if SQLite sorts them. */
static void the_order_of_rows_does_not_matter(void **state) {
    (void)state;
#define RENUMBERED(table, id)                                                                                          \
    "CREATE TABLE r AS SELECT * FROM " table "; DELETE FROM " table ";"                                                \
    "UPDATE r SET id = " id "; INSERT INTO " table " SELECT * FROM r; DROP TABLE r;"
    static const char reversed[] = RENUMBERED("transfer", "100000 - id"),
                      halves[] = RENUMBERED("transfer", "(id + 900) % 1800 + 1"),
                      kernels[] = RENUMBERED("device_kernel", "100000 - id");
    static const struct {
        const char *sql;
        unsigned window;
    } cases[] = {{NULL, 0},   {NULL, 1},     {NULL, 1000},  {halves, 0},
                 {halves, 2}, {reversed, 0}, {reversed, 2}, {kernels, 2}};
    uint64_t instances = 0, claimed_ns = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t seen = 0;
        play_begin(p);
        play_many(1500);
        p->options.sorted_rows = cases[i].window;
        p->options.on_instance = count_instances;
        p->options.data = &seen;
        play_analyse(p, cases[i].sql);
        instances = i ? instances : seen;
        claimed_ns = i ? claimed_ns : p->findings->total.claimed_ns;
        assert_true(instances > 1000);
        assert_true(p->findings->exposed_known);
        assert_int_equal(seen, instances);
        assert_int_equal(p->findings->total.claimed_ns, claimed_ns);
        play_end(p);
    }
}

static void nonsense_is_survived(void **state) {
    (void)state;
    static const char *const damages[] = {
        "UPDATE transfer SET enter_ns = 'x' WHERE id % 3 = 0;",
        "UPDATE transfer SET enter_ns = -9223372036854775807 - 1 WHERE id % 3 = 0;",
        "UPDATE transfer SET return_ns = 9223372036854775807, bytes = 9223372036854775807 WHERE id % 3 = 0;",
        "UPDATE transfer SET dst_address = -1, src_address = -1, bytes = 4096;",
        "UPDATE transfer SET direction = 99, src_kind = -4, dst_kind = 77, src_device = 9999999, thread = -1;",
        "UPDATE transfer SET correlation = 1; UPDATE device_copy SET correlation = 1;",
        "UPDATE transfer SET fingerprint = -fingerprint;",
        "UPDATE transfer SET fingerprint = 9223372036854775807 - id;",
        "UPDATE fingerprint SET id = -id;",
        "UPDATE fingerprint SET id = id * 1000000007;",
        "UPDATE transfer SET height = 4294967295, width_bytes = 4294967295, depth = 4294967295, dst_pitch_bytes = 1;",
        ("UPDATE transfer SET height = 3, width_bytes = 100, depth = 2, dst_pitch_bytes = 4294967295,"
         " dst_slice_rows = 4294967295;"),
        "UPDATE allocation SET address = -1, bytes = 9223372036854775807;",
        "UPDATE allocation SET address = address / 2, bytes = bytes * 100;",
        "UPDATE allocation SET free_enter_ns = 0, free_return_ns = -5;",
        "UPDATE allocation SET free_enter_ns = return_ns + 5000, free_return_ns = 1 WHERE id = 1;",
        "UPDATE device_copy SET start_ns = 0, end_ns = 9223372036854775807;",
        "UPDATE device_copy SET start_ns = -9223372036854775807, end_ns = 9223372036854775807, bytes = -1;",
        "UPDATE device_kernel SET start_ns = -9223372036854775807, end_ns = 9223372036854775807, device = 123456;",
        "UPDATE device_kernel SET end_ns = start_ns - 1;",
        "UPDATE launch SET kind = 2, arguments = 77; UPDATE device_copy SET graph_node = 5;",
        "UPDATE launch SET enter_ns = NULL WHERE 0; UPDATE argument SET allocation = -9, argument_set = 'a';",
        "DELETE FROM entry_point; DELETE FROM thread; DELETE FROM context; DELETE FROM allocation;",
        "UPDATE context SET device = 999999999; UPDATE context SET id = id * 1000000000;",
        "DELETE FROM device_copy; DELETE FROM device_kernel; DELETE FROM fingerprint;",
        ("INSERT INTO device_migration (kind, address, bytes, start_ns, end_ns) VALUES (1, 65536, 4096, NULL, NULL),"
         " (99, -1, -1, 5, 1), (2, 65540, 4096, 100, 200);"),
        ("INSERT INTO api_call (entry_point, thread, address, bytes, is_captured, result, enter_ns, return_ns) VALUES"
         " (99, 1, -1, -1, 0, 0, 5, 1);"),
    };
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        for (unsigned window = 0; window < 9; window += 4) {
            play_begin(p);
            play_many(60);
            play_memset(p, A, BYTES);
            play_sync(p);
            p->options.sorted_rows = window;
            play_analyse(p, damages[i]);
            play_end(p);
        }
    }
}

/* A row that two readers take is counted once. */
static void a_damaged_row_is_counted_once(void **state) {
    (void)state;
    static const char *const damages[] = {
        "UPDATE sync SET return_ns = enter_ns - 5 WHERE id = (SELECT min(id) FROM sync);",
        "UPDATE device_kernel SET end_ns = start_ns - 1 WHERE id = (SELECT min(id) FROM device_kernel);",
        "UPDATE device_copy SET end_ns = start_ns - 1 WHERE id = (SELECT min(id) FROM device_copy);",
        "UPDATE transfer SET return_ns = enter_ns - 1 WHERE id = (SELECT min(id) FROM transfer);",
    };
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        play_begin(p);
        play_many(60);
        play_sync(p);
        play_analyse(p, damages[i]);
        assert_int_equal(p->findings->damaged_rows, 1);
        play_end(p);
    }
}

/* Any byte of the file may be wrong: an error or some result, and nothing else. */
static void a_damaged_file_is_survived(void **state) {
    (void)state;
    char message[XS_TRACE_MESSAGE_BYTES];
    struct stat st;
    play_begin(p);
    play_many(300);
    play_analyse(p, NULL);
    xs_findings_free(p->findings);
    p->findings = NULL;
    assert_int_equal(stat(p->path, &st), 0);
    uint64_t random = 12345;
    for (int i = 0; i < 300; i++) {
        uint8_t saved[16], bytes[16];
        size_t count = 1 + (size_t)i % 16;
        random = random * 6364136223846793005u + 1442695040888963407u;
        off_t at = 100 + (off_t)((random >> 20) % (uint64_t)(st.st_size - 116));
        int fd = open(p->path, O_RDWR);
        assert_int_equal(pread(fd, saved, sizeof saved, at), sizeof saved);
        memset(bytes, (int)(random >> 12), sizeof bytes);
        assert_int_equal(pwrite(fd, bytes, count, at), count);
        struct xs_trace trace;
        if (xs_trace_open(p->path, &trace, message) == 0) {
            struct xs_findings *findings = NULL;
            message[0] = 0;
            int status = xs_analyse(&trace, NULL, &findings, message);
            assert_true(status < 0 ? message[0] && !findings : findings != NULL);
            xs_findings_free(findings);
            xs_trace_close(&trace);
        }
        assert_int_equal(pwrite(fd, saved, sizeof saved, at), sizeof saved);
        close(fd);
    }
    play_end(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_checked),         cmocka_unit_test(the_order_of_rows_does_not_matter),
        cmocka_unit_test(nonsense_is_survived),       cmocka_unit_test(a_damaged_row_is_counted_once),
        cmocka_unit_test(a_damaged_file_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
