/* Reads a str of the interpreter as UTF-8. It may contain any characters, because file names of the application may. */
#include "preload/callsite/python_layout.h"

static uint32_t character(const uint8_t *data, unsigned kind, size_t i) {
    uint16_t two;
    uint32_t four;
    switch (kind) {
    case 1:
        return data[i];
    case 2:
        memcpy(&two, data + 2 * i, sizeof two);
        return two;
    default:
        memcpy(&four, data + 4 * i, sizeof four);
        return four;
    }
}

/* Replaces characters that must not be in the UTF-8 text: one half of a surrogate pair, by which Python represents a
 * byte that was no text; and the character 0, which would end the string. */
static uint32_t replaced(uint32_t c) { return c == 0 || (c >= 0xd800 && c < 0xe000) || c > 0x10ffff ? 0xfffd : c; }

static size_t encode(uint8_t bytes[4], uint32_t c) {
    if (c < 0x80) {
        bytes[0] = (uint8_t)c;
        return 1;
    }
    size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const uint8_t lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = n - 1; i > 0; i--, c >>= 6u)
        bytes[i] = (uint8_t)(0x80u | (c & 0x3fu));
    bytes[0] = (uint8_t)(lead[n] | c);
    return n;
}

size_t xs_python_text(char *to, size_t room, uintptr_t text) {
    const struct xs_python_layout *l = &xs_python.layout;
    if (!xs_python_plausible(text) ||
        !(xs_python_word(xs_python_word(text + XS_PYTHON_OB_TYPE) + XS_PYTHON_TP_FLAGS) & XS_PYTHON_IS_TEXT))
        return 0;
    uint32_t state = (uint32_t)xs_python_int(text + XS_PYTHON_TEXT_STATE);
    unsigned kind = (state >> XS_PYTHON_TEXT_KIND_SHIFT) & XS_PYTHON_TEXT_KIND_MASK;
    uintptr_t data = text + ((state & XS_PYTHON_TEXT_ASCII) ? l->ascii : l->compact);
    if (!(state & XS_PYTHON_TEXT_COMPACT)) /* an object of a class derived from str */
        data = xs_python_word(text + l->compact);
    if ((kind != 1 && kind != 2 && kind != 4) || data < 4096)
        return 0;
    size_t n = 0, length = xs_python_word(text + XS_PYTHON_TEXT_LENGTH);
    for (size_t i = 0; i < length; i++) {
        uint8_t bytes[4];
        size_t more = encode(bytes, replaced(character((const uint8_t *)data, kind, i)));
        if (more > room - n)
            break;
        memcpy(to + n, bytes, more);
        n += more;
    }
    return n;
}
