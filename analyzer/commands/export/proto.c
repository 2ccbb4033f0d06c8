/* Writes protobuf's wire format; see proto.h. */
#include "analyzer/commands/export/proto.h"

#include <string.h>

enum { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2 };

static void varint(struct xs_string *message, uint64_t value) {
    char bytes[10];
    size_t count = 0;
    for (; value >= 0x80; value >>= 7)
        bytes[count++] = (char)(value | 0x80);
    bytes[count++] = (char)value;
    xs_string_add(message, bytes, count);
}

static void tag(struct xs_string *message, unsigned field, unsigned wire) {
    varint(message, (uint64_t)field << 3 | wire);
}

void xs_proto_varint(struct xs_string *message, unsigned field, uint64_t value) {
    tag(message, field, WIRE_VARINT);
    varint(message, value);
}

void xs_proto_fixed64(struct xs_string *message, unsigned field, uint64_t value) {
    char bytes[8];
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)(value >> 8 * i);
    tag(message, field, WIRE_64);
    xs_string_add(message, bytes, sizeof bytes);
}

void xs_proto_double(struct xs_string *message, unsigned field, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    xs_proto_fixed64(message, field, bits);
}

void xs_proto_bytes(struct xs_string *message, unsigned field, const char *bytes, size_t count) {
    tag(message, field, WIRE_BYTES);
    varint(message, count);
    xs_string_add(message, bytes, count);
}

void xs_proto_message(struct xs_string *message, unsigned field, const struct xs_string *inner) {
    xs_proto_bytes(message, field, inner->length ? inner->data : "", inner->length);
}
