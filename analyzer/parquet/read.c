/* Reads the footer of Parquet files, and opens and closes them; see read.h. */
#include "analyzer/parquet/read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/grow.h"
#include "analyzer/parquet/format.h"
#include "analyzer/parquet/read_internal.h"
#include "analyzer/parquet/thrift.h"

bool xs_parquet_fail(struct xs_parquet_reader *r, const char *why) {
    r->why = why;
    return false;
}

bool xs_parquet_bytes(struct xs_parquet_reader *r, int64_t offset, void *bytes, size_t length) {
    char *to = bytes;
    if (offset < 0 || (uint64_t)offset > (uint64_t)r->bytes || length > (uint64_t)(r->bytes - offset))
        return xs_parquet_fail(r, "a part of it would lie behind its end");
    while (length) {
        ssize_t got = pread(r->descriptor, to, length, offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return xs_parquet_fail(r, got ? strerror(errno) : "it became shorter while it was read");
        to += got;
        offset += got;
        length -= (size_t)got;
    }
    return true;
}

/* --- the schema --- */

struct element {
    struct xs_parquet_read_column column;
    int64_t children;
    bool is_repeated;
};

/* Reads the unit of a time: { 1: is UTC, 2: { 1: milliseconds, 2: microseconds or 3: nanoseconds } }. */
static int64_t read_unit(struct xs_thrift_reader *t) {
    static const int64_t per_us[] = {1, -1000, 1, 1000};
    int64_t unit = 1;
    struct xs_thrift_field field = {0};
    while (xs_thrift_next(t, &field)) {
        struct xs_thrift_field inner = {0};
        if (field.number != XS_TIMESTAMP_UNIT || field.type != XS_THRIFT_STRUCT) {
            xs_thrift_skip(t, &field);
            continue;
        }
        while (xs_thrift_next(t, &inner)) {
            if (inner.number > 0 && inner.number < (int)(sizeof per_us / sizeof *per_us))
                unit = per_us[inner.number];
            xs_thrift_skip(t, &inner);
        }
    }
    return unit;
}

static void read_logical(struct xs_thrift_reader *t, struct element *e) {
    struct xs_thrift_field field = {0};
    while (xs_thrift_next(t, &field))
        if (field.number == XS_LOGICAL_TIMESTAMP && field.type == XS_THRIFT_STRUCT)
            e->column.per_us = read_unit(t);
        else
            xs_thrift_skip(t, &field);
}

static void read_element(struct xs_thrift_reader *t, struct element *e) {
    struct xs_thrift_field field = {0};
    *e = (struct element){.column = {.physical = -1, .per_us = 1}};
    while (xs_thrift_next(t, &field)) {
        const char *text;
        size_t bytes;
        int64_t repetition;
        switch (field.number) {
        case XS_ELEMENT_TYPE:
            e->column.physical = (int)xs_thrift_int(t, &field);
            break;
        case XS_ELEMENT_REPETITION:
            repetition = xs_thrift_int(t, &field);
            e->column.is_optional = repetition == XS_REPETITION_OPTIONAL;
            e->is_repeated = repetition != XS_REPETITION_OPTIONAL && repetition != XS_REPETITION_REQUIRED;
            break;
        case XS_ELEMENT_NAME:
            text = xs_thrift_text(t, &field, &bytes);
            free(e->column.name);
            e->column.name = xs_strndup(text, bytes);
            break;
        case XS_ELEMENT_CHILDREN:
            e->children = xs_thrift_int(t, &field);
            break;
        case XS_ELEMENT_LOGICAL:
            if (field.type == XS_THRIFT_STRUCT)
                read_logical(t, e);
            else
                xs_thrift_skip(t, &field);
            break;
        default:
            xs_thrift_skip(t, &field);
        }
    }
    if (!e->column.name)
        e->column.name = xs_strdup("");
}

static bool read_schema(struct xs_parquet_reader *r, struct xs_thrift_reader *t, const struct xs_thrift_field *field) {
    size_t count = xs_thrift_list(t, field, XS_THRIFT_STRUCT), capacity = 0;
    if (r->columns || count < 2 || count > XS_PARQUET_COLUMNS)
        return xs_parquet_fail(r, "its schema is damaged");
    for (size_t i = 0; i < count && !t->failed; i++) {
        struct element e;
        read_element(t, &e);
        if (!i) { /* the root, whose children are the columns */
            free(e.column.name);
            continue;
        }
        xs_grow(&r->columns, r->column_count, &capacity, sizeof *r->columns);
        r->columns[r->column_count++] = e.column;
        if (e.children || e.is_repeated)
            return xs_parquet_fail(r, "it is no flat table");
    }
    return t->failed ? xs_parquet_fail(r, "its schema is damaged") : true;
}

/* --- groups --- */

static void read_meta(struct xs_thrift_reader *t, struct xs_parquet_chunk *chunk) {
    struct xs_thrift_field field = {0};
    int64_t data = -1, dictionary = -1;
    while (xs_thrift_next(t, &field)) {
        switch (field.number) {
        case XS_META_CODEC:
            chunk->codec = (int)xs_thrift_int(t, &field);
            break;
        case XS_META_VALUES:
            chunk->values = xs_thrift_int(t, &field);
            break;
        case XS_META_COMPRESSED_BYTES:
            chunk->bytes = xs_thrift_int(t, &field);
            break;
        case XS_META_DATA_OFFSET:
            data = xs_thrift_int(t, &field);
            break;
        case XS_META_DICTIONARY_OFFSET:
            dictionary = xs_thrift_int(t, &field);
            break;
        default:
            xs_thrift_skip(t, &field);
        }
    }
    chunk->offset = dictionary > 0 && dictionary < data ? dictionary : data;
}

static void read_chunk(struct xs_thrift_reader *t, struct xs_parquet_chunk *chunk) {
    struct xs_thrift_field field = {0};
    *chunk = (struct xs_parquet_chunk){.offset = -1};
    while (xs_thrift_next(t, &field))
        if (field.number == XS_CHUNK_META && field.type == XS_THRIFT_STRUCT)
            read_meta(t, chunk);
        else
            xs_thrift_skip(t, &field);
}

static void read_group(struct xs_parquet_reader *r, struct xs_thrift_reader *t, struct xs_parquet_read_group *group) {
    struct xs_thrift_field field = {0};
    while (xs_thrift_next(t, &field)) {
        if (field.number == XS_GROUP_ROWS) {
            group->rows = xs_thrift_int(t, &field);
        } else if (field.number == XS_GROUP_COLUMNS && !group->chunks) {
            size_t count = xs_thrift_list(t, &field, XS_THRIFT_STRUCT);
            if (count != r->column_count) {
                t->failed = true;
                return;
            }
            group->chunks = xs_zeroed(count, sizeof *group->chunks);
            for (size_t i = 0; i < count; i++)
                read_chunk(t, &group->chunks[i]);
        } else {
            xs_thrift_skip(t, &field);
        }
    }
    if (!group->chunks || group->rows < 0 || group->rows > XS_PARQUET_GROUP_ROWS)
        t->failed = true;
}

static bool read_groups(struct xs_parquet_reader *r, struct xs_thrift_reader *t, const struct xs_thrift_field *field) {
    size_t count = xs_thrift_list(t, field, XS_THRIFT_STRUCT), capacity = 0;
    if (!r->columns || r->groups)
        return xs_parquet_fail(r, "its footer is damaged");
    for (size_t i = 0; i < count && !t->failed; i++) {
        xs_grow(&r->groups, r->group_count, &capacity, sizeof *r->groups);
        struct xs_parquet_read_group *group = &r->groups[r->group_count++];
        *group = (struct xs_parquet_read_group){0};
        read_group(r, t, group);
        r->rows += (uint64_t)group->rows;
    }
    return t->failed ? xs_parquet_fail(r, "its row groups are damaged") : true;
}

static bool read_footer(struct xs_parquet_reader *r, struct xs_thrift_reader *t) {
    struct xs_thrift_field field = {0};
    while (xs_thrift_next(t, &field)) {
        bool is_fine = true;
        if (field.number == XS_FILE_SCHEMA)
            is_fine = read_schema(r, t, &field);
        else if (field.number == XS_FILE_GROUPS)
            is_fine = read_groups(r, t, &field);
        else
            xs_thrift_skip(t, &field);
        if (!is_fine)
            return false;
    }
    return t->failed || !r->columns ? xs_parquet_fail(r, "its footer is damaged") : true;
}

/* --- the file --- */

static bool open_file(struct xs_parquet_reader *r, int folder, const char *path) {
    struct stat st;
    r->descriptor = openat(folder, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (r->descriptor < 0 || fstat(r->descriptor, &st) < 0)
        return xs_parquet_fail(r, strerror(errno));
    if (!S_ISREG(st.st_mode))
        return xs_parquet_fail(r, "it is no regular file");
    r->bytes = st.st_size;
    return true;
}

bool xs_parquet_open(struct xs_parquet_reader *r, int folder, const char *path) {
    char tail[XS_PARQUET_TAIL_BYTES];
    uint32_t length;
    *r = (struct xs_parquet_reader){.descriptor = -1};
    if (!open_file(r, folder, path))
        return false;
    if (r->bytes < XS_PARQUET_MAGIC_BYTES + XS_PARQUET_TAIL_BYTES ||
        !xs_parquet_bytes(r, r->bytes - XS_PARQUET_TAIL_BYTES, tail, sizeof tail))
        return xs_parquet_fail(r, "it is no Parquet file");
    memcpy(&length, tail, sizeof length);
    if (memcmp(tail + sizeof length, XS_PARQUET_MAGIC, XS_PARQUET_MAGIC_BYTES) != 0)
        return xs_parquet_fail(r, "it is no Parquet file");
    if (length > XS_PARQUET_FOOTER_BYTES || length > r->bytes - XS_PARQUET_TAIL_BYTES)
        return xs_parquet_fail(r, "its footer is damaged");
    XS_SCOPED uint8_t *footer = xs_realloc(NULL, length);
    if (!xs_parquet_bytes(r, r->bytes - XS_PARQUET_TAIL_BYTES - length, footer, length))
        return false;
    struct xs_thrift_reader t = {.at = footer, .end = footer + length};
    return read_footer(r, &t);
}

void xs_parquet_close(struct xs_parquet_reader *r) {
    if (r->descriptor >= 0)
        close(r->descriptor);
    for (size_t i = 0; i < r->column_count; i++)
        free(r->columns[i].name);
    for (size_t i = 0; i < r->group_count; i++)
        free(r->groups[i].chunks);
    free(r->columns);
    free(r->groups);
    *r = (struct xs_parquet_reader){.descriptor = -1};
}
