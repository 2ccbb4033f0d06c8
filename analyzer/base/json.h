/* This writer makes valid JSON from any text (invalid UTF-8 becomes U+FFFD). The JSON is indented for people, unless
 * `compact` is true. */
#ifndef XFERSPY_ANALYZER_BASE_JSON_H
#define XFERSPY_ANALYZER_BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct xs_string; /* text.h */

struct xs_json {
    FILE *file;
    unsigned depth;
    bool filled[32]; /* by depth: true if something was written at this depth */
    bool compact;    /* one line for each outermost value */
};

/* `key` is NULL inside an array and at the top. */
void xs_json_object(struct xs_json *json, const char *key);
void xs_json_array(struct xs_json *json, const char *key);
/* Begins a document: the outermost object, with the name of its format and the format's version. */
void xs_json_document(struct xs_json *json, const char *format, int version);
void xs_json_end(struct xs_json *json, char bracket); /* '}' or ']'; at the outermost level, a line feed follows */
void xs_json_text(struct xs_json *json, const char *key, const char *value); /* null if `value` is NULL */
void xs_json_text_bytes(struct xs_json *json, const char *key, const char *value, size_t bytes);
void xs_json_texts(struct xs_json *json, const char *key, char *const *texts, size_t count); /* an array of texts */
/* Writes the text, or null if it is empty, and frees it. */
void xs_json_take(struct xs_json *json, const char *key, struct xs_string *text);
void xs_json_int(struct xs_json *json, const char *key, int64_t value);
void xs_json_count(struct xs_json *json, const char *key, uint64_t value);
void xs_json_known_int(struct xs_json *json, const char *key, bool known, int64_t value);    /* null where not known */
void xs_json_known_count(struct xs_json *json, const char *key, bool known, uint64_t value); /* null where not known */
void xs_json_number(struct xs_json *json, const char *key, double value);                    /* null if not finite */
void xs_json_bool(struct xs_json *json, const char *key, bool value);
void xs_json_null(struct xs_json *json, const char *key);

#endif
