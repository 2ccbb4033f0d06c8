/* Quotes a name for a shell; see shell_word.h. */
#include "schema/shell_word.h"

#include <stdbool.h>
#include <string.h>

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

size_t xs_shell_word(char *buffer, size_t bytes, const char *word) {
    struct word w = {.buffer = buffer, .bytes = bytes};
    if (is_plain(word)) {
        put(&w, word, strlen(word));
    } else {
        put(&w, "'", 1);
        for (; *word; word++)
            if (*word == '\'')
                put(&w, "'\\''", 4);
            else
                put(&w, word, 1);
        put(&w, "'", 1);
    }
    if (bytes)
        buffer[w.length < bytes ? w.length : bytes - 1] = '\0';
    return w.length;
}
