/* Quotes a name for a shell; see shell_word.h. */
#include "schema/shell_word.h"

#include <stdbool.h>
#include <string.h>

#include "schema/utf8.h"

struct word {
    char *buffer;
    size_t bytes, length;
};

static void put(struct word *w, const char *text, size_t length) {
    for (size_t i = 0; i < length; i++, w->length++)
        if (w->length + 1 < w->bytes)
            w->buffer[w->length] = text[i];
}

/* True if every shell takes the word literally. Bytes of UTF-8 are letters for every shell. The characters ~ and = have
 * a special meaning only at some positions. */
static bool is_plain(const char *word) {
    for (const char *c = word; *c; c++) {
        bool is_letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9');
        if (!is_letter && !((unsigned char)*c & 0x80) && !strchr("_-./:,+@%=", *c))
            return false;
    }
    return *word != '\0';
}

static void put_single_quoted(struct word *w, const char *text) {
    put(w, "'", 1);
    for (; *text; text++)
        if (*text == '\'')
            put(w, "'\\''", 4);
        else
            put(w, text, 1);
    put(w, "'", 1);
}

/* True if output shows at least one character of the word in another form, such as "\n" for a new line. */
static bool is_shown_otherwise(const char *word) {
    char shown[XS_UTF8_ESCAPE_BYTES];
    size_t used = 0;
    for (size_t left = strlen(word); left; word += used, left -= used)
        if (xs_utf8_escape(shown, word, left, &used))
            return true;
    return false;
}

static void put_octal(struct word *w, unsigned char byte) {
    const char text[] = {'\\', (char)('0' + (byte >> 6)), (char)('0' + (byte >> 3 & 7)), (char)('0' + (byte & 7))};
    put(w, text, sizeof text);
}

/* Single quotes would keep what output shows instead of the character, and the pasted word would be another name. */
static void put_escaped(struct word *w, const char *text) {
    char shown[XS_UTF8_ESCAPE_BYTES];
    size_t used = 0;
    put(w, "$'", 2);
    for (size_t left = strlen(text); left; text += used, left -= used) {
        bool is_other = xs_utf8_escape(shown, text, left, &used) > 0;
        if (is_other && (*text == '\n' || *text == '\t'))
            put(w, *text == '\n' ? "\\n" : "\\t", 2);
        else if (is_other)
            for (size_t i = 0; i < used; i++)
                put_octal(w, (unsigned char)text[i]);
        else if (*text == '\'' || *text == '\\')
            put(w, *text == '\'' ? "\\'" : "\\\\", 2);
        else
            put(w, text, used);
    }
    put(w, "'", 1);
}

size_t xs_shell_word(char *buffer, size_t bytes, const char *word) {
    struct word w = {.buffer = buffer, .bytes = bytes};
    if (is_shown_otherwise(word))
        put_escaped(&w, word);
    else if (is_plain(word))
        put(&w, word, strlen(word));
    else
        put_single_quoted(&w, word);
    if (bytes)
        buffer[w.length < bytes ? w.length : bytes - 1] = '\0';
    return w.length;
}
