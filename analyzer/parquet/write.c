/* Writes Parquet files; see write.h. A column of a group is a chunk: for texts a page with the dictionary, and then one
 * page with all values. */
#include "analyzer/parquet/write.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/grow.h"
#include "analyzer/parquet/format.h"
#include "analyzer/parquet/gzip.h"
#include "analyzer/parquet/hybrid.h"
#include "analyzer/parquet/thrift.h"

struct chunk {
    uint64_t offset, data_offset, dictionary_offset; /* dictionary_offset 0: there is no dictionary */
    uint64_t bytes, packed_bytes;                    /* of all pages, with their headers */
    bool is_packed;
};
struct xs_parquet_group {
    size_t rows;
    struct chunk *chunks; /* by column */
};

static void put(struct xs_parquet_writer *w, const void *bytes, size_t length) {
    if (length)
        fwrite(bytes, 1, length, w->file);
    w->offset += length;
}

void xs_parquet_begin(struct xs_parquet_writer *w, FILE *file, const struct xs_column *columns, unsigned count) {
    *w = (struct xs_parquet_writer){.file = file, .columns = columns, .column_count = count};
    put(w, XS_PARQUET_MAGIC, XS_PARQUET_MAGIC_BYTES);
}

/* --- pages --- */

struct page {
    enum xs_parquet_page type;
    enum xs_parquet_encoding encoding;
    size_t values;
    struct xs_string bytes;
};

static void put_page(struct xs_parquet_writer *w, const struct page *page, struct chunk *chunk) {
    XS_SCOPED_STRING packed = {0}, head = {0};
    struct xs_thrift_writer t;
    /* a chunk has one codec for all of its pages, so small pages are packed, too */
    const struct xs_string *body = chunk->is_packed ? &packed : &page->bytes;
    if (chunk->is_packed && !xs_gzip_pack(page->bytes.data, page->bytes.length, &packed))
        return;
    bool is_data = page->type == XS_PAGE_DATA;
    xs_thrift_begin(&t, &head);
    xs_thrift_field_i32(&t, XS_PAGE_TYPE, (int32_t)page->type);
    xs_thrift_field_i32(&t, XS_PAGE_BYTES, (int32_t)page->bytes.length);
    xs_thrift_field_i32(&t, XS_PAGE_COMPRESSED_BYTES, (int32_t)body->length);
    xs_thrift_field_struct(&t, is_data ? XS_PAGE_DATA_HEADER : XS_PAGE_DICTIONARY_HEADER);
    xs_thrift_field_i32(&t, XS_PAGE_VALUES, (int32_t)page->values);
    xs_thrift_field_i32(&t, XS_PAGE_ENCODING, (int32_t)page->encoding);
    if (is_data) {
        xs_thrift_field_i32(&t, XS_PAGE_DEFINITION_ENCODING, XS_ENCODING_RLE);
        xs_thrift_field_i32(&t, XS_PAGE_REPETITION_ENCODING, XS_ENCODING_RLE);
    }
    xs_thrift_end(&t);
    xs_thrift_end(&t);
    chunk->bytes += head.length + page->bytes.length;
    chunk->packed_bytes += head.length + body->length;
    put(w, head.data, head.length);
    put(w, body->data, body->length);
}

/* Adds which cells have a value: a length of four bytes, and a bit for each cell. */
static size_t add_levels(struct xs_string *out, const int64_t *cells, size_t count) {
    XS_SCOPED_STRING levels = {0};
    XS_SCOPED uint32_t *known = xs_realloc(NULL, count * sizeof *known);
    size_t values = 0;
    for (size_t i = 0; i < count; i++)
        values += known[i] = cells[i] != XS_NO_VALUE;
    xs_hybrid_add(&levels, known, count, 1);
    uint32_t length = (uint32_t)levels.length;
    xs_string_add(out, (const char *)&length, sizeof length); /* little-endian, as the machines that have CUDA */
    xs_string_add(out, levels.data, levels.length);
    return values;
}

