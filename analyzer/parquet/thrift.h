/* Writes and reads structs in Thrift's compact protocol, which Parquet uses for its footer and its page headers
 * (https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md). */
#ifndef XFERSPY_ANALYZER_PARQUET_THRIFT_H
#define XFERSPY_ANALYZER_PARQUET_THRIFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/text.h"

enum xs_thrift_type {
    XS_THRIFT_STOP = 0,
    XS_THRIFT_TRUE,
    XS_THRIFT_FALSE,
    XS_THRIFT_BYTE,
    XS_THRIFT_I16,
    XS_THRIFT_I32,
    XS_THRIFT_I64,
    XS_THRIFT_DOUBLE,
    XS_THRIFT_BINARY,
    XS_THRIFT_LIST,
    XS_THRIFT_SET,
    XS_THRIFT_MAP,
    XS_THRIFT_STRUCT
};

/* --- writing --- */

enum { XS_THRIFT_DEPTH = 16 };
struct xs_thrift_writer {
    struct xs_string *out;
    int16_t last[XS_THRIFT_DEPTH]; /* by depth: the number of the field that was written last */
    unsigned depth;
};

/* Fields of a struct must be written in ascending order of their numbers. The outermost struct is begun by
 * xs_thrift_begin. xs_thrift_field_struct begins a struct as a field of another one; xs_thrift_item_struct begins a
 * struct as an item of a list. xs_thrift_end ends the innermost struct. */
void xs_thrift_begin(struct xs_thrift_writer *w, struct xs_string *out);
void xs_thrift_end(struct xs_thrift_writer *w);
void xs_thrift_field_struct(struct xs_thrift_writer *w, int16_t field);
void xs_thrift_item_struct(struct xs_thrift_writer *w);
void xs_thrift_field_i32(struct xs_thrift_writer *w, int16_t field, int32_t value);
void xs_thrift_field_i64(struct xs_thrift_writer *w, int16_t field, int64_t value);
void xs_thrift_field_bool(struct xs_thrift_writer *w, int16_t field, bool value);
void xs_thrift_field_text(struct xs_thrift_writer *w, int16_t field, const char *text);
/* Begins a list, whose items must follow. */
void xs_thrift_field_list(struct xs_thrift_writer *w, int16_t field, enum xs_thrift_type item, size_t count);
void xs_thrift_item_i32(struct xs_thrift_writer *w, int32_t value);
void xs_thrift_item_text(struct xs_thrift_writer *w, const char *text);

/* Adds a number in the variable-length form of the protocol; `w` may be in any state. */
void xs_varint_add(struct xs_string *out, uint64_t value);

/* --- reading --- */

/* `at` is the next byte. After a mistake in the bytes, `failed` is true, every later call returns 0, and nothing is
 * read any more. */
struct xs_thrift_reader {
    const uint8_t *at, *end;
    bool failed;
};
struct xs_thrift_field {
    enum xs_thrift_type type; /* XS_THRIFT_STOP: the struct has ended */
    int16_t number;
};

/* Reads the head of the next field of a struct; `field` must be zeroed before the first call for a struct. False: the
 * struct has ended. The caller must read the field's value, or call xs_thrift_skip. */
bool xs_thrift_next(struct xs_thrift_reader *r, struct xs_thrift_field *field);
void xs_thrift_skip(struct xs_thrift_reader *r, const struct xs_thrift_field *field);

/* These functions read the value of a field. If the field has another type, the reader fails. */
int64_t xs_thrift_int(struct xs_thrift_reader *r, const struct xs_thrift_field *field); /* byte, i16, i32 or i64 */
/* Returns a text in the reader's bytes, which has no NUL at its end. */
const char *xs_thrift_text(struct xs_thrift_reader *r, const struct xs_thrift_field *field, size_t *bytes);
/* Returns the number of the list's items, which must be of this type. It is never more than the bytes that are left. */
size_t xs_thrift_list(struct xs_thrift_reader *r, const struct xs_thrift_field *field, enum xs_thrift_type item);

uint64_t xs_varint_read(struct xs_thrift_reader *r);

#endif
