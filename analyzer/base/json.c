/* Writes JSON; see json.h. */
#include "analyzer/base/json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analyzer/base/text.h"

static void quote(FILE *file, const char *text, size_t bytes) {
    putc('"', file);
    for (size_t i = 0; i < bytes;) {
        uint32_t code = 0;
        size_t length = xs_utf8_decode(text + i, bytes - i, &code);
        if (!length)
            fputs("\\ufffd", file);
        else if (code == '"' || code == '\\')
            fprintf(file, "\\%c", (char)code);
        else if (code == '\n')
            fputs("\\n", file);
        else if (code == '\t')
            fputs("\\t", file);
        else if (code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0x200b && code <= 0x202e) ||
                 (code >= 0x2060 && code <= 0x206f) ||
                 code == 0xfeff) /* characters that a terminal would obey are escaped, too */
            fprintf(file, "\\u%04x", code);
        else
            fwrite(text + i, 1, length, file);
        i += length ? length : 1;
    }
    putc('"', file);
}

static void begin(struct xs_json *json, const char *key) {
    if (json->depth && json->filled[json->depth])
        putc(',', json->file);
    if (json->depth && !json->compact)
        fprintf(json->file, "\n%*s", (int)json->depth * 2, "");
    json->filled[json->depth] = true;
    if (key) {
        quote(json->file, key, strlen(key));
        fputs(json->compact ? ":" : ": ", json->file);
    }
}

static void open_level(struct xs_json *json, const char *key, char bracket) {
    begin(json, key);
    putc(bracket, json->file);
    if (json->depth + 1 < sizeof json->filled)
        json->depth++;
    json->filled[json->depth] = false;
}

void xs_json_object(struct xs_json *json, const char *key) { open_level(json, key, '{'); }
void xs_json_array(struct xs_json *json, const char *key) { open_level(json, key, '['); }

void xs_json_end(struct xs_json *json, char bracket) {
    bool filled = json->filled[json->depth];
    json->depth--;
    if (filled && !json->compact)
        fprintf(json->file, "\n%*s", (int)json->depth * 2, "");
    putc(bracket, json->file);
    if (!json->depth)
        putc('\n', json->file);
}

void xs_json_text_bytes(struct xs_json *json, const char *key, const char *value, size_t bytes) {
    begin(json, key);
    if (value)
        quote(json->file, value, bytes);
    else
        fputs("null", json->file);
}

void xs_json_text(struct xs_json *json, const char *key, const char *value) {
    xs_json_text_bytes(json, key, value, value ? strlen(value) : 0);
}

void xs_json_texts(struct xs_json *json, const char *key, char *const *texts, size_t count) {
    xs_json_array(json, key);
    for (size_t i = 0; i < count; i++)
        xs_json_text(json, NULL, texts[i]);
    xs_json_end(json, ']');
}

void xs_json_document(struct xs_json *json, const char *format, int version) {
    xs_json_object(json, NULL);
    xs_json_text(json, "format", format);
    xs_json_int(json, "version", version);
}

void xs_json_take(struct xs_json *json, const char *key, struct xs_string *text) {
    xs_json_text(json, key, text->length ? text->data : NULL);
    xs_string_free(text);
}

void xs_json_int(struct xs_json *json, const char *key, int64_t value) {
    begin(json, key);
    fprintf(json->file, "%" PRId64, value);
}

void xs_json_known_int(struct xs_json *json, const char *key, bool known, int64_t value) {
    if (known)
        xs_json_int(json, key, value);
    else
        xs_json_null(json, key);
}

void xs_json_count(struct xs_json *json, const char *key, uint64_t value) {
    begin(json, key);
    fprintf(json->file, "%" PRIu64, value);
}

void xs_json_known_count(struct xs_json *json, const char *key, bool known, uint64_t value) {
    if (known)
        xs_json_count(json, key, value);
    else
        xs_json_null(json, key);
}

void xs_json_number(struct xs_json *json, const char *key, double value) {
    char text[40];
    begin(json, key);
    if (!isfinite(value)) {
        fputs("null", json->file);
        return;
    }
    for (int digits = 6; digits <= 17; digits++) { /* the shortest text that reads back as the same number */
        double back = 0;
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (sscanf(text, "%lf", &back) == 1 && !(back < value) && !(back > value))
            break;
    }
    fputs(text, json->file);
}

void xs_json_bool(struct xs_json *json, const char *key, bool value) {
    begin(json, key);
    fputs(value ? "true" : "false", json->file);
}

void xs_json_null(struct xs_json *json, const char *key) {
    begin(json, key);
    fputs("null", json->file);
}
