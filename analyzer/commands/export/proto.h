/* Writes protobuf messages: the part of the wire format that perfetto.c needs. A message is a string to which fields
 * are added. Inner messages are built in separate strings and then added as bytes. */
#ifndef XFERSPY_ANALYZER_COMMANDS_EXPORT_PROTO_H
#define XFERSPY_ANALYZER_COMMANDS_EXPORT_PROTO_H

#include <stdint.h>

#include "analyzer/base/text.h"

void xs_proto_varint(struct xs_string *message, unsigned field, uint64_t value); /* also for int64, enum and bool */
void xs_proto_fixed64(struct xs_string *message, unsigned field, uint64_t value);
void xs_proto_double(struct xs_string *message, unsigned field, double value);
void xs_proto_bytes(struct xs_string *message, unsigned field, const char *bytes, size_t count); /* for strings and
                                                                                                    messages */
void xs_proto_message(struct xs_string *message, unsigned field, const struct xs_string *inner);

#endif
