/* Prints tables; see table.h. */
#include "analyzer/base/table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"

#define GAP 2
#define CELL_COLUMNS 500 /* a mangled name can have 200 KB; only JSON and CSV show the whole text */
#define LEAST_COLUMNS 8  /* no column is cut below this */

struct column {
    char *header;
    bool right, optional;
    int width, shown;
};

struct xs_table {
    int indent;
    struct column *columns;
    size_t column_count;
    char **cells;
    size_t cell_count, cell_capacity;
    enum xs_style *styles; /* one per row */
    size_t style_capacity;
    bool continued, keeps_empty;
};

struct xs_table *xs_table_new(int indent) {
    struct xs_table *table = xs_realloc(NULL, sizeof *table);
    *table = (struct xs_table){.indent = indent};
    return table;
}

static void forget_rows(struct xs_table *table) {
    for (size_t i = 0; i < table->cell_count; i++)
        free(table->cells[i]);
    table->cell_count = 0;
    if (table->styles)
        memset(table->styles, 0, table->style_capacity * sizeof *table->styles);
}

void xs_table_free(struct xs_table *table) {
    if (!table)
        return;
    forget_rows(table);
    for (size_t i = 0; i < table->column_count; i++)
        free(table->columns[i].header);
    free(table->columns);
    free(table->cells);
    free(table->styles);
    free(table);
}

void xs_table_column(struct xs_table *table, const char *header, bool right) {
    size_t count = table->column_count++;
    table->columns = xs_realloc(table->columns, table->column_count * sizeof *table->columns);
    table->columns[count] = (struct column){.header = header ? xs_text_escaped(header) : NULL, .right = right};
}

void xs_table_optional(struct xs_table *table) { table->columns[table->column_count - 1].optional = true; }

void xs_table_keep_empty(struct xs_table *table) { table->keeps_empty = true; }

void xs_table_align(struct xs_table *table, int column, bool right) { table->columns[column].right = right; }

size_t xs_table_rows(const struct xs_table *table) {
    return table->column_count ? (table->cell_count + table->column_count - 1) / table->column_count : 0;
}

static void reserve_style(struct xs_table *table, size_t row) {
    if (row < table->style_capacity)
        return;
    size_t capacity = row * 2 + 8;
    table->styles = xs_realloc(table->styles, capacity * sizeof *table->styles);
    memset(table->styles + table->style_capacity, 0, (capacity - table->style_capacity) * sizeof *table->styles);
    table->style_capacity = capacity;
}

void xs_table_style_row(struct xs_table *table, enum xs_style style) {
    size_t row = table->cell_count / table->column_count;
    reserve_style(table, row);
    table->styles[row] = style;
}

void xs_table_cell(struct xs_table *table, const char *text) {
    xs_grow(&table->cells, table->cell_count, &table->cell_capacity, sizeof *table->cells);
    reserve_style(table, table->cell_count / table->column_count);
    table->cells[table->cell_count++] = xs_text_escaped(text);
}

void xs_table_format(struct xs_table *table, const char *format, ...) {
    XS_SCOPED_STRING text = {0};
    va_list arguments;
    va_start(arguments, format);
    xs_string_vformat(&text, format, arguments);
    va_end(arguments);
    xs_table_cell(table, text.data);
}

void xs_table_take(struct xs_table *table, struct xs_string *text) {
    xs_table_cell(table, text->data);
    xs_string_free(text);
}

static int line_width(const struct xs_table *table) {
    int total = table->indent;
    for (size_t i = 0; i < table->column_count; i++)
        if (table->columns[i].shown)
            total += table->columns[i].shown + (total > table->indent ? GAP : 0);
    return total;
}

