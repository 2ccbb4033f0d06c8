/* Writes roff; see roff.h. */
#include "analyzer/cli/man/roff.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum { LINE = 78 };

/* Characters with a meaning in roff, and how they are written; NULL: unchanged. */
static const struct special {
    char character;
    const char *literal, *prose;
} special[] = {{'\\', "\\e", "\\e"}, {'-', "\\-", "\\-"},  {'`', "\\(ga", "\\(oq"}, {'\'', "\\(aq", "\\(cq"},
               {'^', "\\(ha", NULL}, {'~', "\\(ti", NULL}, {'"', "\\(dq", NULL}};

static const struct special *special_of(char c) {
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        if (special[i].character == c)
            return &special[i];
    return NULL;
}

/* Returns how to write a character in prose; NULL: unchanged. An apostrophe ends a quotation if one has begun. */
static const char *in_prose(char c, bool *quoting) {
    const struct special *found = special_of(c);
    if (c == '\'' && !*quoting)
        return NULL;
    if (c == '`' || c == '\'')
        *quoting = c == '`';
    return found ? found->prose : NULL;
}

void xs_roff_prose(const char *text, size_t length, FILE *file) {
    const char *end = text + length;
    size_t column = 0;
    bool quoting = false;
    while (text < end) {
        if (isspace((unsigned char)*text)) {
            text++;
            continue;
        }
        const char *word = text;
        while (text < end && !isspace((unsigned char)*text))
            text++;
        size_t width = (size_t)(text - word);
        if (column && column + 1 + width > LINE) {
            putc('\n', file);
            column = 0;
        }
        if (column)
            putc(' ', file);
        else if (*word == '.' || *word == '\'')
            fputs("\\&", file);
        column += width + (column > 0);
        for (; word < text; word++) {
            const char *written = in_prose(*word, &quoting);
            if (written)
                fputs(written, file);
            else
                putc(*word, file);
        }
    }
    if (column)
        putc('\n', file);
}

void xs_roff_literal(const char *text, size_t length, FILE *file) {
    if (length && *text == '.')
        fputs("\\&", file);
    for (size_t i = 0; i < length; i++) {
        const struct special *found = special_of(text[i]);
        if (found)
            fputs(found->literal, file);
        else
            putc(text[i], file);
    }
}

void xs_roff_heading(const char *macro, const char *title, size_t length, FILE *file) {
    bool section = !strcmp(macro, "SH");
    if (length && title[length - 1] == ':')
        length--;
    fprintf(file, ".%s ", macro);
    for (size_t i = 0; i < length; i++)
        putc(section ? toupper((unsigned char)title[i]) : title[i], file);
    putc('\n', file);
}

static bool is_literal(const char *line) { return line[0] == ' ' && line[1] == ' '; }

static const char *end_of_line(const char *line, const char *end) {
    const char *found = memchr(line, '\n', (size_t)(end - line));
    return found ? found : end;
}

/* Prints the lines of an example. Returns the line after it. */
static const char *print_example(const char *line, const char *end, FILE *file) {
    fputs(".RS 4\n.EX\n", file);
    while (line < end && is_literal(line)) {
        const char *stop = end_of_line(line, end);
        xs_roff_literal(line + 2, (size_t)(stop - line) - 2, file);
        putc('\n', file);
        line = stop < end ? stop + 1 : end;
    }
    fputs(".EE\n.RE\n", file);
    return line;
}

enum where { NOWHERE, SECTION_BEGINS, IN_TEXT, IN_NAMED };

/* Prints one paragraph with its sections. */
static void print_paragraph(const char *text, const char *end, enum where *where, FILE *file) {
    static const char exit_status[] = "Exit status:";
    const size_t prefix = sizeof exit_status - 1;
    bool begun = false;
    while (text < end) {
        const char *stop = end_of_line(text, end);
        if (is_literal(text)) {
            text = print_example(text, end, file);
            continue;
        }
        while (stop < end && stop + 1 < end && !is_literal(stop + 1)) /* the rest of the prose */
            stop = end_of_line(stop + 1, end);
        size_t length = (size_t)(stop - text);
        if (length > prefix && !strncmp(text, exit_status, prefix)) {
            xs_roff_heading("SH", exit_status, prefix, file);
            *where = IN_NAMED;
            text += prefix + strspn(text + prefix, " ");
            putc(toupper((unsigned char)*text), file);
            xs_roff_prose(text + 1, (size_t)(stop - text) - 1, file);
        } else if (!begun && stop < end && stop[-1] == ':' && length < 40) {
            xs_roff_heading("SH", text, length, file);
            *where = IN_NAMED;
        } else {
            if (*where != IN_TEXT && *where != SECTION_BEGINS && !begun)
                xs_roff_heading("SH", "Notes", 5, file);
            else if (*where != SECTION_BEGINS)
                fputs(".PP\n", file);
            *where = IN_TEXT;
            xs_roff_prose(text, length, file);
        }
        begun = true;
        text = stop < end ? stop + 1 : end;
    }
}

void xs_roff_document(const char *text, size_t length, int in_section, FILE *file) {
    const char *end = text + length;
    enum where where = in_section ? SECTION_BEGINS : NOWHERE;
    while (text < end) {
        const char *stop = strstr(text, "\n\n");
        if (!stop || stop > end)
            stop = end;
        print_paragraph(text, stop, &where, file);
        text = stop;
        while (text < end && *text == '\n')
            text++;
    }
}
