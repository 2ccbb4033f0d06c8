/* Reading a trace's rows: pages against SQLite, order and starting again, and damage that must not crash. */
#include "played.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include "analyzer/trace/pages.h"
#include "analyzer/trace/scan.h"

enum { A = 0x10000, B = 0x20000, BYTES = 0x8000, HOST = 0x500000 };
static struct played played, *p = &played;

static const char columns[] = "id, a, b, c, d, missing";

static void make(const char *path, const char *sql) {
    struct xs_store *store;
    sqlite3 *db;
    char *error;
    unlink(path);
    assert_int_equal(xs_store_create(path, &store), 0);
    assert_int_equal(xs_store_close(store), 0);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &error) != SQLITE_OK)
        fail_msg("%s", error);
    sqlite3_close(db);
}

/* Integers of every width, NULLs, other types, negative and far ids, rows written before a column was added. */
static const char rows_sql[] =
    "CREATE TABLE t (id INTEGER PRIMARY KEY, a, b INTEGER, c);"
    "WITH RECURSIVE i(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM i WHERE n < 20000)"
    " INSERT INTO t SELECT n * 3 - 1000, CASE n % 5 WHEN 0 THEN NULL WHEN 1 THEN 1 << (n % 63) WHEN 2 THEN -(1 << (n % "
    "62))"
    " WHEN 3 THEN n % 2 ELSE n END, n, CASE n % 4 WHEN 0 THEN 'text' WHEN 1 THEN 1.5 WHEN 2 THEN x'00ff' ELSE n END "
    "FROM i;"
    "INSERT INTO t VALUES (9223372036854775807, -9223372036854775807 - 1, 0, 1), (1099511627776, 127, 128, -129);"
    "ALTER TABLE t ADD COLUMN d; INSERT INTO t VALUES (9223372036854775000, 1, 2, 3, 4); DELETE FROM t WHERE b % 7 = "
    "0;";

static void pages_give_what_sqlite_gives(void **state) {
    (void)state;
    char folder[] = "/tmp/xferspy-unit.XXXXXX", path[64], message[XS_TRACE_MESSAGE_BYTES];
    struct xs_trace trace;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/t.db", folder);
    make(path, rows_sql);
    assert_int_equal(xs_trace_open(path, &trace, message), 0);
    struct xs_pages *pages = xs_pages_begin(&trace, "t", columns);
    assert_non_null(pages);
    sqlite3_stmt *statement;
    uint64_t rows = 0;
    assert_int_equal(
        sqlite3_prepare_v2(trace.db, "SELECT id, a, b, c, d, NULL FROM t ORDER BY id", -1, &statement, NULL), 0);
    while (sqlite3_step(statement) == SQLITE_ROW) {
        assert_int_equal(xs_pages_row(pages), 1);
        const struct xs_values *values = xs_pages_values(pages);
        rows++;
        for (int i = 0; i < 6; i++) {
            int type = sqlite3_column_type(statement, i);
            assert_int_equal(values->type[i], type == SQLITE_NULL      ? XS_VALUE_NULL
                                              : type == SQLITE_INTEGER ? XS_VALUE_INTEGER
                                                                       : XS_VALUE_OTHER);
            if (type == SQLITE_INTEGER)
                assert_int_equal(values->number[i], sqlite3_column_int64(statement, i));
        }
    }
    assert_int_equal(xs_pages_row(pages), 0);
    assert_true(rows > 10000);
    sqlite3_finalize(statement);
    xs_pages_end(pages);
    xs_trace_close(&trace);
    unlink(path);
    rmdir(folder);
}

/* Rows too long for a page are SQLite's to read. */
static void long_rows_are_left_to_sqlite(void **state) {
    (void)state;
    char folder[] = "/tmp/xferspy-unit.XXXXXX", path[64], message[XS_TRACE_MESSAGE_BYTES];
    struct xs_trace trace;
    struct xs_scan scan;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/t.db", folder);
    make(path, "CREATE TABLE t (id INTEGER PRIMARY KEY, a, b); INSERT INTO t VALUES (1, 5, zeroblob(9000));");
    assert_int_equal(xs_trace_open(path, &trace, message), 0);
    xs_scan_table(&scan, &trace, "t", "id, a", NULL, false, message, NULL);
    assert_false(xs_scan_row(&scan));
    assert_int_equal(xs_scan_end(&scan), XS_SCAN_PLAIN);
    xs_scan_table(&scan, &trace, "t", "id, a", NULL, true, message, NULL);
    assert_true(xs_scan_row(&scan));
    assert_int_equal(xs_scan_int(&scan, 1), 5);
    assert_int_equal(xs_scan_end(&scan), 0);
    xs_trace_close(&trace);
    unlink(path);
    rmdir(folder);
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

struct seen {
    uint64_t instances, again;
};

static void count_instances(void *data, unsigned detector, const struct xs_instance *instance) {
    struct seen *seen = data;
    (void)detector;
    if (instance) {
        seen->instances++;
    } else {
        seen->again++;
        seen->instances = 0;
    }
}

/* The same calls with their rows in another order give the same findings: within the window, and beyond it, where the
 * analysis starts again. */
static void the_order_of_rows_does_not_matter(void **state) {
    (void)state;
    static const char reverse[] = "CREATE TABLE r AS SELECT * FROM transfer; DELETE FROM transfer;"
                                  "UPDATE r SET id = 100000 - id; INSERT INTO transfer SELECT * FROM r; DROP TABLE r;";
    static const struct {
        const char *sql;
        unsigned window;
        bool again;
    } cases[] = {{NULL, 1, false}, {NULL, 1000, false}, {reverse, 0, true}, {reverse, 2, true}};
    uint64_t instances = 0, gives_back_ns = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct seen seen = {0};
        play_begin(p);
        play_many(1500);
        p->options.reader_window = cases[i].window;
        p->options.on_instance = count_instances;
        p->options.data = &seen;
        play_analyse(p, cases[i].sql);
        assert_int_equal(seen.again != 0, cases[i].again);
        instances = i ? instances : seen.instances;
        gives_back_ns = i ? gives_back_ns : p->findings->total.gives_back_ns;
        assert_true(instances > 1000);
        assert_int_equal(seen.instances, instances);
        assert_int_equal(p->findings->total.gives_back_ns, gives_back_ns);
        play_end(p);
    }
}

/* A kernel far from its place makes the timeline start again, too. */
static void kernels_out_of_order_start_again(void **state) {
    (void)state;
    struct seen seen = {0};
    play_begin(p);
    play_many(100);
    p->options.reader_window = 2;
    p->options.on_instance = count_instances;
    p->options.data = &seen;
    play_analyse(p, "UPDATE device_kernel SET id = 1000 - id;");
    assert_true(seen.again > 0);
    assert_true(p->findings->exposed_known);
    play_end(p);
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
            p->options.reader_window = window;
            play_analyse(p, damages[i]);
            play_end(p);
        }
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
        cmocka_unit_test(pages_give_what_sqlite_gives),
        cmocka_unit_test(long_rows_are_left_to_sqlite),
        cmocka_unit_test(the_order_of_rows_does_not_matter),
        cmocka_unit_test(kernels_out_of_order_start_again),
        cmocka_unit_test(nonsense_is_survived),
        cmocka_unit_test(a_damaged_file_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