/* Leaves optional columns out, then cuts the widest left-aligned column repeatedly until the line fits. */
static void fit(struct xs_table *table, int columns) {
    for (size_t i = table->column_count; i-- > 0 && line_width(table) > columns;)
        if (table->columns[i].optional)
            table->columns[i].shown = 0;
    for (int over = line_width(table) - columns; over > 0; over = line_width(table) - columns) {
        struct column *widest = NULL;
        for (size_t i = 0; i < table->column_count; i++) {
            struct column *c = &table->columns[i];
            if (!c->right && c->shown > LEAST_COLUMNS && (!widest || c->shown > widest->shown))
                widest = c;
        }
        if (!widest)
            return;
        widest->shown -= widest->shown - over > LEAST_COLUMNS && over < widest->shown / 4 ? over : 1;
    }
}

static void measure(struct xs_table *table, const struct xs_out *out) {
    XS_SCOPED bool *filled = xs_realloc(NULL, table->column_count * sizeof *filled);
    memset(filled, table->keeps_empty || table->continued || !xs_table_rows(table),
           table->column_count * sizeof *filled);
    for (size_t i = 0; i < table->cell_count; i++) {
        struct column *c = &table->columns[i % table->column_count];
        int width = xs_text_width(table->cells[i]);
        width = width > CELL_COLUMNS ? CELL_COLUMNS : width;
        c->width = width > c->width ? width : c->width;
        filled[i % table->column_count] |= width > 0;
    }
    for (size_t i = 0; i < table->column_count; i++) {
        struct column *c = &table->columns[i];
        int header = c->header ? xs_text_width(c->header) : 0;
        header = header > CELL_COLUMNS ? CELL_COLUMNS : header;
        c->width = filled[i] && header > c->width ? header : c->width;
        c->shown = filled[i] ? c->width : 0;
    }
    if (out->columns)
        fit(table, out->columns);
}

static void pad(FILE *file, int columns) {
    for (int i = 0; i < columns; i++)
        putc(' ', file);
}

static void print_cell(const struct column *c, const char *text, const struct xs_out *out, bool last) {
    const char *more = out->utf8 ? "\xe2\x80\xa6" : "...";
    int width = xs_text_width(text), room = c->shown;
    size_t bytes = strlen(text);
    const char *tail = "";
    if (width > room) {
        int mark = xs_text_width(more);
        bytes = xs_text_fit(text, room > mark ? room - mark : 0);
        tail = room >= mark ? more : "";
        width = 0;
        for (char *head = strndup(text, bytes); head; head = NULL) {
            width = xs_text_width(head) + (*tail ? mark : 0);
            free(head);
        }
    }
    if (c->right)
        pad(out->file, room - width);
    fprintf(out->file, "%.*s%s", (int)bytes, text, tail);
    if (!c->right && !last)
        pad(out->file, room - width);
}

static void print_line(const struct xs_table *table, char *const *cells, const struct xs_out *out,
                       enum xs_style style) {
    size_t last = 0; /* no blanks after the last text of a line */
    bool first = true;
    for (size_t i = 0; i < table->column_count; i++)
        if (table->columns[i].shown && cells[i] && *cells[i])
            last = i;
    pad(out->file, table->indent);
    fputs(xs_style_on(out, style), out->file);
    for (size_t i = 0; i <= last && i < table->column_count; i++) {
        const struct column *c = &table->columns[i];
        if (!c->shown)
            continue;
        if (!first)
            pad(out->file, GAP);
        first = false;
        print_cell(c, cells[i] ? cells[i] : "", out, i == last);
    }
    fprintf(out->file, "%s\n", xs_style_off(out, style));
}

void xs_table_print(struct xs_table *table, struct xs_out *out) {
    bool headed = false;
    if (!table->column_count)
        return;
    while (table->cell_count % table->column_count)
        xs_table_cell(table, NULL);
    measure(table, out);
    XS_SCOPED char **headers = xs_realloc(NULL, table->column_count * sizeof *headers);
    for (size_t i = 0; i < table->column_count; i++) {
        headers[i] = table->columns[i].header;
        headed |= headers[i] != NULL;
    }
    if (headed && !table->continued)
        print_line(table, headers, out, XS_STYLE_DIM);
    for (size_t row = 0; row < xs_table_rows(table); row++)
        print_line(table, table->cells + row * table->column_count, out, table->styles[row]);
    forget_rows(table);
    table->continued = true;
}
