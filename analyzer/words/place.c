/* Writes lines of the user's program; see place.h. A trace may be untrusted, so its names are escaped and cut. */
#include "analyzer/words/place.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/units.h"

enum {
    FUNCTION_COLUMNS = 80, /* the name of a template function can have thousands of columns */
    FILE_COLUMNS = 100,
    LINE_COLUMNS = 160, /* columns of source text, if there is no terminal whose width limits it */
};

#define UNKNOWN_MODULE "an unknown module"

/* Shortens "gpu/kernels/../common.h" to "gpu/common.h". Compilers write the longer form for #include "../common.h", but
 * all including files mean the same file. */
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
    const char *base = xs_base_name(file);
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

void xs_place_line(struct xs_string *text, const struct xs_frame *frame, const char *cwd) {
    xs_place_file(text, frame->file, cwd);
    if (frame->line)
        xs_string_format(text, ":%" PRIu32, frame->line);
}

/* Adds a place without a source line. It contains the address, because only the address distinguishes two calls in one
 * function. */
static void module_place(struct xs_string *text, const char *module, const struct xs_frame *frame) {
    xs_string_add_cut(text, module, FILE_COLUMNS);
    if (frame->address)
        xs_string_format(text, "+0x%" PRIx64, frame->address);
}

void xs_place_through(struct xs_string *text, const struct xs_sites *sites, const struct xs_frame *frame) {
    const struct xs_frame *helper = frame ? frame->through : NULL;
    if (!helper)
        return;
    xs_string_add(text, ", through ", 10);
    if (helper->file)
        xs_place_line(text, helper, sites->cwd);
    else if (helper->function)
        xs_string_add_cut(text, helper->function, FUNCTION_COLUMNS);
    else
        module_place(text, helper->module ? xs_base_name(helper->module) : UNKNOWN_MODULE, helper);
}

const char *xs_place_word(const struct xs_frame *frame) {
    static const char *const words[] = {[XS_FRAME_OWN] = "at ",
                                        [XS_FRAME_MAIN] = "while main was at ",
                                        [XS_FRAME_OTHER] = "while another thread was at "};
    return words[frame ? frame->of : XS_FRAME_OWN];
}

const char *xs_place_at_before(const char *text) { return strncmp(text, "while ", 6) ? "at " : ""; }

void xs_place_text(struct xs_string *text, const struct xs_sites *sites, const struct xs_frame *frame) {
    if (!frame)
        return;
    xs_string_format(text, "%s", frame->of ? xs_place_word(frame) : "");
    const char *module = frame->module ? xs_base_name(frame->module) : UNKNOWN_MODULE;
    if (frame->file) {
        xs_place_line(text, frame, sites->cwd);
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
    xs_place_through(text, sites, frame);
}

void xs_place_at(struct xs_string *text, const struct xs_sites *sites, const struct xs_frame *frame) {
    if (frame && frame->of == XS_FRAME_OWN)
        xs_string_add(text, "at ", 3);
    xs_place_text(text, sites, frame);
}

void xs_place_of_site(struct xs_string *text, const struct xs_findings *findings, uint32_t site) {
    const struct xs_frame *frame = xs_site_frame(findings, site);
    if (!frame)
        xs_string_add(text, "at ", 3);
    xs_place_at(text, findings->sites, frame);
    xs_string_format(text, frame ? " (%s)" : "%s", xs_site_name(findings, site));
}

char *xs_place_source(const struct xs_sites *sites, const struct xs_frame *frame) {
    return xs_source_text_line(sites->source_text, frame);
}

void xs_place_source_line(const char *line, const struct xs_frame *frame, int indent, struct xs_out *out) {
    char number[16];
    if (!line)
        return;
    XS_SCOPED_STRING text = {0};
    int used = indent + snprintf(number, sizeof number, "%" PRIu32, frame->line) + 3;
    int columns = out->columns ? out->columns : LINE_COLUMNS;
    xs_string_add_cut(&text, line, columns > used ? columns - used : 0);
    fprintf(out->file, "%*s%s%s | %s%s\n", indent, "", xs_style_on(out, XS_STYLE_DIM), number, text.data,
            xs_style_off(out, XS_STYLE_DIM));
}

void xs_place_json(struct xs_json *json, const struct xs_frame *frame) {
    xs_json_text(json, "function", frame->function);
    xs_json_text(json, "file", frame->file);
    xs_json_known_count(json, "line", frame->line > 0, frame->line);
    xs_json_text(json, "module", frame->module);
    xs_json_bool(json, "python", frame->python);
    if (frame->of)
        xs_json_text(json, "python_thread", frame->of == XS_FRAME_MAIN ? "main" : "other");
}

void xs_place_through_json(struct xs_json *json, const struct xs_frame *frame) {
    if (!frame->through)
        return;
    xs_json_object(json, "through");
    xs_place_json(json, frame->through);
    xs_json_end(json, '}');
}

void xs_place_json_object(struct xs_json *json, const struct xs_frame *frame, bool is_place) {
    if (!frame) {
        xs_json_null(json, "call_site");
        return;
    }
    xs_json_object(json, "call_site");
    xs_place_json(json, frame);
    xs_json_known_count(json, "address", is_place && !frame->line && frame->address, frame->address);
    xs_place_through_json(json, frame);
    xs_json_end(json, '}');
}
