/* Writes code spans and blocks of Markdown; see markdown.h. */
#include "analyzer/base/markdown.h"

#include <string.h>

enum { SPAN_COLUMNS = 200, FENCE = 3 };

static size_t longest_run_of_backticks(const char *text) {
    size_t longest = 0;
    for (const char *at = text; *at; at++) {
        size_t run = strspn(at, "`");
        longest = run > longest ? run : longest;
        at += run ? run - 1 : 0;
    }
    return longest;
}

static void add_run(struct xs_string *text, size_t count) {
    for (size_t i = 0; i < count; i++)
        xs_string_add(text, "`", 1);
}

/* Adds a code span. Its fence is longer than any run of backticks in the text; if the text begins or ends with a
 * backtick, a blank separates the two. A bar would end the table's cell even after a backslash, so it is written as an
 * escape (\xNN) like those of other output. */
void xs_markdown_code(struct xs_string *text, const char *raw) {
    XS_SCOPED_STRING span = {0};
    struct xs_string cut = {0};
    if (!raw || !*raw) {
        xs_string_add(text, "?", 1);
        return;
    }
    xs_string_add_cut(&cut, raw, SPAN_COLUMNS);
    for (const char *at = cut.data; *at; at++)
        if (*at == '|')
            xs_string_add(&span, "\\x7c", 4);
        else
            xs_string_add(&span, at, 1);
    size_t ticks = longest_run_of_backticks(span.data) + 1;
    char first = cut.data[0], last = cut.data[cut.length - 1];
    bool apart = first == '`' || last == '`' || (first == ' ' && last == ' ');
    add_run(text, ticks);
    xs_string_format(text, "%s%s%s", apart ? " " : "", span.data, apart ? " " : "");
    add_run(text, ticks);
    xs_string_free(&cut);
}

void xs_markdown_take(struct xs_out *out, const char *before, struct xs_string *text, const char *after) {
    if (text->length)
        fprintf(out->file, "%s%s%s", before, text->data, after);
    xs_string_free(text);
}

void xs_markdown_source(struct xs_out *out, const char *source) {
    XS_SCOPED_STRING line = {0};
    if (!source)
        return;
    xs_markdown_code(&line, source);
    fprintf(out->file, "  <br>%s\n", line.data);
}

void xs_markdown_block(struct xs_out *out, const char *lines) {
    XS_SCOPED_STRING fence = {0};
    size_t ticks = lines ? longest_run_of_backticks(lines) + 1 : 0;
    lines = lines ? lines + strspn(lines, "\n") : "";
    if (!*lines)
        return;
    add_run(&fence, ticks > FENCE ? ticks : FENCE);
    fprintf(out->file, "%stext\n%s%s%s\n", fence.data, lines, lines[strlen(lines) - 1] == '\n' ? "" : "\n", fence.data);
}

void xs_markdown_folded(struct xs_out *out, const char *summary, const char *lines) {
    if (!lines || !lines[strspn(lines, "\n")])
        return;
    fprintf(out->file, "\n<details>\n<summary>%s</summary>\n\n", summary);
    xs_markdown_block(out, lines);
    fputs("\n</details>\n", out->file);
}
