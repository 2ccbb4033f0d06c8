/* Holds rows of a flat table; see rows.h. */
#include "analyzer/parquet/rows.h"

#include <stdlib.h>

#include "analyzer/base/grow.h"

void xs_rows_begin(struct xs_rows *rows, const struct xs_column *columns, unsigned count) {
    *rows = (struct xs_rows){.columns = columns, .column_count = count, .cells = xs_zeroed(count, sizeof *rows->cells)};
}

static void drop_texts(struct xs_rows *rows) {
    xs_texts_free(&rows->kept);
    xs_hash_free(&rows->numbers);
    rows->numbers = (struct xs_hash){0};
    rows->text_count = 0;
}

void xs_rows_free(struct xs_rows *rows) {
    for (unsigned i = 0; rows->cells && i < rows->column_count; i++)
        free(rows->cells[i]);
    free(rows->cells);
    drop_texts(rows);
    free(rows->texts);
    *rows = (struct xs_rows){0};
}

void xs_rows_clear(struct xs_rows *rows) {
    drop_texts(rows);
    rows->count = 0;
}

size_t xs_rows_add(struct xs_rows *rows, size_t count) {
    size_t first = rows->count, end = first + count;
    if (end > rows->capacity) {
        rows->capacity = end > rows->capacity * 2 ? end : rows->capacity * 2;
        for (unsigned i = 0; i < rows->column_count; i++)
            rows->cells[i] = xs_realloc(rows->cells[i], rows->capacity * sizeof **rows->cells);
    }
    for (unsigned i = 0; i < rows->column_count; i++)
        for (size_t row = first; row < end; row++)
            rows->cells[i][row] = XS_NO_VALUE;
    rows->count = end;
    return first;
}

void xs_rows_set(struct xs_rows *rows, unsigned column, size_t row, int64_t value) { rows->cells[column][row] = value; }

int64_t xs_rows_text_index(struct xs_rows *rows, const char *text) {
    const char *kept = xs_texts_keep(&rows->kept, text);
    uint64_t *number = xs_hash_put(&rows->numbers, (uintptr_t)kept, 0);
    if (!*number) {
        xs_grow(&rows->texts, rows->text_count, &rows->text_capacity, sizeof *rows->texts);
        rows->texts[rows->text_count++] = kept;
        *number = rows->text_count;
    }
    return (int64_t)*number - 1;
}

void xs_rows_set_text(struct xs_rows *rows, unsigned column, size_t row, const char *text) {
    rows->cells[column][row] = text ? xs_rows_text_index(rows, text) : XS_NO_VALUE;
}
