/* Headings and lines of text between tables. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/output/out.h"
#include "analyzer/output/text.h"

void xs_out_heading(struct xs_out *out, const char *title) {
    fprintf(out->file, "\n%s%s%s\n", xs_style_on(out, XS_STYLE_HEADING), title, xs_style_off(out, XS_STYLE_HEADING));
}

void xs_out_line(struct xs_out *out, enum xs_style style, const char *format, ...) {
    struct xs_string plain = {0}, escaped = {0};
    va_list arguments;
    va_start(arguments, format);
    xs_string_vformat(&plain, format, arguments);
    va_end(arguments);
    xs_string_escape(&escaped, plain.data, plain.length);
    fprintf(out->file, "  %s", xs_style_on(out, style));
    int room = out->columns ? out->columns - 2 : 0, used = 0; /* wrapped at blanks, on a terminal */
    for (const char *word = escaped.data; *word;) {
        size_t bytes = strcspn(word, " ");
        char *text = strndup(word, bytes);
        int width = text ? xs_text_width(text) : 0;
        free(text);
        if (used && room && used + 1 + width > room) {
            fputs("\n    ", out->file);
            used = 2;
        } else if (used) {
            putc(' ', out->file);
            used++;
        }
        fwrite(word, 1, bytes, out->file);
        used += width;
        word += bytes + (word[bytes] == ' ');
    }
    fprintf(out->file, "%s\n", xs_style_off(out, style));
    xs_string_free(&plain);
    xs_string_free(&escaped);
}
