/* Finds out whether a table's rows are in order of time; see in_order.h. */
#include "analyzer/trace/in_order.h"

#include <sqlite3.h>
#include <stdint.h>

#include "analyzer/base/text.h"
#include "analyzer/trace/shaped.h"
#include "schema/rows_read.h"

struct order {
    struct xs_cell id, value; /* of the row before */
    bool any;
};

/* xferspy_in_order(ID, VALUE) gives an error at the first row that is out of order, which ends the statement there. An
 * index could give the rows in another order than that of the ids; this is an error, too. */
static void take_row(sqlite3_context *context, int count, sqlite3_value **values) {
    struct order *order = sqlite3_aggregate_context(context, sizeof *order);
    struct xs_cell id = xs_cell_of(values[0]), value = xs_cell_of(values[1]);
    (void)count;
    xs_row_read();
    if (!order || (order->any && (id.value <= order->id.value || value.value < order->value.value))) {
        sqlite3_result_error(context, "rows are out of order", -1);
        return;
    }
    *order = (struct order){id, value, true};
}

static void end_rows(sqlite3_context *context) { sqlite3_result_int(context, 1); }

static sqlite3_stmt *prepare(const struct xs_trace *trace, const char *sql) {
    sqlite3_stmt *statement = NULL;
    return sqlite3_prepare_v2(trace->db, sql, -1, &statement, NULL) == SQLITE_OK ? statement : NULL;
}

bool xs_is_in_order(const struct xs_trace *trace, const char *table, const char *column) {
    XS_SCOPED_STRING sql = {0};
    bool of_rows = xs_shaped_is_in_rows(trace, table, column);
    xs_string_format(&sql, "SELECT xferspy_in_order(id, %s) FROM %s%s%s NOT INDEXED", column, of_rows ? "main." : "",
                     table, of_rows ? "_row" : "");
    sqlite3_stmt *statement = prepare(trace, sql.data);
    if (!statement && sqlite3_create_function_v2(trace->db, "xferspy_in_order", 2, SQLITE_UTF8 | SQLITE_DIRECTONLY,
                                                 NULL, NULL, take_row, end_rows, NULL) == SQLITE_OK)
        statement = prepare(trace, sql.data);
    bool in_order = statement && sqlite3_step(statement) == SQLITE_ROW;
    sqlite3_finalize(statement);
    return in_order;
}
