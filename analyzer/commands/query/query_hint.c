/* Writes a hint for a missing column or table. */
#include <ctype.h>
#include <sqlite3.h>
#include <string.h>

#include "analyzer/base/text.h"
#include "analyzer/commands/query/query.h"
#include "analyzer/trace/scan.h"
#include "schema/spelling.h"

enum { TYPE, NAME, COLUMNS };

static bool is_of_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

static bool has_word(const char *sql, const char *word) {
    size_t bytes = strlen(word);
    for (const char *at = sql; bytes && (at = strcasestr(at, word)); at++)
        if ((at == sql || !is_of_word(at[-1])) && !is_of_word(at[bytes]))
            return true;
    return false;
}

/* Tries the columns of "a, b, c". */
static void try_columns(struct xs_nearest *nearest, const char *columns) {
    char name[sizeof nearest->name];
    for (size_t bytes; *columns; columns += bytes + strspn(columns + bytes, ", ")) {
        bytes = strcspn(columns, ",");
        if (bytes < sizeof name) {
            memcpy(name, columns, bytes);
            name[bytes] = 0;
            xs_nearest_try(nearest, name);
        }
    }
}

/* Returns the x of "no such column: t.x". */
static const char *after(const char *error, const char *what) {
    const char *missing = strncmp(error, what, strlen(what)) ? NULL : error + strlen(what);
    const char *dot = missing ? strrchr(missing, '.') : NULL;
    return dot ? dot + 1 : missing;
}

void xs_query_hint(const struct xs_trace *trace, const char *sql, const char *tables_sql, const char *error,
                   struct xs_string *hint) {
    const char *column = after(error, "no such column: "), *table = after(error, "no such table: ");
    char message[XS_TRACE_MESSAGE_BYTES];
    XS_SCOPED_STRING of_tables = {0};
    struct xs_nearest nearest;
    struct xs_scan scan;
    if (!column && !table)
        return;
    xs_nearest_begin(&nearest, column ? column : table, strlen(column ? column : table));
    xs_scan_begin(&scan, trace, tables_sql, message, NULL);
    while (xs_scan_row(&scan)) {
        const char *name = xs_scan_text(&scan, NAME), *columns = xs_scan_text(&scan, COLUMNS);
        if (table) {
            xs_nearest_try(&nearest, name);
        } else if (has_word(sql, name)) {
            try_columns(&nearest, columns);
            xs_string_format(&of_tables, "; %s has %s", name, columns);
        }
    }
    xs_scan_end(&scan); /* if this fails, there is no hint */
    const char *meant = xs_nearest_name(&nearest);
    if (meant)
        xs_string_format(hint, "; did you mean `%s'?", meant);
    if (of_tables.length)
        xs_string_format(hint, "%s%s", meant ? "" : ";", of_tables.data + 1);
}
