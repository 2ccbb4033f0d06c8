/* Finds the text of source lines; see source_text.h. */
#include "analyzer/trace/source_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/interned.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/search.h"
#include "analyzer/trace/scan.h"
#include "schema/source/source_file.h"

/* Limits of what a forged trace can make this program read. */
enum { LINES_MAX = 1 << 16, STORED_BYTES_MAX = 16 << 20 };

struct stored_line {
    const char *path;
    uint32_t line;
    char *text;
};

struct xs_source_text {
    struct xs_texts paths;
    struct stored_line *lines; /* by path and line */
    size_t line_count, stored_bytes;
};

static int by_place(const void *a, const void *b) {
    const struct stored_line *x = a, *y = b;
    return strcmp(x->path, y->path) ?: xs_compare(x->line, y->line);
}

static void read_lines(struct xs_source_text *text, const struct xs_trace *trace) {
    char message[XS_TRACE_MESSAGE_BYTES];
    struct xs_scan scan;
    size_t capacity = 0;
    xs_scan_begin(&scan, trace,
                  "SELECT f.path, l.line, l.text FROM source_line l JOIN source_file f ON f.id = l.file ORDER BY l.id",
                  message, NULL);
    while (text->line_count < LINES_MAX && text->stored_bytes < STORED_BYTES_MAX && xs_scan_row(&scan)) {
        int64_t line = xs_scan_int(&scan, 1);
        const char *found = xs_scan_text(&scan, 2);
        size_t bytes = strnlen(found, XS_SOURCE_LINE_BYTES);
        if (line <= 0 || line > INT32_MAX)
            continue;
        xs_grow(&text->lines, text->line_count, &capacity, sizeof *text->lines);
        text->stored_bytes += bytes;
        text->lines[text->line_count++] = (struct stored_line){xs_texts_keep(&text->paths, xs_scan_text(&scan, 0)),
                                                               (uint32_t)line, xs_strndup(found, bytes)};
    }
    xs_scan_end(&scan);
}

struct xs_source_text *xs_source_text_open(const struct xs_trace *trace) {
    struct xs_source_text *text = xs_zeroed(1, sizeof *text);
    read_lines(text, trace);
    xs_sort(text->lines, text->line_count, sizeof *text->lines, by_place);
    return text;
}

void xs_source_text_close(struct xs_source_text *text) {
    if (!text)
        return;
    for (size_t i = 0; i < text->line_count; i++)
        free(text->lines[i].text);
    free(text->lines);
    xs_texts_free(&text->paths);
    free(text);
}

static const struct stored_line *find_line(const struct xs_source_text *text, const struct xs_frame *frame) {
    struct stored_line key = {.path = frame->file, .line = frame->line};
    return text->line_count ? bsearch(&key, text->lines, text->line_count, sizeof key, by_place) : NULL;
}

bool xs_source_text_has(const struct xs_source_text *text, const struct xs_frame *frame) {
    return text && frame && frame->file && frame->line && find_line(text, frame);
}

/* Removes the blanks around a line and replaces tabs by blanks, in place. If nothing is left, frees the line and
 * returns NULL. */
static char *trimmed(char *line) {
    size_t start = 0, length = strlen(line);
    while (isspace((unsigned char)line[start]))
        start++;
    while (length > start && isspace((unsigned char)line[length - 1]))
        length--;
    memmove(line, line + start, length - start);
    line[length - start] = 0;
    for (char *p = line; *p; p++)
        *p = *p == '\t' ? ' ' : *p;
    if (*line)
        return line;
    free(line);
    return NULL;
}

char *xs_source_text_line(const struct xs_source_text *text, const struct xs_frame *frame) {
    const struct stored_line *line = text && frame && frame->file && frame->line ? find_line(text, frame) : NULL;
    return line ? trimmed(xs_strdup(line->text)) : NULL;
}
