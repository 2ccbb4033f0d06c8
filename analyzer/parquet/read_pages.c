/* Reads columns of Parquet files, page by page; see read.h. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/parquet/format.h"
#include "analyzer/parquet/gzip.h"
#include "analyzer/parquet/hybrid.h"
#include "analyzer/parquet/read_internal.h"
#include "analyzer/parquet/thrift.h"

static const char damaged[] = "a page of it is damaged";

struct page {
    int64_t type, bytes, packed_bytes, values, encoding;
};

/* A column that is being read. */
struct column {
    struct xs_parquet_reader *r;
    const struct xs_parquet_read_column *of;
    struct xs_rows *rows;
    unsigned index; /* of the column in `rows` */
    int codec;
    size_t row, end;     /* the next row to fill, and the row after the last one */
    int64_t *dictionary; /* values of the cells, by index; NULL: no dictionary was read */
    size_t dictionary_count;
};

static void read_page_values(struct xs_thrift_reader *t, struct page *page) {
    struct xs_thrift_field field = {0};
    while (xs_thrift_next(t, &field))
        if (field.number == XS_PAGE_VALUES)
            page->values = xs_thrift_int(t, &field);
        else if (field.number == XS_PAGE_ENCODING)
            page->encoding = xs_thrift_int(t, &field);
        else
            xs_thrift_skip(t, &field);
}

static bool read_page_head(struct xs_thrift_reader *t, struct page *page) {
    struct xs_thrift_field field = {0};
    *page = (struct page){.type = -1, .values = -1, .encoding = -1};
    while (xs_thrift_next(t, &field)) {
        bool is_struct = field.type == XS_THRIFT_STRUCT;
        if (field.number == XS_PAGE_TYPE)
            page->type = xs_thrift_int(t, &field);
        else if (field.number == XS_PAGE_BYTES)
            page->bytes = xs_thrift_int(t, &field);
        else if (field.number == XS_PAGE_COMPRESSED_BYTES)
            page->packed_bytes = xs_thrift_int(t, &field);
        else if (is_struct && (field.number == XS_PAGE_DATA_HEADER || field.number == XS_PAGE_DICTIONARY_HEADER))
            read_page_values(t, page);
        else
            xs_thrift_skip(t, &field);
    }
    return !t->failed && page->bytes >= 0 && page->bytes <= XS_PARQUET_PAGE_BYTES && page->packed_bytes >= 0 &&
           page->packed_bytes <= t->end - t->at && page->values >= 0 && page->values <= XS_PARQUET_GROUP_ROWS;
}

/* --- values --- */

/* Reads the next PLAIN value as a cell's value. */
static bool read_plain(struct column *c, struct xs_thrift_reader *t, int64_t *cell) {
    size_t left = (size_t)(t->end - t->at);
    if (c->of->physical == XS_PHYSICAL_INT64) {
        if (left < sizeof *cell)
            return false;
        memcpy(cell, t->at, sizeof *cell);
        t->at += sizeof *cell;
        if (c->of->per_us > 1)
            *cell /= c->of->per_us;
        else if (c->of->per_us < 0 && __builtin_mul_overflow(*cell, -c->of->per_us, cell))
            *cell = XS_NO_VALUE;
        return true;
    }
    uint32_t length;
    if (left < sizeof length)
        return false;
    memcpy(&length, t->at, sizeof length);
    if (length > left - sizeof length)
        return false;
    char *text = xs_strndup((const char *)t->at + sizeof length, length);
    *cell = xs_rows_text_index(c->rows, text);
    free(text);
    t->at += sizeof length + length;
    return true;
}

static bool read_dictionary(struct column *c, const struct page *page, struct xs_thrift_reader *t) {
    if (c->dictionary || c->of->physical == XS_PHYSICAL_BOOLEAN ||
        (uint64_t)page->values > (uint64_t)(t->end - t->at)) /* each value takes more than a byte */
        return false;
    c->dictionary = xs_zeroed((size_t)page->values, sizeof *c->dictionary);
    c->dictionary_count = (size_t)page->values;
    for (size_t i = 0; i < c->dictionary_count; i++)
        if (!read_plain(c, t, &c->dictionary[i]))
            return false;
    return true;
}

/* Reads which of the page's rows have a value; returns how many have one, or -1 after a mistake. */
static int64_t read_levels(const struct column *c, size_t count, struct xs_thrift_reader *t, uint32_t *levels) {
    uint32_t length;
    int64_t values = 0;
    if (!c->of->is_optional) {
        for (size_t i = 0; i < count; i++)
            levels[i] = 1;
        return (int64_t)count;
    }
    if ((size_t)(t->end - t->at) < sizeof length)
        return -1;
    memcpy(&length, t->at, sizeof length);
    t->at += sizeof length;
    if (length > (size_t)(t->end - t->at) || !xs_hybrid_read(t->at, length, 1, levels, count))
        return -1;
    t->at += length;
    for (size_t i = 0; i < count; i++)
        values += levels[i] & 1;
    return values;
}

