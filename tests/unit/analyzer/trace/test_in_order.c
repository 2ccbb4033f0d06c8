/* Tests the quick look whether a table's rows are in order of time. */
#include "played.h"

#include <sqlite3.h>

#include "analyzer/trace/in_order.h"

enum { A = 0x10000, BYTES = 0x8000, HOST = 0x500000 };
static struct played played, *p = &played;

static void play_run(const char *sql, struct xs_trace *trace) {
    play_begin(p);
    uint32_t a = play_alloc(p, A, BYTES);
    for (int i = 0; i < 20; i++) {
        play_up(p, A, BYTES, 1 + i % 3, i % 5, HOST);
        play_kernel(p, 1, &a);
        play_sync(p);
    }
    play_open(p, sql, trace);
}

static void end_run(struct xs_trace *trace) {
    xs_trace_close(trace);
    play_end(p);
}

/* Rows and shapes, and tables without shapes. The last row counts, rows of equal times are in order, and a value that
 * is no integer counts as 0. */
static void rows_out_of_order_are_found(void **state) {
    (void)state;
    static const struct {
        const char *table, *column, *sql;
        bool in_order;
    } cases[] = {
        {"transfer", "enter_ns", NULL, true},
        {"transfer", "correlation", NULL, true},
        {"device_copy", "start_ns", NULL, true},
        {"sync", "enter_ns", NULL, true},
        {"allocation", "return_ns", NULL, true},
        {"memset", "enter_ns", NULL, true}, /* it has no rows */
        {"transfer", "enter_ns", "UPDATE transfer_row SET enter_ns = enter_ns - 1000000 WHERE id = 20;", false},
        {"transfer", "enter_ns", "UPDATE transfer_row SET enter_ns = 9223372036854775807 WHERE id = 1;", false},
        {"transfer", "enter_ns", "UPDATE transfer_row SET enter_ns = 5;", true},
        {"transfer", "enter_ns", "UPDATE transfer_row SET enter_ns = 'x' WHERE id = 1;", true},
        {"transfer", "enter_ns", "UPDATE transfer_row SET enter_ns = 'x' WHERE id = 2;", false},
        {"sync", "enter_ns", "UPDATE sync SET enter_ns = 1 WHERE id = 20;", false},
        {"sync", "enter_ns", "UPDATE sync SET enter_ns = 'x' WHERE id = 1;", true},
        {"sync", "enter_ns", "UPDATE sync SET enter_ns = 'x' WHERE id = 2;", false},
        {"device_copy", "start_ns", "UPDATE device_copy_row SET start_ns = NULL WHERE id = 3;", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct xs_trace trace;
        play_run(cases[i].sql, &trace);
        for (int again = 0; again < 2; again++) /* the second time, SQLite knows the function */
            assert_int_equal(xs_is_in_order(&trace, cases[i].table, cases[i].column), cases[i].in_order);
        end_run(&trace);
    }
}

/* Values that are not in the rows alone are those of the view. A TEMP view of the table's name is what is read. */
static void views_are_looked_at(void **state) {
    (void)state;
    struct xs_trace trace;
    play_run("UPDATE transfer_row SET return_ns = 7 WHERE id = 9;", &trace);
    assert_true(xs_is_in_order(&trace, "transfer", "enter_ns"));
    assert_false(xs_is_in_order(&trace, "transfer", "return_ns"));
    assert_true(xs_is_in_order(&trace, "transfer", "bytes")); /* all are equal */
    assert_false(xs_is_in_order(&trace, "transfer", "none"));
    assert_false(xs_is_in_order(&trace, "none", "enter_ns"));
    assert_int_equal(sqlite3_exec(trace.db,
                                  "PRAGMA query_only = OFF; CREATE TEMP VIEW transfer AS SELECT id, -enter_ns AS"
                                  " enter_ns FROM main.transfer",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    assert_false(xs_is_in_order(&trace, "transfer", "enter_ns"));
    end_run(&trace);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_out_of_order_are_found),
        cmocka_unit_test(views_are_looked_at),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
