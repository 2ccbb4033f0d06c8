/* Text of lines; see source_text.h. */
#include "analyzer/trace/source_text.h"
#include "analyzer/base/grow.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/trace/scan.h"
#include "analyzer/trace/source_option.h"
#include "schema/read/origin.h"

/* What a forged trace may have us do. */
enum {
    FILES_MAX = 1 << 16,
    LINES_MAX = 1 << 16,
    STORED_BYTES_MAX = 16 << 20,
    READ_BYTES_MAX = 256 << 20,
    FILES_OPENED_MAX = 4096
};

struct stored_file {
    int64_t id;
    char *path;
    struct xs_source_identity identity;
    bool has_identity;
};

struct stored_line {
    const char *path; /* of its stored_file */
    uint32_t line;
    char *text;
};

struct xs_source_text {
    struct stored_file *files; /* by id, then by path */
    struct stored_line *lines; /* by path and line */
    size_t file_count, line_count, stored_bytes;
    char *cwd;
    int64_t start_unix_ns;
    bool is_own; /* made by this user on this machine */

    struct xs_source_file open; /* the file that was read last */
    char *open_path;            /* as the trace names it; NULL: none */
    const char *open_module;    /* the module of the frame that it was opened for */
    enum xs_source_status open_status;
    size_t read_bytes, files_opened;
};

/* --- what the trace has --- */

