/* Implements the stream between the JSON writer and the page; see stream.h. */
#include "analyzer/commands/html/stream.h"

#include <stdbool.h>
#include <string.h>
#include <sys/types.h>

static void put(struct xs_html_stream *stream, const char *text) {
    fputs(text, stream->to);
    stream->written += strlen(text);
}

static void put_byte(struct xs_html_stream *stream, unsigned char byte) {
    putc(byte, stream->to);
    stream->written++;
}

/* Returns 1 if the character that begins here still fits, else 0. Writes the mark of the cut at the first character
 * that does not fit. */
static int has_place(struct xs_html_stream *stream) {
    if (stream->cut)
        return 0;
    if (stream->characters++ < XS_HTML_TEXT_LIMIT)
        return 1;
    stream->cut = 1;
    put(stream, "\\u2026");
    return 0;
}

/* Takes a byte of an escape, without its backslash. A character that the writer escaped by number is invisible, or
 * reverses the text around it, so the page shows the escape and not the character, as reports do. */
static void take_escape(struct xs_html_stream *stream, char byte) {
    char text[16];
    if (stream->after_backslash && byte == 'u') {
        stream->after_backslash = 0;
        stream->digits = 0;
        stream->escape_left = 4;
        return;
    }
    if (stream->after_backslash) {
        stream->after_backslash = 0;
        snprintf(text, sizeof text, byte == 'n' || byte == 't' ? "\\\\%c" : "\\%c", byte);
    } else {
        stream->escape[stream->digits++] = byte;
        if (--stream->escape_left)
            return;
        bool replaced = !memcmp(stream->escape, "fffd", 4); /* invalid UTF-8 */
        snprintf(text, sizeof text, "%s%.4s", replaced ? "\\u" : "\\\\u", stream->escape);
    }
    if (has_place(stream))
        put(stream, text);
}

/* Takes a byte of a text. '<' is escaped so that no tag or comment can begin, and '&' for readers that read the page as
 * XML. */
static void take_text(struct xs_html_stream *stream, unsigned char byte) {
    char escaped[8];
    if (stream->after_backslash || stream->escape_left) {
        take_escape(stream, (char)byte);
    } else if (byte == '\\') {
        stream->after_backslash = 1;
    } else if (byte == '"') {
        stream->in_text = 0;
        put_byte(stream, byte);
    } else if ((byte & 0xc0) == 0x80) { /* continues a character that was counted */
        if (!stream->cut)
            put_byte(stream, byte);
    } else if (has_place(stream)) {
        if (byte == '<' || byte == '>' || byte == '&' || byte == '\'') {
            snprintf(escaped, sizeof escaped, "\\u%04x", byte);
            put(stream, escaped);
        } else {
            put_byte(stream, byte);
        }
    }
}

static ssize_t write_some(void *cookie, const char *bytes, size_t size) {
    struct xs_html_stream *stream = cookie;
    for (size_t i = 0; i < size; i++) {
        unsigned char byte = (unsigned char)bytes[i];
        if (stream->in_text) {
            take_text(stream, byte);
        } else if (byte == '"') {
            stream->in_text = 1;
            stream->characters = 0;
            stream->cut = 0;
            put_byte(stream, byte);
        } else if (byte != ' ' && byte != '\n') {
            put_byte(stream, byte);
        }
    }
    return ferror(stream->to) ? 0 : (ssize_t)size; /* the write function of a cookie returns 0 for an error */
}

FILE *xs_html_stream_open(struct xs_html_stream *stream, FILE *to) {
    *stream = (struct xs_html_stream){.to = to};
    return fopencookie(stream, "w", (cookie_io_functions_t){.write = write_some});
}