static void add_numbers(struct xs_string *out, const int64_t *cells, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (cells[i] != XS_NO_VALUE)
            xs_string_add(out, (const char *)&cells[i], sizeof cells[i]);
}

static void add_bits(struct xs_string *out, const int64_t *cells, size_t count) {
    unsigned pending = 0, bits = 0;
    for (size_t i = 0; i < count; i++) {
        if (cells[i] == XS_NO_VALUE)
            continue;
        pending |= (unsigned)(cells[i] != 0) << bits;
        if (++bits == 8) {
            xs_string_add(out, (const char[]){(char)pending}, 1);
            pending = bits = 0;
        }
    }
    if (bits)
        xs_string_add(out, (const char[]){(char)pending}, 1);
}

/* Adds the texts of the cells to the dictionary's page, each once, and their indexes to `out`. */
static void add_indexes(struct xs_string *out, struct page *dictionary, const struct xs_rows *rows,
                        const int64_t *cells, size_t count) {
    XS_SCOPED uint32_t *index_of = xs_zeroed(rows->text_count, sizeof *index_of);
    XS_SCOPED uint32_t *indexes = xs_realloc(NULL, count * sizeof *indexes);
    size_t values = 0;
    for (size_t i = 0; i < count; i++) {
        if (cells[i] == XS_NO_VALUE)
            continue;
        uint32_t *index = &index_of[cells[i]];
        if (!*index) {
            const char *text = rows->texts[cells[i]];
            uint32_t length = (uint32_t)strlen(text);
            xs_string_add(&dictionary->bytes, (const char *)&length, sizeof length);
            xs_string_add(&dictionary->bytes, text, length);
            *index = (uint32_t)++dictionary->values;
        }
        indexes[values++] = *index - 1;
    }
    unsigned bits = xs_bits_of(dictionary->values ? dictionary->values - 1 : 0);
    bits = bits ? bits : 1; /* some readers do not expect 0 bits */
    xs_string_add(out, (const char[]){(char)bits}, 1);
    xs_hybrid_add(out, indexes, values, bits);
}

/* --- chunks and groups --- */

/* A page of less than this is not packed, because gzip's own head and tail take 18 bytes. */
enum { LEAST_PACKED = 64 };

/* True if packing makes every page of the chunk smaller. */
static bool is_worth_packing(const struct page *data, const struct page *dictionary) {
    const struct page *const pages[] = {data, dictionary};
    for (size_t i = 0; i < 2; i++) {
        XS_SCOPED_STRING packed = {0};
        if (pages[i]->bytes.length && (pages[i]->bytes.length < LEAST_PACKED ||
                                       !xs_gzip_pack(pages[i]->bytes.data, pages[i]->bytes.length, &packed)))
            return false;
    }
    return true;
}

static void put_chunk(struct xs_parquet_writer *w, const struct xs_rows *rows, unsigned column, size_t from,
                      size_t count, struct chunk *chunk) {
    const int64_t *cells = rows->cells[column] + from;
    struct page data = {.type = XS_PAGE_DATA, .values = count}, dictionary = {.type = XS_PAGE_DICTIONARY};
    size_t values = add_levels(&data.bytes, cells, count);
    switch (w->columns[column].type) {
    case XS_COLUMN_BOOL:
        add_bits(&data.bytes, cells, count);
        break;
    case XS_COLUMN_TEXT:
        if (!values)
            break;
        data.encoding = XS_ENCODING_RLE_DICTIONARY;
        add_indexes(&data.bytes, &dictionary, rows, cells, count);
        break;
    case XS_COLUMN_INT:
    case XS_COLUMN_TIME:
        add_numbers(&data.bytes, cells, count);
        break;
    }
    *chunk = (struct chunk){.offset = w->offset, .is_packed = is_worth_packing(&data, &dictionary)};
    if (dictionary.values) {
        chunk->dictionary_offset = w->offset;
        put_page(w, &dictionary, chunk);
    }
    chunk->data_offset = w->offset;
    put_page(w, &data, chunk);
    xs_string_free(&data.bytes);
    xs_string_free(&dictionary.bytes);
}

