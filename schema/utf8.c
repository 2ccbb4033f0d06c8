/* Decodes UTF-8, and finds characters that must not be printed unchanged; see utf8.h. */
#include "schema/utf8.h"

#include <stdbool.h>

size_t xs_utf8_decode(const char *text, size_t bytes, uint32_t *code) {
    const unsigned char *s = (const unsigned char *)text;
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    if (!bytes)
        return 0;
    if (s[0] < 0x80) {
        *code = s[0];
        return 1;
    }
    size_t length = s[0] >= 0xf0 && s[0] < 0xf8   ? 4
                    : s[0] >= 0xe0 && s[0] < 0xf0 ? 3
                    : s[0] >= 0xc0 && s[0] < 0xe0 ? 2
                                                  : 0;
    if (!length || length > bytes)
        return 0;
    uint32_t value = s[0] & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        value = value << 6 | (s[i] & 0x3fu);
    }
    if (value < smallest[length] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
        return 0;
    *code = value;
    return length;
}

/* True if a character is invisible, or changes the order in which other characters are shown. */
static bool is_hidden(uint32_t code) {
    static const struct {
        uint32_t first, last;
    } hidden[] = {{0x7f, 0x9f},     {0xad, 0xad},     {0x61c, 0x61c},     {0x180e, 0x180e},
                  {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f},   {0xfeff, 0xfeff},
                  {0xfff9, 0xfffb}, {0xfffe, 0xffff}, {0xe0000, 0xe0fff}, {0xf0000, 0x10ffff}};
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
        if (code >= hidden[i].first && code <= hidden[i].last)
            return true;
    return false;
}

/* Writes a backslash, a letter and a number, as snprintf would do, which a signal handler may not call. */
static size_t write_number(char *out, char letter, uint32_t number, size_t digits) {
    out[0] = '\\';
    out[1] = letter;
    for (size_t i = 0; i < digits; i++)
        out[2 + i] = "0123456789abcdef"[number >> 4 * (digits - 1 - i) & 15];
    out[2 + digits] = '\0';
    return 2 + digits;
}

size_t xs_utf8_escape(char *out, const char *text, size_t bytes, size_t *used) {
    uint32_t code = 0;
    size_t length = xs_utf8_decode(text, bytes, &code);
    *used = length ? length : 1;
    if (length && code >= 0x20 && !is_hidden(code))
        return 0;
    if (length == 1 && (code == '\n' || code == '\t'))
        return write_number(out, code == '\n' ? 'n' : 't', 0, 0);
    if (length > 1)
        return write_number(out, code > 0xffff ? 'U' : 'u', code, code > 0xffff ? 8 : 4);
    return write_number(out, 'x', (unsigned char)*text, 2);
}
