/* Reads structs in Thrift's compact protocol; see thrift.h. The bytes may come from anyone. */
#include "analyzer/parquet/thrift.h"

enum { MOST_DEPTH = 32 /* of structs and lists in what is skipped */ };

static uint64_t fail(struct xs_thrift_reader *r) {
    r->failed = true;
    r->at = r->end;
    return 0;
}

static unsigned byte(struct xs_thrift_reader *r) { return r->at < r->end ? *r->at++ : (unsigned)fail(r); }

uint64_t xs_varint_read(struct xs_thrift_reader *r) {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        unsigned next = byte(r);
        value |= (uint64_t)(next & 0x7f) << shift;
        if (!(next & 0x80))
            return r->failed ? 0 : value;
    }
    return fail(r);
}

static int64_t read_signed(struct xs_thrift_reader *r) {
    uint64_t value = xs_varint_read(r);
    return (int64_t)((value >> 1) ^ (value & 1 ? UINT64_MAX : 0));
}

bool xs_thrift_next(struct xs_thrift_reader *r, struct xs_thrift_field *field) {
    unsigned head = byte(r), distance = head >> 4;
    field->type = (enum xs_thrift_type)(head & 15);
    if (r->failed || field->type == XS_THRIFT_STOP)
        return false;
    if (field->type > XS_THRIFT_STRUCT)
        return fail(r);
    field->number = (int16_t)(distance ? field->number + (int)distance : read_signed(r));
    return !r->failed;
}

static void jump(struct xs_thrift_reader *r, uint64_t bytes) {
    if (bytes > (uint64_t)(r->end - r->at))
        fail(r);
    else
        r->at += bytes;
}

static size_t list_head(struct xs_thrift_reader *r, enum xs_thrift_type *item) {
    unsigned head = byte(r);
    uint64_t count = head >> 4 == 15 ? xs_varint_read(r) : head >> 4;
    *item = (enum xs_thrift_type)(head & 15);
    if (count > (uint64_t)(r->end - r->at)) /* every item takes a byte at least */
        return fail(r);
    return (size_t)count;
}

static void skip(struct xs_thrift_reader *r, enum xs_thrift_type type, bool is_item, unsigned depth);

static void skip_list(struct xs_thrift_reader *r, unsigned depth) {
    enum xs_thrift_type item;
    size_t count = list_head(r, &item);
    for (size_t i = 0; i < count && !r->failed; i++)
        skip(r, item, true, depth + 1);
}

static void skip_map(struct xs_thrift_reader *r, unsigned depth) {
    uint64_t count = xs_varint_read(r);
    unsigned types = count ? byte(r) : 0;
    for (uint64_t i = 0; i < count && !r->failed; i++) {
        skip(r, (enum xs_thrift_type)(types >> 4), true, depth + 1);
        skip(r, (enum xs_thrift_type)(types & 15), true, depth + 1);
    }
}

static void skip(struct xs_thrift_reader *r, enum xs_thrift_type type, bool is_item, unsigned depth) {
    struct xs_thrift_field inner = {0};
    switch (depth > MOST_DEPTH ? XS_THRIFT_STOP : type) {
    case XS_THRIFT_TRUE: /* as a field, the type is the value */
    case XS_THRIFT_FALSE:
        jump(r, is_item);
        return;
    case XS_THRIFT_BYTE:
        jump(r, 1);
        return;
    case XS_THRIFT_I16:
    case XS_THRIFT_I32:
    case XS_THRIFT_I64:
        xs_varint_read(r);
        return;
    case XS_THRIFT_DOUBLE:
        jump(r, 8);
        return;
    case XS_THRIFT_BINARY:
        jump(r, xs_varint_read(r));
        return;
    case XS_THRIFT_LIST:
    case XS_THRIFT_SET:
        skip_list(r, depth);
        return;
    case XS_THRIFT_MAP:
        skip_map(r, depth);
        return;
    case XS_THRIFT_STRUCT:
        while (xs_thrift_next(r, &inner))
            skip(r, inner.type, false, depth + 1);
        return;
    case XS_THRIFT_STOP:
    default:
        fail(r);
    }
}

void xs_thrift_skip(struct xs_thrift_reader *r, const struct xs_thrift_field *field) { skip(r, field->type, false, 0); }

int64_t xs_thrift_int(struct xs_thrift_reader *r, const struct xs_thrift_field *field) {
    if (field->type == XS_THRIFT_BYTE)
        return (int8_t)byte(r);
    if (field->type < XS_THRIFT_I16 || field->type > XS_THRIFT_I64)
        return (int64_t)fail(r);
    return read_signed(r);
}

const char *xs_thrift_text(struct xs_thrift_reader *r, const struct xs_thrift_field *field, size_t *bytes) {
    uint64_t length = field->type == XS_THRIFT_BINARY ? xs_varint_read(r) : fail(r);
    const uint8_t *text = r->at;
    *bytes = 0;
    jump(r, length);
    if (r->failed)
        return "";
    *bytes = (size_t)length;
    return (const char *)text;
}

size_t xs_thrift_list(struct xs_thrift_reader *r, const struct xs_thrift_field *field, enum xs_thrift_type item) {
    enum xs_thrift_type found;
    if (field->type != XS_THRIFT_LIST)
        return (size_t)fail(r);
    size_t count = list_head(r, &found);
    return found == item || !count ? count : (size_t)fail(r);
}
