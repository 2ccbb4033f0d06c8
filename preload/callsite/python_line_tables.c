/* Finds the line of an instruction in a code object. The six versions have three kinds of tables. No read goes beyond
 * the end of the bytes object, whatever the table contains. */
#include "preload/callsite/python_layout.h"

struct table {
    const uint8_t *at, *end;
    int64_t line;
};

/* In 3.9, the table has pairs of an increment of the address and an increment of the line (Objects/lnotab_notes.txt;
 * PyCode_Addr2Line). */
static int64_t line_309(struct table t, uint32_t position) {
    for (uint64_t address = 0; t.end - t.at >= 2; t.at += 2) {
        address += t.at[0];
        if (address > position)
            break;
        t.line += (int8_t)t.at[1];
    }
    return t.line;
}

/* In 3.10, the table has pairs of a length in bytes and an increment of the line, which is added before that range;
 * -128: the range has no line (Objects/lnotab_notes.txt; PyLineTable_NextAddressRange). */
static int64_t line_310(struct table t, uint32_t position) {
    for (uint64_t end = 0; t.end - t.at >= 2; t.at += 2) {
        int8_t lines = (int8_t)t.at[1];
        end += t.at[0];
        if (lines != -128)
            t.line += lines;
        if (position < end)
            return lines == -128 ? 0 : t.line;
    }
    return 0;
}

static int64_t signed_varint(const uint8_t *at, const uint8_t *end) {
    uint64_t value = 0;
    for (unsigned shift = 0; at < end && shift < 36; shift += 6, at++) {
        value |= (uint64_t)(*at & 63u) << shift;
        if (!(*at & 64u))
            break;
    }
    int64_t half = (int64_t)(value >> 1u);
    return value & 1u ? -half : half;
}

/* The values of enum _PyCodeLocationInfoKind of cpython/code.h. */
enum { LOCATION_ONE_LINE_0 = 10, LOCATION_ONE_LINE_2 = 12, LOCATION_NO_COLUMNS = 13, LOCATION_LONG, LOCATION_NONE };

/* From 3.11 on, an entry begins with a byte whose high bit is set, and which contains the entry's kind and the number
 * of instructions minus one (Objects/locations.md). */
static int64_t line_311(struct table t, uint32_t position) {
    uint64_t end = 0;
    while (t.at < t.end) {
        unsigned kind = (*t.at >> 3u) & 15u;
        end += 2 * ((*t.at & 7u) + 1);
        t.at++;
        if (kind >= LOCATION_ONE_LINE_0 && kind <= LOCATION_ONE_LINE_2)
            t.line += kind - LOCATION_ONE_LINE_0;
        else if (kind == LOCATION_NO_COLUMNS || kind == LOCATION_LONG)
            t.line += signed_varint(t.at, t.end);
        if (position < end)
            return kind == LOCATION_NONE ? 0 : t.line;
        while (t.at < t.end && !(*t.at & 128u))
            t.at++;
    }
    return 0;
}

uint32_t xs_python_line(uintptr_t code, uint32_t position) {
    const struct xs_python_layout *l = &xs_python.layout;
    uintptr_t lines = xs_python_word(code + l->lines);
    int64_t bytes = (int64_t)xs_python_word(lines + XS_PYTHON_OB_SIZE), line;
    struct table t = {(const uint8_t *)lines + XS_PYTHON_BYTES_DATA, NULL, xs_python_int(code + l->first_line)};
    t.end = t.at + (bytes > 0 ? bytes : 0);
    if (position == XS_PYTHON_BEFORE)
        line = t.line;
    else if (l->shape == XS_PYTHON_OBJECTS_BYTES)
        line = line_309(t, position);
    else if (l->shape == XS_PYTHON_OBJECTS_WORDS)
        line = line_310(t, position);
    else
        line = line_311(t, position);
    return line > 0 && line <= INT32_MAX ? (uint32_t)line : 0;
}
