/* Writes the rows of a query as a table, CSV, TSV or JSON. */
#include <sqlite3.h>
#include <string.h>

#include "analyzer/base/csv.h"
#include "analyzer/base/json.h"
#include "analyzer/base/table.h"
#include "analyzer/base/text.h"
#include "analyzer/commands/query/query.h"

#define ROWS_MEASURED 1000
#define BYTES_MEASURED (8 << 20) /* limit of the rows that are kept to measure columns; one value can have 16 MiB */

/* Sets `text` to the text of a value; blobs are written as SQL literals. */
static void value_text(sqlite3_stmt *statement, int column, struct xs_string *text) {
    if (sqlite3_column_type(statement, column) == SQLITE_BLOB) {
        const unsigned char *bytes = sqlite3_column_blob(statement, column);
        int count = sqlite3_column_bytes(statement, column);
        xs_string_add(text, "x'", 2);
        for (int i = 0; i < count; i++)
            xs_string_format(text, "%02x", bytes[i]);
        xs_string_add(text, "'", 1);
        return;
    }
    const char *value = (const char *)sqlite3_column_text(statement, column);
    xs_string_add(text, value ? value : "", value ? (size_t)sqlite3_column_bytes(statement, column) : 0);
}

static bool is_number(int type) { return type == SQLITE_INTEGER || type == SQLITE_FLOAT; }

static int print_table(sqlite3_stmt *statement, struct xs_out *out) {
    int columns = sqlite3_column_count(statement), code;
    XS_SCOPED_TABLE *table = xs_table_new(0);
    for (int i = 0; i < columns; i++)
        xs_table_column(table, sqlite3_column_name(statement, i), false);
    xs_table_keep_empty(table);
    size_t rows = 0, bytes = 0;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        for (int i = 0; i < columns; i++) {
            XS_SCOPED_STRING text = {0};
            value_text(statement, i, &text);
            xs_table_cell(table, text.data);
            bytes += text.length;
            if (!rows && is_number(sqlite3_column_type(statement, i)))
                xs_table_align(table, i, true);
        }
        if (++rows % ROWS_MEASURED == 0 || bytes > BYTES_MEASURED) {
            xs_table_print(table, out);
            bytes = 0;
        }
    }
    if (code == SQLITE_DONE && (xs_table_rows(table) || !rows))
        xs_table_print(table, out);
    return code;
}

/* Prints a field. TSV has no quotes, so its separators are escaped. */
static void print_field(FILE *file, const char *text, size_t bytes, bool number, char separator) {
    XS_SCOPED_STRING escaped = {0};
    xs_string_add(&escaped, "", 0);
    if (text)
        xs_string_escape(&escaped, text, bytes);
    if (separator == ',')
        xs_csv_field(file, escaped.data, number);
    else
        fputs(escaped.data, file);
}

static void print_names(sqlite3_stmt *statement, char separator, struct xs_out *out) {
    int columns = sqlite3_column_count(statement);
    for (int i = 0; i < columns; i++) {
        const char *name = sqlite3_column_name(statement, i);
        if (i)
            putc(separator, out->file);
        print_field(out->file, name, name ? strlen(name) : 0, false, separator);
    }
    putc('\n', out->file);
}

static int print_separated(sqlite3_stmt *statement, char separator, struct xs_out *out) {
    int columns = sqlite3_column_count(statement), code;
    print_names(statement, separator, out);
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        for (int i = 0; i < columns; i++) {
            XS_SCOPED_STRING text = {0};
            bool number = is_number(sqlite3_column_type(statement, i)); /* must be called before the value is read as
                                                                           text, because that changes the type */
            value_text(statement, i, &text);
            if (i)
                putc(separator, out->file);
            print_field(out->file, text.data, text.length, number, separator);
        }
        putc('\n', out->file);
    }
    return code;
}

static void json_value(sqlite3_stmt *statement, int column, struct xs_json *json) {
    const char *name = sqlite3_column_name(statement, column);
    struct xs_string text = {0};
    name = name ? name : "";
    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_NULL:
        xs_json_null(json, name);
        break;
    case SQLITE_INTEGER:
        xs_json_int(json, name, sqlite3_column_int64(statement, column));
        break;
    case SQLITE_FLOAT:
        xs_json_number(json, name, sqlite3_column_double(statement, column));
        break;
    default:
        value_text(statement, column, &text);
        xs_json_text_bytes(json, name, text.data ? text.data : "", text.length);
        xs_string_free(&text);
    }
}

static int print_json(sqlite3_stmt *statement, struct xs_out *out) {
    struct xs_json json = {.file = out->file};
    int columns = sqlite3_column_count(statement), code;
    xs_json_array(&json, NULL);
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        xs_json_object(&json, NULL);
        for (int i = 0; i < columns; i++)
            json_value(statement, i, &json);
        xs_json_end(&json, '}');
    }
    xs_json_end(&json, ']');
    return code;
}

int xs_query_print(sqlite3_stmt *statement, enum xs_query_format format, struct xs_out *out) {
    if (format == XS_QUERY_CSV || format == XS_QUERY_TSV)
        return print_separated(statement, format == XS_QUERY_CSV ? ',' : '\t', out);
    return format == XS_QUERY_JSON ? print_json(statement, out) : print_table(statement, out);
}
