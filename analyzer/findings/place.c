/* Lines of the user's program; see place.h. A trace may come from an untrusted source. So its names are escaped and
 * cut, and only regular files that it names are opened, to read one line. */
#include "analyzer/findings/place.h"

#include <ctype.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/memory.h"

enum {
    FUNCTION_COLUMNS = 80, /* a template's name can have thousands */
    FILE_COLUMNS = 100,
    LINE_COLUMNS = 160,    /* of source, where there is no terminal to cut it */
    LINE_BYTES = 4096,     /* that are kept of a line */
    FILE_BYTES = 16 << 20, /* that are read to find it */
};

const char *xs_place_base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

/* "gpu/kernels/../common.h" becomes "gpu/common.h": what compilers make of #include "../common.h" is one file, whoever
 * includes it. */
static char *without_detours(const char *file) {
    char *path = xs_strdup(file), *end = path;
    for (const char *p = file; *p;) {
        size_t length = strcspn(p, "/"), whole = length + (p[length] == '/');
        char *before = end > path && end[-1] == '/' ? end - 1 : path;
        while (before > path && before[-1] != '/')
            before--;
        bool back = whole == 3 && !strncmp(p, "../", 3) && end - before > 1 && strncmp(before, "../", 3) != 0;
        end = back ? before : end;
        if (!back) {
            memcpy(end, p, whole);
            end += whole;
        }
        p += whole;
    }
    *end = '\0';
    return path;
}

static const char *last_two_parts(const char *file) {
    const char *base = xs_place_base_name(file);
    const char *start = base > file ? base - 1 : file;
    while (start > file && start[-1] != '/')
        start--;
    return start > file && start < base - 1 ? start : base;
}

void xs_place_file(struct xs_string *text, const char *name, const char *cwd) {
    size_t length = strlen(cwd);
    char *direct = without_detours(name);
    const char *file = direct;
    while (length > 1 && cwd[length - 1] == '/')
        length--;
    if (!strncmp(file, "./", 2))
        file += 2;
    if (length > 1 && !strncmp(file, cwd, length) && file[length] == '/' && file[length + 1])
        file += length + 1;
    else if (file[0] == '/' || !strncmp(file, "../", 3))
        file = last_two_parts(file);
    xs_string_add_cut(text, file, FILE_COLUMNS);
    free(direct);
}

/* Without a line the address is all that tells two calls of a function apart. */
static void module_place(struct xs_string *text, const char *module, const struct xs_frame *frame) {
    xs_string_add_cut(text, module, FILE_COLUMNS);
    if (frame->address)
        xs_string_format(text, "+0x%" PRIx64, frame->address);
}

void xs_place_text(struct xs_string *text, const struct xs_sites *sites, const struct xs_frame *frame) {
    if (!frame)
        return;
    const char *module = frame->module ? xs_place_base_name(frame->module) : "an unknown module";
    if (frame->file) {
        xs_place_file(text, frame->file, sites->cwd);
        if (frame->line)
            xs_string_format(text, ":%" PRIu32, frame->line);
        if (frame->function)
            xs_string_add(text, " in ", 4);
        xs_string_add_cut(text, frame->function, FUNCTION_COLUMNS);
    } else if (frame->function) {
        xs_string_add_cut(text, frame->function, FUNCTION_COLUMNS);
        xs_string_add(text, " in ", 4);
        module_place(text, module, frame);
    } else {
        module_place(text, module, frame);
    }
}

void xs_place_of_site(struct xs_string *text, const struct xs_findings *findings, uint32_t site) {
    const struct xs_frame *frame = xs_site_frame(findings, site);
    if (!frame) {
        xs_string_format(text, "at %s", xs_site_name(findings, site));
        return;
    }
    xs_string_add(text, "at ", 3);
    xs_place_text(text, findings->sites, frame);
    xs_string_format(text, " (%s)", xs_site_name(findings, site));
}

/* --- source --- */

