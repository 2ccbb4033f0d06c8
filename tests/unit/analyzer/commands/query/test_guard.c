/* Tests what a statement of `query` may read although SQLite alone would permit it. A virtual table that the
 * connection used before the guard began exists already, so only the list of tables keeps it out. */
#include "unit.h"

#include <sqlite3.h>

#include "analyzer/commands/query/allowed.h"

static sqlite3 *db;
static struct xs_query_guard *guard;

static int prepare(const char *sql) {
    sqlite3_stmt *statement = NULL;
    int rc = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
    sqlite3_finalize(statement);
    return rc;
}

static int begin(void **state) {
    (void)state;
    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "CREATE TABLE meta (key, value)", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(prepare("SELECT * FROM pragma_table_info('meta')"), SQLITE_OK);
    assert_int_equal(prepare("SELECT * FROM json_each('[1]')"), SQLITE_OK);
    guard = xs_query_guard_begin(db);
    return 0;
}

static int end(void **state) {
    (void)state;
    xs_query_guard_end(guard);
    sqlite3_close(db);
    return 0;
}

static void tables_of_the_trace_are_read(void **state) {
    (void)state;
    assert_int_equal(prepare("SELECT key FROM meta"), SQLITE_OK);
    assert_int_equal(prepare("WITH one(n) AS (SELECT 1) SELECT count(*) FROM one, meta"), SQLITE_OK);
    assert_null(xs_query_refused(guard));
}

static void virtual_tables_that_are_there_are_not_read(void **state) {
    static const char *const statements[] = {
        "SELECT value FROM json_each('[1]')", "SELECT count(*) FROM json_each('[1]')",
        "SELECT name FROM pragma_table_info('meta')", "SELECT count(*) FROM pragma_table_info('meta')"};
    (void)state;
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++)
        if (prepare(statements[i]) != SQLITE_AUTH)
            fail_msg("not refused: %s", statements[i]);
    assert_string_equal(xs_query_refused(guard), "it reads tables and views of a trace, not json_each");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(tables_of_the_trace_are_read, begin, end),
        cmocka_unit_test_setup_teardown(virtual_tables_that_are_there_are_not_read, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