void xs_parquet_add(struct xs_parquet_writer *w, const struct xs_rows *rows, size_t from, size_t to) {
    for (size_t count; from < to; from += count) {
        count = to - from < XS_PARQUET_ROWS_A_GROUP ? to - from : XS_PARQUET_ROWS_A_GROUP;
        struct xs_parquet_group group = {.rows = count, .chunks = xs_zeroed(w->column_count, sizeof *group.chunks)};
        for (unsigned column = 0; column < w->column_count; column++)
            put_chunk(w, rows, column, from, count, &group.chunks[column]);
        xs_grow(&w->groups, w->group_count, &w->group_capacity, sizeof *w->groups);
        w->groups[w->group_count++] = group;
    }
}

/* --- the footer --- */

static enum xs_parquet_physical physical_of(enum xs_column_type type) {
    static const enum xs_parquet_physical of[] = {[XS_COLUMN_INT] = XS_PHYSICAL_INT64,
                                                  [XS_COLUMN_BOOL] = XS_PHYSICAL_BOOLEAN,
                                                  [XS_COLUMN_TIME] = XS_PHYSICAL_INT64,
                                                  [XS_COLUMN_TEXT] = XS_PHYSICAL_BYTE_ARRAY};
    return of[type];
}

/* Writes what a text or a time is, in the old and in the new form, because readers know one or the other. */
static void put_meaning(struct xs_thrift_writer *t, enum xs_column_type type) {
    if (type == XS_COLUMN_TEXT) {
        xs_thrift_field_i32(t, XS_ELEMENT_CONVERTED, XS_CONVERTED_UTF8);
        xs_thrift_field_struct(t, XS_ELEMENT_LOGICAL);
        xs_thrift_field_struct(t, XS_LOGICAL_STRING);
        xs_thrift_end(t);
        xs_thrift_end(t);
    } else if (type == XS_COLUMN_TIME) {
        xs_thrift_field_i32(t, XS_ELEMENT_CONVERTED, XS_CONVERTED_TIMESTAMP_MICROS);
        xs_thrift_field_struct(t, XS_ELEMENT_LOGICAL);
        xs_thrift_field_struct(t, XS_LOGICAL_TIMESTAMP);
        xs_thrift_field_bool(t, XS_TIMESTAMP_UTC, true);
        xs_thrift_field_struct(t, XS_TIMESTAMP_UNIT);
        xs_thrift_field_struct(t, XS_UNIT_MICROS);
        for (unsigned i = 0; i < 4; i++) /* the unit's value, the unit, the time stamp, the logical type */
            xs_thrift_end(t);
    }
}

static void put_schema(struct xs_thrift_writer *t, const struct xs_parquet_writer *w) {
    xs_thrift_field_list(t, XS_FILE_SCHEMA, XS_THRIFT_STRUCT, w->column_count + 1);
    xs_thrift_item_struct(t);
    xs_thrift_field_text(t, XS_ELEMENT_NAME, "schema");
    xs_thrift_field_i32(t, XS_ELEMENT_CHILDREN, (int32_t)w->column_count);
    xs_thrift_end(t);
    for (unsigned i = 0; i < w->column_count; i++) {
        xs_thrift_item_struct(t);
        xs_thrift_field_i32(t, XS_ELEMENT_TYPE, (int32_t)physical_of(w->columns[i].type));
        xs_thrift_field_i32(t, XS_ELEMENT_REPETITION, XS_REPETITION_OPTIONAL);
        xs_thrift_field_text(t, XS_ELEMENT_NAME, w->columns[i].name);
        put_meaning(t, w->columns[i].type);
        xs_thrift_end(t);
    }
}