static int by_id(const void *a, const void *b) {
    const struct stored_file *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

static int by_path(const void *a, const void *b) {
    const struct stored_file *x = a, *y = b;
    int order = strcmp(x->path, y->path);
    return order ? order : by_id(a, b);
}

static int by_place(const void *a, const void *b) {
    const struct stored_line *x = a, *y = b;
    int order = strcmp(x->path, y->path);
    return order ? order : (x->line > y->line) - (x->line < y->line);
}

static void read_files(struct xs_source_text *text, const struct xs_trace *trace) {
    enum { ID, PATH, BYTES, MTIME, LOW, HIGH };
    char message[XS_TRACE_MESSAGE_BYTES];
    struct xs_scan scan;
    size_t capacity = 0;
    xs_scan_begin(&scan, trace, "SELECT id, path, bytes, mtime_ns, hash_low, hash_high FROM source_file ORDER BY id",
                  message, NULL);
    while (text->file_count < FILES_MAX && xs_scan_row(&scan)) {
        xs_grow(&text->files, text->file_count, &capacity, sizeof *text->files);
        struct stored_file *file = &text->files[text->file_count++];
        *file = (struct stored_file){.id = xs_scan_int(&scan, ID), .path = xs_strdup(xs_scan_text(&scan, PATH))};
        file->has_identity = !xs_scan_null(&scan, BYTES) && !xs_scan_null(&scan, MTIME) && !xs_scan_null(&scan, LOW) &&
                             !xs_scan_null(&scan, HIGH);
        file->identity =
            (struct xs_source_identity){xs_scan_int(&scan, BYTES),
                                        xs_scan_int(&scan, MTIME),
                                        {(uint64_t)xs_scan_int(&scan, LOW), (uint64_t)xs_scan_int(&scan, HIGH)}};
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

struct xs_source_text *xs_source_text_open(const struct xs_trace *trace, const char *cwd, int64_t start_unix_ns) {
    struct xs_source_text *text = xs_realloc(NULL, sizeof *text);
    *text = (struct xs_source_text){.cwd = xs_strdup(cwd), .start_unix_ns = start_unix_ns};
    if (xs_source_policy()->mode == XS_SOURCE_OFF)
        return text;
    read_files(text, trace);
    if (text->file_count)
        qsort(text->files, text->file_count, sizeof *text->files, by_id);
    read_lines(text, trace);
    if (text->line_count)
        qsort(text->lines, text->line_count, sizeof *text->lines, by_place);
    if (text->file_count)
        qsort(text->files, text->file_count, sizeof *text->files, by_path);
    text->is_own = xs_origin_is_own(trace);
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
    xs_source_file_free(&text->open);
    free(text->open_path);
    free(text->cwd);
    free(text);
}

static const struct stored_line *find_line(const struct xs_source_text *text, const struct xs_frame *frame) {
    struct stored_line key = {.path = frame->file, .line = frame->line};
    return text->line_count ? bsearch(&key, text->lines, text->line_count, sizeof key, by_place) : NULL;
}

static const struct stored_file *find_file(const struct xs_source_text *text, const char *path) {
    for (size_t low = 0, high = text->file_count; low < high;) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(text->files[middle].path, path);
        if (!order) /* of several of one name any: in a trace of ours there is one */
            return &text->files[middle];
        low = order < 0 ? middle + 1 : low;
        high = order < 0 ? high : middle;
    }
    return NULL;
}

bool xs_source_text_has(const struct xs_source_text *text, const struct xs_frame *frame) {
    return text && frame && frame->file && frame->line && find_line(text, frame);
}

size_t xs_source_text_count(const struct xs_source_text *text) { return text ? text->line_count : 0; }

bool xs_source_text_is_withheld(const struct xs_source_text *text) {
    return text && xs_source_policy()->mode == XS_SOURCE_AUTO && !text->is_own;
}

bool xs_source_text_is_off(void) { return xs_source_policy()->mode == XS_SOURCE_OFF; }

/* --- files --- */

/* Below the folder, by as much of the end of the name as there is. */
static enum xs_source_status read_below(const char *folder, const char *name, struct xs_source_file *file) {
    enum { PARTS_MAX = 64 };
    enum xs_source_status status = XS_SOURCE_GONE;
    const char *rest = name;
    for (int i = 0; i < PARTS_MAX && status == XS_SOURCE_GONE; i++) {
        while (*rest == '/' || !strncmp(rest, "./", 2))
            rest += *rest == '/' ? 1 : 2;
        if (!*rest)
            break;
        status = xs_source_file_read_below(folder, rest, file);
        rest += strcspn(rest, "/");
    }
    return status;
}

/* The text of native code may not be newer than what was made of it, either. */
static int64_t not_after(const struct xs_source_text *text, const struct xs_frame *frame) {
    struct stat binary;
    if (frame->python)
        return text->start_unix_ns;
    if (!frame->module || stat(frame->module, &binary) != 0)
        return INT64_MIN;
    int64_t made_ns = (int64_t)binary.st_mtim.tv_sec * 1000000000 + binary.st_mtim.tv_nsec;
    return made_ns < text->start_unix_ns ? made_ns : text->start_unix_ns;
}

/* Where the trace says that the file is; false where it does not say. */
static bool path_of(struct xs_string *path, const struct xs_source_text *text, const struct xs_frame *frame) {
    bool relative = frame->file[0] != '/';
    if (text->start_unix_ns <= 0 || (relative && *text->cwd != '/'))
        return false;
    xs_string_format(path, "%s%s%s", relative ? text->cwd : "", relative ? "/" : "", frame->file);
    return true;
}

bool xs_source_text_is_newer(const struct xs_source_text *text, const struct xs_frame *frame) {
    struct xs_string path = {0};
    struct stat st;
    if (!text || !text->is_own || xs_source_policy()->mode != XS_SOURCE_AUTO || !frame || !frame->file ||
        !frame->line || find_line(text, frame))
        return false;
    int64_t limit_ns = not_after(text, frame); /* without a binary nothing is newer than it */
    bool newer = limit_ns != INT64_MIN && path_of(&path, text, frame) && stat(path.data, &st) == 0 &&
                 S_ISREG(st.st_mode) && (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec > limit_ns;
    xs_string_free(&path);
    return newer;
}

static enum xs_source_status read_named(const struct xs_source_text *text, const struct xs_frame *frame,
                                        const struct xs_source_identity *known, struct xs_source_file *file) {
    struct xs_string path = {0};
    if (!path_of(&path, text, frame))
        return XS_SOURCE_GONE;
    enum xs_source_status status = xs_source_file_read(path.data, not_after(text, frame), file);
    xs_string_free(&path);
    /* without an origin the trace must know all of the file already */
    if (status == XS_SOURCE_READ && (known || !text->is_own) &&
        (!known || !xs_source_identity_is(known, &file->identity, !text->is_own))) {
        xs_source_file_free(file);
        status = XS_SOURCE_CHANGED;
    }
    return status;
}

static enum xs_source_status read_file(const struct xs_source_text *text, const struct xs_frame *frame,
                                       struct xs_source_file *file) {
    const struct xs_source_policy *policy = xs_source_policy();
    const struct stored_file *stored = find_file(text, frame->file);
    const struct xs_source_identity *known = stored && stored->has_identity ? &stored->identity : NULL;
    if (policy->mode == XS_SOURCE_AUTO)
        return text->is_own || (known && !policy->own_only) ? read_named(text, frame, known, file) : XS_SOURCE_REFUSED;
    enum xs_source_status status = read_below(policy->folder, frame->file, file);
    if (status == XS_SOURCE_READ && known && !xs_source_identity_is(known, &file->identity, false)) {
        xs_source_file_free(file);
        status = XS_SOURCE_CHANGED;
    }
    return status;
}

static bool open_file(struct xs_source_text *text, const struct xs_frame *frame) {
    if (text->open_path && !strcmp(text->open_path, frame->file) && text->open_module == frame->module)
        return text->open_status == XS_SOURCE_READ;
    xs_source_file_free(&text->open);
    free(text->open_path);
    text->open_path = xs_strdup(frame->file);
    text->open_module = frame->module;
    text->open_status = XS_SOURCE_GONE;
    if (text->read_bytes < READ_BYTES_MAX && text->files_opened++ < FILES_OPENED_MAX)
        text->open_status = read_file(text, frame, &text->open);
    if (text->open_status == XS_SOURCE_READ)
        text->read_bytes += (size_t)text->open.identity.bytes;
    return text->open_status == XS_SOURCE_READ;
}

char *xs_source_text_read(struct xs_source_text *text, const struct xs_frame *frame,
                          struct xs_source_identity *identity) {
    size_t at = 0, bytes = 0;
    uint32_t at_line = 1;
    if (!text || !frame || !frame->file || !frame->line || xs_source_policy()->mode == XS_SOURCE_OFF ||
        !open_file(text, frame))
        return NULL;
    const char *line = xs_source_file_line(&text->open, frame->line, &at, &at_line, &bytes);
    if (!line)
        return NULL;
    char *copy = xs_realloc(NULL, bytes + 1);
    memcpy(copy, line, bytes);
    copy[bytes] = 0;
    *identity = text->open.identity;
    return copy;
}

/* In place, without the blanks around it, and with blanks for tabs; NULL, and freed, where nothing is left. */
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

char *xs_source_text_line(struct xs_source_text *text, const struct xs_frame *frame) {
    struct xs_source_identity identity;
    if (!text || !frame || !frame->file || !frame->line || xs_source_policy()->mode == XS_SOURCE_OFF)
        return NULL;
    const struct stored_line *stored = find_line(text, frame);
    char *line = stored ? xs_strdup(stored->text) : xs_source_text_read(text, frame, &identity);
    return line ? trimmed(line) : NULL;
}
