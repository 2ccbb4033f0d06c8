/* Prepares the reading of rows and their shapes; see shaped.h. */
#include "analyzer/trace/shaped.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"

/* A shape costs up to 0.5 KiB of memory. A program with more shapes has nearly one for each row. */
enum { MOST_SHAPES = 1 << 14 };

static sqlite3_stmt *prepare(const struct xs_trace *trace, const char *sql) {
    sqlite3_stmt *statement = NULL;
    return sqlite3_prepare_v2(trace->db, sql, -1, &statement, NULL) == SQLITE_OK ? statement : NULL;
}

static bool has_name(sqlite3_stmt *statement, const char *name) {
    for (int i = 0; i < sqlite3_column_count(statement); i++)
        if (!strcmp(sqlite3_column_name(statement, i), name))
            return true;
    return false;
}

/* The two statements that are built: the columns that are read from the rows and from the shapes. */
struct building {
    struct xs_shaped *shaped;
    sqlite3_stmt *all_of_row, *all_of_shape; /* they have all columns */
    struct xs_string row, shape;
    int row_columns, shape_columns, constants;
    int cells[XS_SHAPED_COLUMNS]; /* by number of a column of the row: its cell; 0: it is not read yet */
};

/* Adds a column of the row to those that are read, unless it is read already. Returns its cell. */
static uint8_t add_to_row(struct building *b, const char *name) {
    int column = 0;
    while (strcmp(sqlite3_column_name(b->all_of_row, column), name) != 0)
        column++;
    if (!b->cells[column]) {
        xs_string_format(&b->row, ", %s", name);
        b->cells[column] = ++b->row_columns;
    }
    return (uint8_t)b->cells[column];
}

/* Adds a number that is the same in all rows. Returns its cell. */
static uint8_t add_constant(struct building *b, const char *number) {
    int cell = XS_SHAPED_CELLS - ++b->constants;
    b->shaped->row[cell] = (struct xs_cell){strtoll(number, NULL, 10), SQLITE_INTEGER};
    return (uint8_t)cell;
}

/* Returns the names of two columns of the row whose sum is the value of the column where the row does not have it. */
static const char *const *summands_of(const char *name) {
    static const char *const of_return[] = {"enter_ns", "host_ns"}, *const of_end[] = {"start_ns", "device_ns"};
    return !strcmp(name, "return_ns") ? of_return : !strcmp(name, "end_ns") ? of_end : NULL;
}

/* Finds where a column's value is. False: the table has no such column. */
static bool add_column(struct building *b, const char *name, struct xs_shaped_source *of) {
    bool is_null = !strcmp(name, "NULL"), is_number = isdigit((unsigned char)*name) != 0;
    bool in_row = has_name(b->all_of_row, name);
    bool in_shape = strcmp(name, "id") != 0 && has_name(b->all_of_shape, name);
    const char *const *summands = in_row ? summands_of(name) : NULL;
    if (in_row || is_number)
        of->row = is_number ? add_constant(b, name) : add_to_row(b, name);
    for (int i = 0; i < 2 && summands; i++)
        of->summands[i] = add_to_row(b, summands[i]);
    if (in_shape) {
        xs_string_format(&b->shape, ", %s", name);
        of->shape = (uint8_t)++b->shape_columns;
    }
    return is_null || is_number || in_row || in_shape;
}

static bool add_columns(struct building *b, const char *columns) {
    int count = 0;
    for (const char *at = columns;;) {
        size_t bytes = strcspn(at, ",");
        XS_SCOPED char *name = xs_strndup(at, bytes);
        if (count == XS_SHAPED_COLUMNS || !add_column(b, name, &b->shaped->of[count++]))
            return false;
        if (!at[bytes])
            return true;
        at += bytes + strspn(at + bytes, ", ");
    }
}

/* Reads all shapes. False: there are too many, their numbers are too large, or they cannot be read. */
static bool read_shapes(struct xs_shaped *shaped, sqlite3_stmt *statement) {
    size_t room = 0, step = (size_t)shaped->step;
    int code = SQLITE_DONE;
    while (statement && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        int64_t id = sqlite3_column_int64(statement, 0);
        if (id < 0 || id >= MOST_SHAPES)
            return false;
        for (; room < (size_t)id + 2; room++) {
            if (!(room & (room - 1)))
                shaped->shapes = xs_realloc(shaped->shapes, (room ? room * 2 : 1) * step * sizeof *shaped->shapes);
            for (size_t i = 0; i < step; i++)
                shaped->shapes[room * step + i] = (struct xs_cell){0, SQLITE_NULL};
        }
        for (int i = 1; i < shaped->step; i++)
            shaped->shapes[((size_t)id + 1) * step + (size_t)i] = xs_cell_of(sqlite3_column_value(statement, i));
        shaped->shape_count = (int64_t)room - 1;
    }
    return statement && room && code == SQLITE_DONE;
}

/* --- rows --- */

#define POINTER_TYPE "xs_shaped"

/* xferspy_row(SHAPED, SHAPE, ...) puts a row's values into a struct xs_shaped. SQLite hands all values over in one
 * call. sqlite3_column_value would be called for each value, and looks at the statement and the connection each time.
 */
