/* Implements a virtual table over rows in memory; see virtual_table.h. */
#include "analyzer/trace/modelled/virtual_table.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/search.h"

#define MODULE "xferspy_modelled"

struct table {
    sqlite3_vtab base;
    const struct xs_modelled_tables *tables;
    enum xs_modelled_table index;
};

struct cursor {
    sqlite3_vtab_cursor base;
    size_t at, end;
};

/* Says by which conditions a statement searches rows, with one bit for each kind of condition. xBestIndex passes the
 * bits to xFilter. */
enum { BY_NUMBER = 1, BY_ID = 2, FROM_ID = 4, UP_TO_ID = 8 };

static const struct xs_modelled_rows *rows_of(const struct table *table) { return &table->tables->of[table->index]; }

static int declare(sqlite3 *db, const struct xs_modelled_columns *columns) {
    sqlite3_str *sql = sqlite3_str_new(db);
    for (int i = 0; i < columns->count; i++)
        sqlite3_str_appendf(sql, "%s%s%s", i ? ", " : "CREATE TABLE t (", columns->items[i].name,
                            i ? " INTEGER" : " INTEGER PRIMARY KEY");
    sqlite3_str_appendall(sql, ")");
    char *text = sqlite3_str_finish(sql);
    int rc = text ? sqlite3_declare_vtab(db, text) : SQLITE_NOMEM;
    sqlite3_free(text);
    return rc;
}

static int connect(sqlite3 *db, void *tables, int argc, const char *const *argv, sqlite3_vtab **out, char **error) {
    (void)error;
    for (unsigned i = 0; i < XS_MODELLED_TABLES && argc > 2; i++) {
        if (strcmp(xs_modelled_names[i], argv[2]) != 0)
            continue;
        struct table *table = sqlite3_malloc(sizeof *table);
        if (!table)
            return SQLITE_NOMEM;
        *table = (struct table){.tables = tables, .index = i};
        *out = &table->base;
        return declare(db, &table->tables->columns[i]);
    }
    return SQLITE_ERROR;
}

static int disconnect(sqlite3_vtab *table) {
    sqlite3_free(table);
    return SQLITE_OK;
}

static int bit_of(const struct sqlite3_index_constraint *c) {
    if (c->iColumn > 1)
        return 0;
    switch (c->op) {
    case SQLITE_INDEX_CONSTRAINT_EQ:
        return c->iColumn == 1 ? BY_NUMBER : BY_ID;
    case SQLITE_INDEX_CONSTRAINT_GE:
    case SQLITE_INDEX_CONSTRAINT_GT:
        return c->iColumn == 1 ? 0 : FROM_ID;
    case SQLITE_INDEX_CONSTRAINT_LE:
    case SQLITE_INDEX_CONSTRAINT_LT:
        return c->iColumn == 1 ? 0 : UP_TO_ID;
    default:
        return 0;
    }
}

/* Chooses the conditions that filter() uses. Their values come in the order of the bits. SQLite checks all
 * conditions again itself. */
static int best_index(sqlite3_vtab *base, sqlite3_index_info *info) {
    const struct table *table = (const struct table *)base;
    int used = 0, arguments = 0;
    double rows = (double)rows_of(table)->count + 1;
    int at[UP_TO_ID + 1] = {0}; /* by bit: index of the condition, plus 1 */
    for (int i = 0; i < info->nConstraint; i++) {
        int bit = bit_of(&info->aConstraint[i]);
        if (bit && info->aConstraint[i].usable && !at[bit]) {
            at[bit] = i + 1;
            used |= bit;
        }
    }
    for (int bit = BY_NUMBER; bit <= UP_TO_ID; bit <<= 1)
        if (at[bit])
            info->aConstraintUsage[at[bit] - 1].argvIndex = ++arguments;
    info->idxNum = used;
    info->estimatedRows = used & (BY_NUMBER | BY_ID) ? 1 : (sqlite3_int64)(used ? rows / 16 + 1 : rows);
    info->estimatedCost = used & (BY_NUMBER | BY_ID) ? 10 : (double)info->estimatedRows;
    info->orderByConsumed = info->nOrderBy == 1 && info->aOrderBy[0].iColumn <= 0 && !info->aOrderBy[0].desc;
    return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **out) {
    (void)table;
    struct cursor *cursor = sqlite3_malloc(sizeof *cursor);
    if (!cursor)
        return SQLITE_NOMEM;
    memset(cursor, 0, sizeof *cursor);
    *out = &cursor->base;
    return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *cursor) {
    sqlite3_free(cursor);
    return SQLITE_OK;
}

static bool is_less(const void *row, const void *number) {
    return (int64_t)((const struct xs_modelled_row *)row)->number < *(const int64_t *)number;
}