static void put_chunk_meta(struct xs_thrift_writer *t, const struct xs_column *column, const struct chunk *chunk,
                           size_t rows) {
    xs_thrift_item_struct(t);
    xs_thrift_field_i64(t, XS_CHUNK_OFFSET, (int64_t)chunk->offset);
    xs_thrift_field_struct(t, XS_CHUNK_META);
    xs_thrift_field_i32(t, XS_META_TYPE, (int32_t)physical_of(column->type));
    xs_thrift_field_list(t, XS_META_ENCODINGS, XS_THRIFT_I32, chunk->dictionary_offset ? 3 : 2);
    xs_thrift_item_i32(t, XS_ENCODING_PLAIN);
    xs_thrift_item_i32(t, XS_ENCODING_RLE);
    if (chunk->dictionary_offset)
        xs_thrift_item_i32(t, XS_ENCODING_RLE_DICTIONARY);
    xs_thrift_field_list(t, XS_META_PATH, XS_THRIFT_BINARY, 1);
    xs_thrift_item_text(t, column->name);
    xs_thrift_field_i32(t, XS_META_CODEC, chunk->is_packed ? XS_CODEC_GZIP : XS_CODEC_NONE);
    xs_thrift_field_i64(t, XS_META_VALUES, (int64_t)rows);
    xs_thrift_field_i64(t, XS_META_BYTES, (int64_t)chunk->bytes);
    xs_thrift_field_i64(t, XS_META_COMPRESSED_BYTES, (int64_t)chunk->packed_bytes);
    xs_thrift_field_i64(t, XS_META_DATA_OFFSET, (int64_t)chunk->data_offset);
    if (chunk->dictionary_offset)
        xs_thrift_field_i64(t, XS_META_DICTIONARY_OFFSET, (int64_t)chunk->dictionary_offset);
    xs_thrift_end(t);
    xs_thrift_end(t);
}

static void put_group(struct xs_thrift_writer *t, const struct xs_parquet_writer *w,
                      const struct xs_parquet_group *group) {
    uint64_t bytes = 0;
    xs_thrift_item_struct(t);
    xs_thrift_field_list(t, XS_GROUP_COLUMNS, XS_THRIFT_STRUCT, w->column_count);
    for (unsigned i = 0; i < w->column_count; i++) {
        put_chunk_meta(t, &w->columns[i], &group->chunks[i], group->rows);
        bytes += group->chunks[i].bytes;
    }
    xs_thrift_field_i64(t, XS_GROUP_BYTES, (int64_t)bytes);
    xs_thrift_field_i64(t, XS_GROUP_ROWS, (int64_t)group->rows);
    xs_thrift_end(t);
}

void xs_parquet_end(struct xs_parquet_writer *w, const char *created_by, const char *const *keys,
                    const char *const *values, size_t count) {
    XS_SCOPED_STRING footer = {0};
    struct xs_thrift_writer t;
    uint64_t rows = 0;
    for (size_t i = 0; i < w->group_count; i++)
        rows += w->groups[i].rows;
    xs_thrift_begin(&t, &footer);
    xs_thrift_field_i32(&t, XS_FILE_VERSION, 1);
    put_schema(&t, w);
    xs_thrift_field_i64(&t, XS_FILE_ROWS, (int64_t)rows);
    xs_thrift_field_list(&t, XS_FILE_GROUPS, XS_THRIFT_STRUCT, w->group_count);
    for (size_t i = 0; i < w->group_count; i++)
        put_group(&t, w, &w->groups[i]);
    xs_thrift_field_list(&t, XS_FILE_KEY_VALUES, XS_THRIFT_STRUCT, count);
    for (size_t i = 0; i < count; i++) {
        xs_thrift_item_struct(&t);
        xs_thrift_field_text(&t, XS_KEY_VALUE_KEY, keys[i]);
        xs_thrift_field_text(&t, XS_KEY_VALUE_VALUE, values[i]);
        xs_thrift_end(&t);
    }
    xs_thrift_field_text(&t, XS_FILE_CREATED_BY, created_by);
    xs_thrift_end(&t);
    uint32_t length = (uint32_t)footer.length;
    put(w, footer.data, footer.length);
    put(w, &length, sizeof length);
    put(w, XS_PARQUET_MAGIC, XS_PARQUET_MAGIC_BYTES);
    for (size_t i = 0; i < w->group_count; i++)
        free(w->groups[i].chunks);
    free(w->groups);
    *w = (struct xs_parquet_writer){0};
}