/* Reads the values of a page, one after another, into `values`. */
static bool read_values(struct column *c, const struct page *page, struct xs_thrift_reader *t, int64_t *values,
                        size_t count) {
    if (page->encoding == XS_ENCODING_PLAIN && c->of->physical == XS_PHYSICAL_BOOLEAN) {
        if ((count + 7) / 8 > (size_t)(t->end - t->at))
            return false;
        for (size_t i = 0; i < count; i++)
            values[i] = t->at[i / 8] >> i % 8 & 1;
        return true;
    }
    if (page->encoding == XS_ENCODING_PLAIN) {
        for (size_t i = 0; i < count; i++)
            if (!read_plain(c, t, &values[i]))
                return false;
        return true;
    }
    if ((page->encoding != XS_ENCODING_RLE_DICTIONARY && page->encoding != XS_ENCODING_PLAIN_DICTIONARY) ||
        t->at == t->end)
        return !count && page->encoding >= 0;
    XS_SCOPED uint32_t *indexes = xs_realloc(NULL, count * sizeof *indexes);
    unsigned bits = *t->at++;
    if (!xs_hybrid_read(t->at, (size_t)(t->end - t->at), bits, indexes, count))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (indexes[i] >= c->dictionary_count)
            return false;
        values[i] = c->dictionary[indexes[i]];
    }
    return true;
}

static bool read_data(struct column *c, const struct page *page, struct xs_thrift_reader *t) {
    size_t count = (size_t)page->values;
    if (count > c->end - c->row)
        return false;
    XS_SCOPED uint32_t *levels = xs_realloc(NULL, count * sizeof *levels);
    int64_t known = read_levels(c, count, t, levels);
    if (known < 0)
        return false;
    XS_SCOPED int64_t *values = xs_realloc(NULL, (size_t)known * sizeof *values);
    if (!read_values(c, page, t, values, (size_t)known))
        return false;
    int64_t *cells = c->rows->cells[c->index] + c->row;
    for (size_t i = 0, next = 0; i < count; i++)
        if (levels[i] & 1)
            cells[i] = values[next++];
    c->row += count;
    return true;
}

/* --- pages --- */

static bool read_page(struct column *c, const struct page *page, const uint8_t *packed) {
    XS_SCOPED char *unpacked = NULL;
    struct xs_thrift_reader t = {.at = packed, .end = packed + page->packed_bytes};
    if (c->codec == XS_CODEC_GZIP) {
        unpacked = xs_realloc(NULL, (size_t)page->bytes);
        if (!xs_gzip_unpack(packed, (size_t)page->packed_bytes, unpacked, (size_t)page->bytes))
            return xs_parquet_fail(c->r, xs_gzip_is_available() ? damaged
                                                                : "it is packed by gzip, and this build has no zlib");
        t = (struct xs_thrift_reader){.at = (const uint8_t *)unpacked, .end = (const uint8_t *)unpacked + page->bytes};
    }
    bool is_fine = page->type == XS_PAGE_DICTIONARY ? read_dictionary(c, page, &t)
                                                    : page->type == XS_PAGE_DATA && read_data(c, page, &t);
    return is_fine ? true : xs_parquet_fail(c->r, damaged);
}

static bool read_chunk(struct column *c, const struct xs_parquet_chunk *chunk) {
    if (chunk->codec != XS_CODEC_NONE && chunk->codec != XS_CODEC_GZIP)
        return xs_parquet_fail(c->r, "it is packed otherwise than by gzip");
    if (chunk->bytes < 0 || chunk->bytes > c->r->bytes)
        return xs_parquet_fail(c->r, damaged);
    XS_SCOPED uint8_t *bytes = xs_realloc(NULL, (size_t)chunk->bytes);
    if (!xs_parquet_bytes(c->r, chunk->offset, bytes, (size_t)chunk->bytes))
        return false;
    struct xs_thrift_reader t = {.at = bytes, .end = bytes + chunk->bytes};
    while (c->row < c->end) {
        struct page page;
        if (!read_page_head(&t, &page))
            return xs_parquet_fail(c->r, damaged);
        if (!read_page(c, &page, t.at))
            return false;
        t.at += page.packed_bytes;
    }
    return true;
}

/* True if a column of the file can become a column of the rows. */
static bool fits(enum xs_column_type type, int physical) {
    switch (type) {
    case XS_COLUMN_TEXT:
        return physical == XS_PHYSICAL_BYTE_ARRAY;
    case XS_COLUMN_BOOL:
        return physical == XS_PHYSICAL_BOOLEAN;
    case XS_COLUMN_INT:
    case XS_COLUMN_TIME:
    default:
        return physical == XS_PHYSICAL_INT64;
    }
}

static bool read_column(struct xs_parquet_reader *r, size_t group, size_t in_file, struct xs_rows *rows, unsigned index,
                        size_t first) {
    const struct xs_parquet_chunk *chunk = &r->groups[group].chunks[in_file];
    struct column c = {.r = r,
                       .of = &r->columns[in_file],
                       .rows = rows,
                       .index = index,
                       .codec = chunk->codec,
                       .row = first,
                       .end = rows->count};
    if (!fits(rows->columns[index].type, r->columns[in_file].physical))
        return xs_parquet_fail(r, "a column of it has another type");
    bool is_fine = read_chunk(&c, chunk);
    free(c.dictionary);
    return is_fine;
}

bool xs_parquet_read(struct xs_parquet_reader *r, size_t group, struct xs_rows *rows, const bool *wanted) {
    size_t first = xs_rows_add(rows, (size_t)r->groups[group].rows);
    for (unsigned i = 0; i < rows->column_count; i++) {
        size_t in_file = 0;
        while (in_file < r->column_count && strcmp(r->columns[in_file].name, rows->columns[i].name) != 0)
            in_file++;
        if (in_file < r->column_count && (!wanted || wanted[i]) && !read_column(r, group, in_file, rows, i, first))
            return false;
    }
    return true;
}
