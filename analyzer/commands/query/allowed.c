/* Decides what a statement of `query` may do; see allowed.h. */
#include "analyzer/commands/query/allowed.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"

/* Functions that only compute a result from their arguments. Functions are not in the list if they load code, use or
 * return addresses (fts3_tokenizer), make large values from small arguments (zeroblob, randomblob), or return data
 * about the connection. */
static const char *const functions[] = {
    "abs", "avg", "char", "coalesce", "concat", "concat_ws", "count", "cume_dist", "current_date", "current_time",
    "current_timestamp", "date", "datetime", "dense_rank", "first_value", "format", "glob", "group_concat", "hex",
    "ifnull", "iif", "instr", "julianday", "lag", "last_value", "lead", "length", "like", "likelihood", "likely",
    "lower", "ltrim", "max", "min", "nth_value", "ntile", "nullif", "octet_length", "percent_rank", "printf", "quote",
    "random", "rank", "replace", "round", "row_number", "rtrim", "sign", "sqlite_version", "strftime", "string_agg",
    "substr", "substring", "sum", "time", "timediff", "total", "trim", "typeof", "unhex", "unicode", "unixepoch",
    "unlikely", "upper",
    /* mathematics */
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "ceil", "ceiling", "cos", "cosh", "degrees", "exp",
    "floor", "ln", "log", "log10", "log2", "mod", "pi", "pow", "power", "radians", "sin", "sinh", "sqrt", "tan", "tanh",
    "trunc",
    /* JSON */
    "->", "->>", "json", "json_array", "json_array_length", "json_extract", "json_group_array", "json_group_object",
    "json_insert", "json_object", "json_patch", "json_quote", "json_remove", "json_replace", "json_set", "json_type",
    "json_valid"};

enum { FUNCTIONS = sizeof functions / sizeof *functions };

/* Names that were read from SQLite; there are so few that sorting them is not worthwhile. */
struct names {
    char **items;
    size_t count;
};

struct xs_query_guard {
    sqlite3 *db;
    struct names tables;  /* tables and views that may be read */
    struct names modules; /* names of the modules of virtual tables */
    char refused[256];    /* the first thing that was refused; "": nothing */
};

static bool is_one_of(const char *const *names, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++)
        if (!sqlite3_stricmp(names[i], name))
            return true;
    return false;
}

static void add_names(sqlite3 *db, const char *sql, struct names *names) {
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK) {
        while (sqlite3_step(statement) == SQLITE_ROW) {
            const char *name = (const char *)sqlite3_column_text(statement, 0);
            names->items = xs_realloc(names->items, (names->count + 1) * sizeof *names->items);
            names->items[names->count++] = xs_strdup(name ? name : "");
        }
    }
    sqlite3_finalize(statement);
}

static void free_names(struct names *names) {
    for (size_t i = 0; i < names->count; i++)
        free(names->items[i]);
    free(names->items);
}

static bool is_virtual(const struct xs_query_guard *guard, const char *name) {
    return is_one_of((const char *const *)guard->modules.items, guard->modules.count, name) ||
           !sqlite3_strnicmp(name, "pragma_", 7);
}

/* True if a statement may read a column. SQLite also asks for the table of a WITH clause, without a column if it needs
 * none. Such a table may have any name except a virtual table's name, because the two look the same here. */
static bool may_read(const struct xs_query_guard *guard, const char *table, const char *column) {
    return is_one_of((const char *const *)guard->tables.items, guard->tables.count, table) ||
           ((!column || !*column) && !is_virtual(guard, table));
}

static const char only_tables[] = "it reads tables and views of a trace, not ";

static int refuse(struct xs_query_guard *guard, const char *what, const char *name) {
    if (!guard->refused[0])
        snprintf(guard->refused, sizeof guard->refused, "%s%.160s", what, name ? name : "");
    return SQLITE_DENY;
}

static int authorize(void *data, int action, const char *first, const char *second, const char *database,
                     const char *trigger) {
    struct xs_query_guard *guard = data;
    (void)database;
    (void)trigger;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_RECURSIVE:
        return SQLITE_OK;
    case SQLITE_READ:
        return first && may_read(guard, first, second) ? SQLITE_OK : refuse(guard, only_tables, first);
    case SQLITE_FUNCTION: /* the second name is the function's */
        return second && is_one_of(functions, FUNCTIONS, second)
                   ? SQLITE_OK
                   : refuse(guard, "it cannot call the function ", second);
    case SQLITE_PRAGMA:
        return refuse(guard, "it cannot use PRAGMA ", first);
    case SQLITE_ATTACH:
        return refuse(guard, "it cannot open other files (ATTACH)", NULL);
    default:
        return refuse(guard, "it cannot change anything, use a virtual table, or begin a transaction", NULL);
    }
}

/* Returns the virtual table that an error is about; NULL: none. When SQLite first uses a virtual table, it lets the
 * table declare its columns as for a new table. The guard refuses that, so the statement fails before it reads
 * anything. */
static const char *virtual_table_of(const char *error) {
    static const char failed[] = "vtable constructor failed: ";
    return strncmp(error, failed, sizeof failed - 1) ? NULL : error + sizeof failed - 1;
}

const char *xs_query_refused(struct xs_query_guard *guard) {
    const char *table = virtual_table_of(sqlite3_errmsg(guard->db));
    if (guard->refused[0] && table)
        snprintf(guard->refused, sizeof guard->refused, "%s%.160s", only_tables, table);
    return guard->refused[0] ? guard->refused : NULL;
}

struct xs_query_guard *xs_query_guard_begin(sqlite3 *db) {
    struct xs_query_guard *guard = xs_realloc(NULL, sizeof *guard);
    *guard = (struct xs_query_guard){.db = db};
    add_names(db,
              "SELECT name FROM sqlite_master WHERE type IN ('table', 'view')"
              " UNION SELECT name FROM sqlite_temp_master WHERE type IN ('table', 'view')"
              " UNION VALUES ('sqlite_master'), ('sqlite_schema'), ('sqlite_temp_master'), ('sqlite_temp_schema')",
              &guard->tables);
    add_names(db, "PRAGMA module_list", &guard->modules);
    sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_set_authorizer(db, authorize, guard);
    return guard;
}

void xs_query_guard_end(struct xs_query_guard *guard) {
    sqlite3_set_authorizer(guard->db, NULL, NULL);
    free_names(&guard->tables);
    free_names(&guard->modules);
    free(guard);
}
