/* Writes structs in Thrift's compact protocol; see thrift.h. */
#include <string.h>

#include "analyzer/parquet/thrift.h"

static void add_byte(struct xs_string *out, unsigned value) {
    char byte = (char)value;
    xs_string_add(out, &byte, 1);
}

void xs_varint_add(struct xs_string *out, uint64_t value) {
    while (value >= 0x80) {
        add_byte(out, (unsigned)(value & 0x7f) | 0x80);
        value >>= 7;
    }
    add_byte(out, (unsigned)value);
}

/* Signed numbers alternate: 0, -1, 1, -2, ..., so that small ones take one byte. */
static void add_signed(struct xs_string *out, int64_t value) {
    xs_varint_add(out, ((uint64_t)value << 1) ^ (value < 0 ? UINT64_MAX : 0));
}

static void add_text(struct xs_string *out, const char *text) {
    size_t bytes = strlen(text);
    xs_varint_add(out, bytes);
    xs_string_add(out, text, bytes);
}

static void head(struct xs_thrift_writer *w, int16_t field, enum xs_thrift_type type) {
    int16_t *last = &w->last[w->depth];
    int distance = field - *last;
    if (distance > 0 && distance <= 15) {
        add_byte(w->out, (unsigned)distance << 4 | type);
    } else {
        add_byte(w->out, type);
        add_signed(w->out, field);
    }
    *last = field;
}

void xs_thrift_begin(struct xs_thrift_writer *w, struct xs_string *out) { *w = (struct xs_thrift_writer){.out = out}; }

void xs_thrift_end(struct xs_thrift_writer *w) {
    add_byte(w->out, XS_THRIFT_STOP);
    if (w->depth)
        w->depth--;
}

void xs_thrift_item_struct(struct xs_thrift_writer *w) {
    if (w->depth + 1 < XS_THRIFT_DEPTH)
        w->depth++;
    w->last[w->depth] = 0;
}

void xs_thrift_field_struct(struct xs_thrift_writer *w, int16_t field) {
    head(w, field, XS_THRIFT_STRUCT);
    xs_thrift_item_struct(w);
}

void xs_thrift_field_i32(struct xs_thrift_writer *w, int16_t field, int32_t value) {
    head(w, field, XS_THRIFT_I32);
    add_signed(w->out, value);
}

void xs_thrift_field_i64(struct xs_thrift_writer *w, int16_t field, int64_t value) {
    head(w, field, XS_THRIFT_I64);
    add_signed(w->out, value);
}

void xs_thrift_field_bool(struct xs_thrift_writer *w, int16_t field, bool value) {
    head(w, field, value ? XS_THRIFT_TRUE : XS_THRIFT_FALSE);
}

void xs_thrift_field_text(struct xs_thrift_writer *w, int16_t field, const char *text) {
    head(w, field, XS_THRIFT_BINARY);
    add_text(w->out, text);
}

void xs_thrift_field_list(struct xs_thrift_writer *w, int16_t field, enum xs_thrift_type item, size_t count) {
    head(w, field, XS_THRIFT_LIST);
    if (count < 15) {
        add_byte(w->out, (unsigned)count << 4 | item);
    } else {
        add_byte(w->out, 0xf0 | item);
        xs_varint_add(w->out, count);
    }
}

void xs_thrift_item_i32(struct xs_thrift_writer *w, int32_t value) { add_signed(w->out, value); }

void xs_thrift_item_text(struct xs_thrift_writer *w, const char *text) { add_text(w->out, text); }
