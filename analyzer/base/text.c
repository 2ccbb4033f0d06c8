/* Escapes and measures text; see text.h. */
#include "analyzer/base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "schema/shell_word.h"

void xs_string_add(struct xs_string *string, const char *text, size_t bytes) {
    if (string->length + bytes + 1 > string->capacity) {
        string->capacity = (string->length + bytes + 1) * 2;
        string->data = xs_realloc(string->data, string->capacity);
    }
    if (bytes)
        memcpy(string->data + string->length, text, bytes);
    string->length += bytes;
    string->data[string->length] = '\0';
}

void xs_string_vformat(struct xs_string *string, const char *format, va_list arguments) {
    char *text = NULL;
    int length = vasprintf(&text, format, arguments);
    if (length < 0)
        xs_out_of_memory();
    xs_string_add(string, text, (size_t)length);
    free(text);
}

void xs_string_format(struct xs_string *string, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    xs_string_vformat(string, format, arguments);
    va_end(arguments);
}

char *xs_text_format(const char *format, ...) {
    struct xs_string text = {0};
    va_list arguments;
    va_start(arguments, format);
    xs_string_vformat(&text, format, arguments);
    va_end(arguments);
    return text.data;
}

bool xs_text_ends_with(const char *text, const char *end) {
    size_t length = strlen(text), bytes = strlen(end);
    return length >= bytes && !strcmp(text + length - bytes, end);
}

void xs_string_shell_word(struct xs_string *string, const char *word) {
    char *text = xs_text_shell_word(word);
    xs_string_add(string, text, strlen(text));
    free(text);
}

char *xs_text_shell_word(const char *word) {
    size_t bytes = xs_shell_word(NULL, 0, word) + 1;
    char *text = xs_realloc(NULL, bytes);
    xs_shell_word(text, bytes, word);
    return text;
}

void xs_string_read(struct xs_string *string, FILE *file, size_t most) {
    char buffer[65536];
    xs_string_add(string, "", 0);
    for (size_t n; string->length < most && (n = fread(buffer, 1, sizeof buffer, file)) > 0;)
        xs_string_add(string, buffer, n);
}

void xs_string_free(struct xs_string *string) {
    free(string->data);
    *string = (struct xs_string){0};
}

struct range {
    uint32_t first, last;
};

static int in_ranges(uint32_t code, const struct range *ranges, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (code >= ranges[i].first && code <= ranges[i].last)
            return 1;
    return 0;
}
#define IN(code, ranges) in_ranges(code, ranges, sizeof ranges / sizeof *ranges)

/* Returns the width of a character as terminals count it: two columns in the blocks of Unicode's East Asian Width and
 * emoji data, 0 for combining marks. wcwidth() is not used because it would need a UTF-8 locale. */
static int code_width(uint32_t code) {
    static const struct range combining[] = {{0x300, 0x36f},   {0x483, 0x489},   {0x591, 0x5bd},   {0x610, 0x61a},
                                             {0x64b, 0x65f},   {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x20d0, 0x20ff},
                                             {0x302a, 0x302d}, {0x3099, 0x309a}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}};
    static const struct range wide[] = {{0x1100, 0x115f},   {0x231a, 0x231b},   {0x23e9, 0x23ec},   {0x2614, 0x2615},
                                        {0x26a1, 0x26a1},   {0x2705, 0x2705},   {0x274c, 0x274c},   {0x2e80, 0x303e},
                                        {0x3041, 0x33ff},   {0x3400, 0x4dbf},   {0x4e00, 0x9fff},   {0xa000, 0xa4cf},
                                        {0xa960, 0xa97f},   {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe30, 0xfe6f},
                                        {0xff00, 0xff60},   {0xffe0, 0xffe6},   {0x1b000, 0x1b2ff}, {0x1f300, 0x1f64f},
                                        {0x1f680, 0x1f6ff}, {0x1f7e0, 0x1f7eb}, {0x1f900, 0x1faff}, {0x20000, 0x3fffd}};
    if (code < 0x300)
        return 1;
    if (IN(code, combining))
        return 0;
    return IN(code, wide) ? 2 : 1;
}

void xs_string_escape(struct xs_string *string, const char *text, size_t bytes) {
    size_t plain = 0, used; /* plain: start of the text that can be copied unchanged */
    char escape[XS_UTF8_ESCAPE_BYTES];
    for (size_t i = 0; i < bytes; i += used) {
        size_t length = xs_utf8_escape(escape, text + i, bytes - i, &used);
        if (!length)
            continue;
        xs_string_add(string, text + plain, i - plain);
        xs_string_add(string, escape, length);
        plain = i + used;
    }
    xs_string_add(string, text + plain, bytes - plain);
}

char *xs_text_escaped(const char *text) {
    struct xs_string string = {0};
    xs_string_escape(&string, text ? text : "", text ? strlen(text) : 0);
    return string.data;
}

int xs_text_width(const char *text) {
    size_t bytes = strlen(text);
    int width = 0;
    for (size_t i = 0; i < bytes;) {
        uint32_t code = 0;
        size_t length = xs_utf8_decode(text + i, bytes - i, &code);
        width += length ? code_width(code) : 1;
        i += length ? length : 1;
    }
    return width;
}

size_t xs_text_fit(const char *text, int columns) {
    size_t bytes = strlen(text), i = 0;
    int width = 0;
    while (i < bytes) {
        uint32_t code = 0;
        size_t length = xs_utf8_decode(text + i, bytes - i, &code);
        width += length ? code_width(code) : 1;
        if (width > columns)
            break;
        i += length ? length : 1;
    }
    return i;
}

void xs_string_add_cut(struct xs_string *text, const char *raw, int columns) {
    char *escaped = xs_text_escaped(raw);
    if (xs_text_width(escaped) <= columns) {
        xs_string_add(text, escaped, strlen(escaped));
    } else {
        xs_string_add(text, escaped, xs_text_fit(escaped, columns > 3 ? columns - 3 : 0));
        xs_string_add(text, "...", 3);
    }
    free(escaped);
}
