/* Prints headings, and lines of text between tables. */
#include <stdarg.h>
#include <string.h>

#include "analyzer/base/out.h"
#include "analyzer/base/text.h"

void xs_out_heading(struct xs_out *out, const char *title) {
    fprintf(out->file, "\n%s%s%s\n", xs_style_on(out, XS_STYLE_HEADING), title, xs_style_off(out, XS_STYLE_HEADING));
}

/* Prints escaped words, wrapped at blanks on a terminal. `at` is the number of columns that the first line has
 * already. */
static void put_words(struct xs_out *out, const char *words, int at, int indent) {
    bool first = true;
    for (const char *word = words; *word;) {
        size_t bytes = strcspn(word, " ");
        XS_SCOPED char *text = strndup(word, bytes);
        int width = text ? xs_text_width(text) : 0;
        if (!first && out->columns && at + 1 + width > out->columns) {
            fprintf(out->file, "\n%*s", indent, "");
            at = indent;
        } else if (!first) {
            putc(' ', out->file);
            at++;
        }
        fwrite(word, 1, bytes, out->file);
        at += width;
        first = false;
        word += bytes + (word[bytes] == ' ');
    }
}

static void put_text(struct xs_out *out, int at, int indent, const char *format, va_list arguments) {
    XS_SCOPED_STRING plain = {0}, escaped = {0};
    xs_string_vformat(&plain, format, arguments);
    xs_string_escape(&escaped, plain.data, plain.length);
    put_words(out, escaped.data, at, indent);
}

void xs_out_line(struct xs_out *out, enum xs_style style, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(out->file, "  %s", xs_style_on(out, style));
    put_text(out, 2, 4, format, arguments);
    fprintf(out->file, "%s\n", xs_style_off(out, style));
    va_end(arguments);
}

void xs_out_fact(struct xs_out *out, const char *label, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(out->file, "  %-*s  ", XS_FACT_LABEL, label);
    put_text(out, XS_FACT_LABEL + 4, XS_FACT_LABEL + 4, format, arguments);
    putc('\n', out->file);
    va_end(arguments);
}

void xs_out_take_line(struct xs_out *out, enum xs_style style, struct xs_string *text) {
    if (text->length)
        xs_out_line(out, style, "%s", text->data);
    xs_string_free(text);
}

void xs_out_take_fact(struct xs_out *out, const char *label, struct xs_string *text) {
    if (text->length)
        xs_out_fact(out, label, "%s", text->data);
    xs_string_free(text);
}

void xs_out_rest(struct xs_out *out, int at, int indent, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    put_text(out, at, indent, format, arguments);
    putc('\n', out->file);
    va_end(arguments);
}

void xs_out_indented(struct xs_out *out, int indent, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(out->file, "%*s", indent, "");
    put_text(out, indent, indent, format, arguments);
    putc('\n', out->file);
    va_end(arguments);
}
