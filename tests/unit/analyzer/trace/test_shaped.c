/* Tests that the tables of rows and shapes, which are read without their views, give what the views give. */
#include "played.h"

#include <sqlite3.h>

#include "analyzer/trace/scan.h"
#include "analyzer/trace/shaped.h"

enum { A = 0x10000, BYTES = 0x8000, HOST = 0x500000 };
static struct played played, *p = &played;

#define TRANSFER                                                                                                       \
    "id, enter_ns, return_ns, entry_point, thread, context, stream, result, 1, is_captured, correlation, NULL, bytes," \
    " src_address, dst_address, src_allocation, dst_allocation, batch_index, fingerprint, skip, stack, direction"
static const struct {
    const char *table, *columns;
} tables[] = {
    {"transfer", TRANSFER},
    {"launch", "is_captured, kind, arguments, return_ns, enter_ns, 0, id, stack, grid_x"},
    {"device_copy", "correlation, bytes, start_ns, end_ns, kind, src_kind, graph_node, device, copies, id"},
    {"device_kernel", "end_ns, start_ns, name, device, graph_node, correlation"},
    {"sync", "id, scope, enter_ns, NULL"}, /* has no shapes */
};

static void play_run(void) {
    play_begin(p);
    uint32_t a = play_alloc(p, A, BYTES);
    for (int i = 0; i < 40; i++) {
        play_up(p, A, (uint64_t)(BYTES - i % 3), 1 + i % 3, i % 5, HOST);
        play_kernel(p, 1, &a);
        play_down(p, A, BYTES, 1 + i % 3, HOST);
        play_sync(p);
    }
}

/* Compares all columns of all rows. Returns how many rows there are. */
static int compare(const struct xs_trace *trace, const char *table, const char *columns) {
    char message[XS_TRACE_MESSAGE_BYTES];
    struct xs_scan joined, shaped;
    int rows = 0;
    xs_scan_format(&joined, trace, message, NULL, "SELECT %s FROM %s ORDER BY id", columns, table);
    xs_scan_columns(&shaped, trace, table, columns, message, NULL);
    for (; xs_scan_row(&joined); rows++) {
        assert_true(xs_scan_row(&shaped));
        for (int i = 0; i < sqlite3_column_count(joined.statement); i++) {
            assert_int_equal(xs_scan_null(&shaped, i), xs_scan_null(&joined, i));
            assert_int_equal(xs_scan_int(&shaped, i), xs_scan_int(&joined, i));
            assert_int_equal(xs_scan_is_zero(&shaped, i), xs_scan_is_zero(&joined, i));
        }
    }
    assert_false(xs_scan_row(&shaped));
    assert_int_equal(xs_scan_end(&joined), 0);
    assert_int_equal(xs_scan_end(&shaped), 0);
    return rows;
}

static bool is_read_without_view(const struct xs_trace *trace, const char *table, const char *columns) {
    sqlite3_stmt *statement;
    struct xs_shaped *shaped = xs_shaped_begin(trace, table, columns, &statement);
    sqlite3_finalize(statement);
    xs_shaped_end(shaped);
    return shaped != NULL;
}

static void compare_all(const char *sql) {
    struct xs_trace trace;
    play_run();
    play_open(p, sql, &trace);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        assert_true(compare(&trace, tables[i].table, tables[i].columns) >= 40);
        assert_int_equal(is_read_without_view(&trace, tables[i].table, tables[i].columns), i < 4);
    }
    xs_trace_close(&trace);
    play_end(p);
}

static void gives_what_the_view_gives(void **state) {
    (void)state;
    compare_all(NULL);
}

/* All columns of a table can be read without its view. The analysis reads nearly all columns of a transfer; when it
 * read one more than there was room for, it took the slow view, and no output showed it. */
static void all_columns_are_read_without_view(void **state) {
    (void)state;
    struct xs_trace trace;
    play_run();
    play_open(p, NULL, &trace);
    for (size_t i = 0; i < 4; i++) {
        char message[XS_TRACE_MESSAGE_BYTES];
        struct xs_scan scan;
        xs_scan_format(&scan, &trace, message, NULL, "SELECT group_concat(name, ', ') FROM pragma_table_info('%s')",
                       tables[i].table);
        assert_true(xs_scan_row(&scan));
        assert_true(is_read_without_view(&trace, tables[i].table, xs_scan_text(&scan, 0)));
        assert_true(compare(&trace, tables[i].table, xs_scan_text(&scan, 0)) >= 40);
        assert_int_equal(xs_scan_end(&scan), 0);
    }
    xs_trace_close(&trace);
    play_end(p);
}