/* Returns the index of the first row whose number is at least `number`. */
static size_t seek(const struct xs_modelled_rows *rows, int64_t number) {
    return xs_search(rows->items, rows->count, sizeof *rows->items, is_less, &number);
}

static size_t within(const struct xs_modelled_rows *rows, int64_t row) {
    return row <= 0 ? 0 : (uint64_t)row < rows->count ? (size_t)row : rows->count;
}

static void narrow(struct cursor *cursor, size_t from, size_t to) {
    cursor->at = from > cursor->at ? from : cursor->at;
    cursor->end = to < cursor->end ? to : cursor->end;
}

/* Begins a search. If a condition's value is no integer, all rows are returned, because SQLite checks the condition
 * itself; if it is NULL, no row is returned, because nothing is equal to NULL. */
static int filter(sqlite3_vtab_cursor *base, int used, const char *name, int argc, sqlite3_value **argv) {
    struct cursor *cursor = (struct cursor *)base;
    const struct xs_modelled_rows *rows = rows_of((const struct table *)base->pVtab);
    (void)name;
    cursor->at = 0;
    cursor->end = rows->count;
    for (int bit = BY_NUMBER, i = 0; bit <= UP_TO_ID && i < argc; bit <<= 1) {
        if (!(used & bit))
            continue;
        sqlite3_value *argument = argv[i++];
        int64_t value = sqlite3_value_int64(argument);
        if (sqlite3_value_type(argument) == SQLITE_NULL)
            cursor->end = 0;
        if (sqlite3_value_type(argument) != SQLITE_INTEGER || value > UINT32_MAX || value < -1)
            continue;
        if (bit == BY_NUMBER)
            narrow(cursor, seek(rows, value), seek(rows, value + 1));
        else if (bit == BY_ID)
            narrow(cursor, within(rows, value - 1), within(rows, value));
        else if (bit == FROM_ID)
            narrow(cursor, within(rows, value - 1), rows->count);
        else
            narrow(cursor, 0, within(rows, value));
    }
    return SQLITE_OK;
}

static int next(sqlite3_vtab_cursor *base) {
    ((struct cursor *)base)->at++;
    return SQLITE_OK;
}

static int eof(sqlite3_vtab_cursor *base) {
    const struct cursor *cursor = (const struct cursor *)base;
    return cursor->at >= cursor->end;
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *context, int i) {
    const struct cursor *cursor = (const struct cursor *)base;
    const struct table *table = (const struct table *)base->pVtab;
    const struct xs_modelled_row *row = &rows_of(table)->items[cursor->at];
    int index = table->tables->columns[table->index].items[i].index;
    int64_t value = XS_SHAPE_NULL;
    switch (index) {
    case XS_COLUMN_ID:
        value = (int64_t)cursor->at + 1;
        break;
    case XS_COLUMN_NUMBER:
        value = row->number;
        break;
    case XS_COLUMN_BYTES:
        value = (int64_t)row->bytes;
        break;
    case XS_COLUMN_START:
        value = row->start_ns;
        break;
    case XS_COLUMN_END:
        value = row->start_ns == XS_SHAPE_NULL ? XS_SHAPE_NULL : row->end_ns;
        break;
    case XS_COLUMN_MODELLED:
        value = row->modelled;
        break;
    default:
        value = table->tables->shapes[row->shape].values[index];
    }
    if (value != XS_SHAPE_NULL)
        sqlite3_result_int64(context, value);
    return SQLITE_OK; /* the result is NULL if nothing was set */
}

static int rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *id) {
    *id = (sqlite3_int64)((const struct cursor *)base)->at + 1;
    return SQLITE_OK;
}

static const sqlite3_module module = {.xCreate = connect,
                                      .xConnect = connect,
                                      .xBestIndex = best_index,
                                      .xDisconnect = disconnect,
                                      .xDestroy = disconnect,
                                      .xOpen = open_cursor,
                                      .xClose = close_cursor,
                                      .xFilter = filter,
                                      .xNext = next,
                                      .xEof = eof,
                                      .xColumn = column,
                                      .xRowid = rowid};

int xs_modelled_show(sqlite3 *db, const struct xs_modelled_tables *tables) {
    int rc = sqlite3_create_module_v2(db, MODULE, &module, (void *)(uintptr_t)tables, NULL);
    for (unsigned i = 0; i < XS_MODELLED_TABLES && rc == SQLITE_OK; i++) {
        const char *name = xs_modelled_names[i];
        char sql[160]; /* in a merged file the table's name is a view already */
        sqlite3_snprintf(sizeof sql, sql, "DROP VIEW IF EXISTS temp.%s; CREATE VIRTUAL TABLE temp.%s USING " MODULE,
                         name, name);
        rc = sqlite3_exec(db, sql, NULL, NULL, NULL);
    }
    return rc;
}