static int64_t changed_ns(const struct stat *st) {
    return (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
}

static bool is_unchanged(const struct xs_sites *sites, const struct xs_frame *frame, const struct stat *st) {
    struct stat binary;
    if (sites->start_unix_ns <= 0 || changed_ns(st) > sites->start_unix_ns)
        return false;
    return frame->python ||
           (frame->module && stat(frame->module, &binary) == 0 && changed_ns(st) <= changed_ns(&binary));
}

/* Never waits, whatever the name means: a pipe or a terminal is no source file. Looks before opening, because opening
 * alone already does something to some devices; and once more at what was opened. */
static FILE *open_source(const struct xs_sites *sites, const struct xs_frame *frame) {
    struct xs_string path = {0};
    struct stat st;
    bool relative = frame->file[0] != '/';
    if (relative && *sites->cwd != '/')
        return NULL;
    xs_string_format(&path, "%s%s%s", relative ? sites->cwd : "", relative ? "/" : "", frame->file);
    bool regular = stat(path.data, &st) == 0 && S_ISREG(st.st_mode);
    int fd = regular ? open(path.data, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;
    xs_string_free(&path);
    if (fd < 0)
        return NULL;
    FILE *file = NULL;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && is_unchanged(sites, frame, &st))
        file = fdopen(fd, "r");
    if (!file)
        close(fd);
    return file;
}

static bool skip_lines(FILE *file, uint32_t lines, size_t *left) {
    while (lines && *left) {
        int c = getc_unlocked(file);
        if (c == EOF)
            return false;
        lines -= c == '\n';
        (*left)--;
    }
    return !lines;
}

char *xs_place_source(const struct xs_sites *sites, const struct xs_frame *frame) {
    struct xs_string line = {0};
    size_t left = FILE_BYTES;
    if (!frame || !frame->file || !frame->line)
        return NULL;
    FILE *file = open_source(sites, frame);
    if (!file)
        return NULL;
    if (skip_lines(file, frame->line - 1, &left)) {
        for (int c = getc_unlocked(file); c != EOF && c != '\n' && line.length < LINE_BYTES; c = getc_unlocked(file)) {
            char byte = c == '\t' ? ' ' : (char)c;
            if (c && (line.length || !isspace(c)))
                xs_string_add(&line, &byte, 1);
        }
    }
    fclose(file);
    while (line.length && isspace((unsigned char)line.data[line.length - 1]))
        line.data[--line.length] = '\0';
    if (line.length)
        return line.data;
    xs_string_free(&line);
    return NULL;
}

void xs_place_source_line(const struct xs_sites *sites, const struct xs_frame *frame, int indent, struct xs_out *out) {
    char *line = xs_place_source(sites, frame), number[16];
    if (!line)
        return;
    struct xs_string text = {0};
    int used = indent + snprintf(number, sizeof number, "%" PRIu32, frame->line) + 3;
    int columns = out->columns ? out->columns : LINE_COLUMNS;
    xs_string_add_cut(&text, line, columns > used ? columns - used : 0);
    fprintf(out->file, "%*s%s%s | %s%s\n", indent, "", xs_style_on(out, XS_STYLE_DIM), number, text.data,
            xs_style_off(out, XS_STYLE_DIM));
    xs_string_free(&text);
    free(line);
}

void xs_place_key(struct xs_string *text, const struct xs_sites *sites, const struct xs_frame *frame) {
    char *line = xs_place_source(sites, frame);
    xs_string_format(text, "%s\t%s\t%s", frame && frame->function ? frame->function : "",
                     frame && frame->file ? xs_place_base_name(frame->file) : "", line ? line : "");
    free(line);
}

void xs_place_json(struct xs_json *json, const struct xs_frame *frame) {
    xs_json_text(json, "function", frame->function);
    xs_json_text(json, "file", frame->file);
    if (frame->line)
        xs_json_count(json, "line", frame->line);
    else
        xs_json_null(json, "line");
    xs_json_text(json, "module", frame->module);
    xs_json_bool(json, "python", frame->python);
}

void xs_place_json_object(struct xs_json *json, const struct xs_frame *frame, bool is_place) {
    if (!frame) {
        xs_json_null(json, "call_site");
        return;
    }
    xs_json_object(json, "call_site");
    xs_place_json(json, frame);
    if (is_place && !frame->line && frame->address)
        xs_json_count(json, "address", frame->address);
    else
        xs_json_null(json, "address");
    xs_json_end(json, '}');
}