static void take_row(sqlite3_context *context, int count, sqlite3_value **values) {
    struct xs_shaped *shaped = sqlite3_value_pointer(values[0], POINTER_TYPE);
    if (!shaped || count != shaped->row_columns + 1) {
        sqlite3_result_error(context, "xferspy_row is for xferspy itself", -1);
        return;
    }
    for (int i = 1; i < count; i++)
        shaped->row[i] = xs_cell_of(values[i]);
    const struct xs_cell *shape = &shaped->row[1];
    bool known = shape->value >= 0 && shape->value < shaped->shape_count && shape->type == SQLITE_INTEGER;
    shaped->shape = shaped->shapes + (known ? (shape->value + 1) * shaped->step : 0);
}

/* The connection gets the function when it is first needed. It cannot be registered again while statements run. */
static sqlite3_stmt *prepare_taking(const struct xs_trace *trace, struct xs_shaped *shaped, const char *sql) {
    sqlite3_stmt *statement = prepare(trace, sql);
    if (!statement && sqlite3_create_function_v2(trace->db, "xferspy_row", -1, SQLITE_UTF8 | SQLITE_DIRECTONLY, NULL,
                                                 take_row, NULL, NULL, NULL) == SQLITE_OK)
        statement = prepare(trace, sql);
    if (statement && sqlite3_bind_pointer(statement, 1, shaped, POINTER_TYPE, NULL) != SQLITE_OK) {
        sqlite3_finalize(statement);
        return NULL;
    }
    return statement;
}

/* Reads the shapes and prepares the statement for the rows; NULL: this cannot be done. */
static sqlite3_stmt *prepare_rows(const struct xs_trace *trace, const char *table, struct building *b) {
    XS_SCOPED_STRING rows = {0}, shapes = {0};
    xs_string_format(&shapes, "SELECT id%s FROM main.%s_shape ORDER BY id", b->shape.data ? b->shape.data : "", table);
    xs_string_format(&rows, "SELECT xferspy_row(?1, shape%s) FROM main.%s_row ORDER BY id", b->row.data, table);
    b->shaped->step = b->shape_columns + 1;
    b->shaped->row_columns = b->row_columns;
    sqlite3_stmt *statement = prepare(trace, shapes.data);
    bool known = read_shapes(b->shaped, statement);
    sqlite3_finalize(statement);
    return known ? prepare_taking(trace, b->shaped, rows.data) : NULL;
}

/* True if a TEMP table or view has the table's name, so that the trace's own table is not to be read. */
static bool is_hidden(const struct xs_trace *trace, const char *table) {
    sqlite3_stmt *statement = prepare(trace, "SELECT 1 FROM sqlite_temp_master WHERE name = ?1");
    if (!statement)
        return true;
    sqlite3_bind_text(statement, 1, table, -1, SQLITE_STATIC);
    bool hidden = sqlite3_step(statement) != SQLITE_DONE;
    sqlite3_finalize(statement);
    return hidden;
}

static sqlite3_stmt *prepare_all(const struct xs_trace *trace, const char *table, const char *suffix) {
    XS_SCOPED_STRING sql = {0};
    xs_string_format(&sql, "SELECT * FROM main.%s_%s", table, suffix);
    return prepare(trace, sql.data);
}

struct xs_shaped *xs_shaped_begin(const struct xs_trace *trace, const char *table, const char *columns,
                                  sqlite3_stmt **statement) {
    struct building b = {.all_of_row = prepare_all(trace, table, "row"),
                         .all_of_shape = prepare_all(trace, table, "shape"),
                         .row_columns = 1}; /* the number of the shape */
    *statement = NULL;
    if (b.all_of_row && b.all_of_shape && !is_hidden(trace, table)) {
        b.shaped = xs_zeroed(1, sizeof *b.shaped);
        b.shaped->row[0].type = SQLITE_NULL;
        if (add_columns(&b, columns))
            *statement = prepare_rows(trace, table, &b);
        if (!*statement) {
            xs_shaped_end(b.shaped);
            b.shaped = NULL;
        }
    }
    sqlite3_finalize(b.all_of_row);
    sqlite3_finalize(b.all_of_shape);
    xs_string_free(&b.row);
    xs_string_free(&b.shape);
    return b.shaped;
}

bool xs_shaped_any(const struct xs_trace *trace, const char *table, const char *condition) {
    XS_SCOPED_STRING sql = {0};
    xs_string_format(&sql, "SELECT 1 FROM main.%s_shape WHERE %s LIMIT 1", table, condition);
    sqlite3_stmt *statement = is_hidden(trace, table) ? NULL : prepare(trace, sql.data);
    bool any = !statement || sqlite3_step(statement) != SQLITE_DONE;
    sqlite3_finalize(statement);
    return any;
}

bool xs_shaped_is_in_rows(const struct xs_trace *trace, const char *table, const char *column) {
    sqlite3_stmt *of_row = prepare_all(trace, table, "row"), *of_shape = prepare_all(trace, table, "shape");
    bool in_rows = of_row && of_shape && has_name(of_row, column) && !has_name(of_shape, column) &&
                   !summands_of(column) && !is_hidden(trace, table);
    sqlite3_finalize(of_row);
    sqlite3_finalize(of_shape);
    return in_rows;
}

void xs_shaped_end(struct xs_shaped *shaped) {
    if (shaped)
        free(shaped->shapes);
    free(shaped);
}
