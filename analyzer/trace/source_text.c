/* Finds the text of source lines; see source_text.h. */
#include "analyzer/trace/source_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/memory.h"
#include "analyzer/trace/scan.h"
#include "schema/source/source_file.h"

/* Limits of what a forged trace can make this program read. */
enum { FILES_MAX = 1 << 16, LINES_MAX = 1 << 16, STORED_BYTES_MAX = 16 << 20 };

struct stored_file {
    int64_t id;
    char *path;
};

struct stored_line {
    const char *path; /* the path of its file in `files` */
    uint32_t line;
    char *text;
};

struct xs_source_text {
    struct stored_file *files; /* by id */
    struct stored_line *lines; /* by path and line */
    size_t file_count, line_count, stored_bytes;
};

static int by_id(const void *a, const void *b) {
    const struct stored_file *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

static int by_place(const void *a, const void *b) {
    const struct stored_line *x = a, *y = b;
    int order = strcmp(x->path, y->path);
    return order ? order : (x->line > y->line) - (x->line < y->line);
}

static void read_files(struct xs_source_text *text, const struct xs_trace *trace) {
    char message[XS_TRACE_MESSAGE_BYTES];
    struct xs_scan scan;
    size_t capacity = 0;
    xs_scan_begin(&scan, trace, "SELECT id, path FROM source_file ORDER BY id", message, NULL);
    while (text->file_count < FILES_MAX && xs_scan_row(&scan)) {
        xs_grow(&text->files, text->file_count, &capacity, sizeof *text->files);
        text->files[text->file_count++] =
            (struct stored_file){.id = xs_scan_int(&scan, 0), .path = xs_strdup(xs_scan_text(&scan, 1))};
    }
    xs_scan_end(&scan);
}

static void read_lines(struct xs_source_text *text, const struct xs_trace *trace) {
    char message[XS_TRACE_MESSAGE_BYTES];
    struct xs_scan scan;
    size_t capacity = 0;
    xs_scan_begin(&scan, trace, "SELECT file, line, text FROM source_line ORDER BY id", message, NULL);
    while (text->line_count < LINES_MAX && text->stored_bytes < STORED_BYTES_MAX && xs_scan_row(&scan)) {
        struct stored_file key = {.id = xs_scan_int(&scan, 0)};
        int64_t line = xs_scan_int(&scan, 1);
        const struct stored_file *file =
            text->file_count ? bsearch(&key, text->files, text->file_count, sizeof key, by_id) : NULL;
        if (!file || line <= 0 || line > INT32_MAX)
            continue;
        xs_grow(&text->lines, text->line_count, &capacity, sizeof *text->lines);
        const char *found = xs_scan_text(&scan, 2);
        size_t bytes = strnlen(found, XS_SOURCE_LINE_BYTES);
        char *copy = xs_realloc(NULL, bytes + 1);
        memcpy(copy, found, bytes);
        copy[bytes] = 0;
        text->stored_bytes += bytes;
        text->lines[text->line_count++] = (struct stored_line){file->path, (uint32_t)line, copy};
    }
    xs_scan_end(&scan);
}

struct xs_source_text *xs_source_text_open(const struct xs_trace *trace) {
    struct xs_source_text *text = xs_realloc(NULL, sizeof *text);
    *text = (struct xs_source_text){0};
    read_files(text, trace);
    if (text->file_count)
        qsort(text->files, text->file_count, sizeof *text->files, by_id);
    read_lines(text, trace);
    if (text->line_count)
        qsort(text->lines, text->line_count, sizeof *text->lines, by_place);
    return text;
}

void xs_source_text_close(struct xs_source_text *text) {
    if (!text)
        return;
    for (size_t i = 0; i < text->line_count; i++)
        free(text->lines[i].text);
    for (size_t i = 0; i < text->file_count; i++)
        free(text->files[i].path);
    free(text->lines);
    free(text->files);
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