/* Rows and shapes as no program writes them. */
static void damage_gives_what_the_view_gives(void **state) {
    (void)state;
    static const char *const damages[] = {
        "DELETE FROM transfer_shape WHERE id = 2; DELETE FROM device_copy_shape WHERE id = 1;",
        "UPDATE transfer_row SET shape = -1 WHERE id % 2; UPDATE transfer_row SET shape = 16000 WHERE id % 3 = 0;",
        "UPDATE transfer_row SET shape = 9223372036854775807 WHERE id % 2; UPDATE launch_row SET shape = 'x';",
        "UPDATE transfer_row SET host_ns = NULL, return_ns = enter_ns + 7 WHERE id % 2;",
        "UPDATE transfer_row SET host_ns = 9223372036854775807, bytes = id, src_address = 1.5, fingerprint = 'x';",
        "UPDATE device_kernel_row SET start_ns = NULL; UPDATE device_copy_row SET device_ns = NULL, end_ns = 5;",
        "UPDATE transfer_shape SET stack = 'x', thread = 1.5, result = NULL; UPDATE launch_shape SET arguments = 3;",
    };
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++)
        compare_all(damages[i]);
}

/* A TEMP view of the table's name is what is read: modelled device times and merged files have such views. */
static void hidden_tables_are_not_read(void **state) {
    (void)state;
    struct xs_trace trace;
    play_run();
    play_open(p, NULL, &trace);
    assert_int_equal(sqlite3_exec(trace.db,
                                  "PRAGMA query_only = OFF; CREATE TEMP VIEW transfer AS SELECT id + 5 AS id,"
                                  " enter_ns FROM main.transfer",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    assert_false(is_read_without_view(&trace, "transfer", "id, enter_ns"));
    assert_int_equal(compare(&trace, "transfer", "id, enter_ns"), 80);
    assert_true(is_read_without_view(&trace, "launch", "id, enter_ns"));
    xs_trace_close(&trace);
    play_end(p);
}

/* More shapes than are kept in memory, and shapes with numbers of which an array would be too large. */
static void many_shapes_are_joined(void **state) {
    (void)state;
    static const char *const numbers[] = {"1 << 14", "1 << 62", "-1", "id - 9223372036854775807"};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct xs_trace trace;
        char sql[256];
        play_run();
        snprintf(sql, sizeof sql,
                 "UPDATE transfer_shape SET id = %1$s WHERE id = 1; UPDATE transfer_row SET shape = (SELECT %1$s FROM"
                 " (SELECT 1 AS id)) WHERE shape = 1;",
                 numbers[i]);
        play_open(p, sql, &trace);
        assert_false(is_read_without_view(&trace, "transfer", "id, bytes"));
        assert_int_equal(compare(&trace, "transfer", TRANSFER), 80);
        xs_trace_close(&trace);
        play_end(p);
    }
}

/* A column that no table has is reported as with the view. */
static void unknown_columns_are_an_error(void **state) {
    (void)state;
    char message[XS_TRACE_MESSAGE_BYTES] = "";
    struct xs_trace trace;
    struct xs_scan scan;
    play_run();
    play_open(p, NULL, &trace);
    xs_scan_columns(&scan, &trace, "transfer", "id, none", message, NULL);
    assert_false(xs_scan_row(&scan));
    assert_true(xs_scan_end(&scan) < 0);
    assert_non_null(strstr(message, "none"));
    xs_trace_close(&trace);
    play_end(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_what_the_view_gives),        cmocka_unit_test(all_columns_are_read_without_view),
        cmocka_unit_test(damage_gives_what_the_view_gives), cmocka_unit_test(hidden_tables_are_not_read),
        cmocka_unit_test(many_shapes_are_joined),           cmocka_unit_test(unknown_columns_are_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
