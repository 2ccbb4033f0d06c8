/* Makes the names of PyTorch's operators, of Cython's and Python's functions, and of emit_nvtx's ranges; see
 * framework_names.h. */
#include "analyzer/trace/framework/framework_names.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool starts_with(const char *text, const char *start) { return !strncmp(text, start, strlen(start)); }

static bool ends_with(const char *text, size_t length, const char *end) {
    size_t bytes = strlen(end);
    return length > bytes && !memcmp(text + length - bytes, end, bytes);
}

static bool put(char *name, const char *before, const char *text, size_t length) {
    size_t start = strlen(before);
    *name = '\0';
    if (!length || start + length >= XS_FRAMEWORK_NAME)
        return false;
    memcpy(name, before, start);
    memcpy(name + start, text, length);
    name[start + length] = '\0';
    return true;
}

/* --- PyTorch --- */

/* Returns the length of the operator in "add__Tensor". A part that begins with a capital letter is an overload. Other
 * overloads are recognised by the list here, which has those of copies and related operators (native_functions.yaml of
 * PyTorch). */
static size_t without_overload(const char *text, size_t length) {
    static const char *const overloads[] = {
        "_dtype_layout", "_dtype", "_device", "_other", "_out", "_dim", "_int", "_memory_format", "_names", "_start",
    };
    for (size_t i = 1; i + 1 < length; i++)
        if (text[i] == '_' && isupper((unsigned char)text[i + 1])) {
            length = i;
            break;
        }
    for (size_t i = 0; i < sizeof overloads / sizeof *overloads; i++)
        if (ends_with(text, length, overloads[i]))
            return length - strlen(overloads[i]);
    return length;
}

bool xs_framework_operator(char *name, const char *function) {
    static const char start[] = "at::_ops::", *const ends[] = {"::call", "::redispatch"};
    size_t length = strcspn(function, "("); /* in imported profiles names have parameters */
    *name = '\0';
    if (!starts_with(function, start))
        return false;
    const char *text = function + strlen(start);
    length -= strlen(start);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ends_with(text, length, ends[i]))
            return put(name, "aten::", text, without_overload(text, length - strlen(ends[i])));
    return false;
}

bool xs_framework_node(char *name, const char *function) {
    size_t length = strcspn(function, "(");
    *name = '\0';
    if (!starts_with(function, "torch::autograd::") || !ends_with(function, length, "::apply"))
        return false;
    length -= strlen("::apply");
    size_t start = length;
    while (start && function[start - 1] != ':')
        start--;
    return put(name, "", function + start, length - start) && strstr(name, "Backward");
}

/* --- names with dots --- */

enum { PARTS_MAX = 16 };

struct parts {
    struct part {
        const char *text;
        size_t length;
    } items[PARTS_MAX];
    size_t count;
};

static bool add_part(struct parts *parts, const char *text, size_t length) {
    if (parts->count == PARTS_MAX || !length)
        return false;
    parts->items[parts->count++] = (struct part){text, length};
    return true;
}

static bool part_is(const struct part *part, const char *text) {
    return part->length == strlen(text) && !memcmp(part->text, text, part->length);
}

static bool add_text(char *name, const char *text, size_t length) {
    size_t used = strlen(name);
    if (used + length + 2 > XS_FRAMEWORK_NAME)
        return false;
    if (used)
        name[used++] = '.';
    memcpy(name + used, text, length);
    name[used + length] = '\0';
    return true;
}

/* Adds the modules up to the first private one, because functions of private modules are used under the name of the
 * package. For torch.nn.modules.linear only "torch.nn" is added. */
static bool add_modules(char *name, const struct parts *modules) {
    for (size_t i = 0; i < modules->count; i++) {
        const struct part *part = &modules->items[i];
        if (i && (*part->text == '_' || (part_is(part, "modules") && part_is(&modules->items[i - 1], "nn"))))
            return true;
        if (!add_text(name, part->text, part->length))
            return false;
    }
    return true;
}

static bool none(char *name) {
    *name = '\0';
    return false;
}

/* Splits "4cupy_5_core_4core_17array". A length precedes each part. A number may also precede the function's name; the
 * characters after it show that it is no length. */
static bool read_cython(struct parts *parts, const char *text) {
    while (isdigit((unsigned char)*text)) {
        char *end;
        unsigned long length = strtoul(text, &end, 10);
        if (length >= strlen(end) || end[length] != '_')
            return add_part(parts, end, strlen(end)); /* the function's number, or the last part */
        if (!add_part(parts, end, length))
            return false;
        text = end + length + 1;
    }
    return add_part(parts, text, strlen(text));
}

bool xs_framework_cython(char *name, const char *function) {
    static const char *const starts[] = {"__pyx_pw_", "__pyx_pf_", "__pyx_f_", "__pyx_getprop_"};
    const char *text = NULL;
    struct parts parts = {0};
    *name = '\0';
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (starts_with(function, starts[i]))
            text = function + strlen(starts[i]);
    if (!text || !read_cython(&parts, text) || parts.count < 2)
        return false;
    struct part own = parts.items[--parts.count];
    bool is_array = part_is(&parts.items[parts.count - 1], "_ndarray_base");
    if (*own.text == '_' && !(own.length > 4 && starts_with(own.text, "__")))
        return false;
    if (!add_modules(name, &parts) || (is_array && !add_text(name, "ndarray", strlen("ndarray"))))
        return none(name);
    return add_text(name, own.text, own.length) || none(name);
}

bool xs_framework_python(char *name, const char *file, const char *function) {
    static const char *const roots[] = {"/site-packages/", "/dist-packages/"};
    const char *text = NULL, *own = strrchr(function, '.');
    struct parts parts = {0};
    *name = '\0';
    own = own ? own + 1 : function;
    for (size_t i = 0; i < sizeof roots / sizeof *roots && !text; i++) {
        const char *root = strstr(file, roots[i]);
        text = root ? root + strlen(roots[i]) : NULL;
    }
    if (!text || *own == '_' || *own == '<' || strstr(function, "<locals>"))
        return false;
    while (*text) {
        size_t length = strcspn(text, "/");
        size_t bytes = ends_with(text, length, ".py") ? length - strlen(".py") : length;
        if (!(bytes == strlen("__init__") && !memcmp(text, "__init__", bytes)) && !add_part(&parts, text, bytes))
            return false;
        text += length + (text[length] == '/');
    }
    if (!add_modules(name, &parts) || !*name)
        return none(name);
    return add_text(name, function, strlen(function)) || none(name);
}

/* --- NVTX --- */

static const char *find(const char *text, size_t length, const char *what) {
    return memmem(text, length, what, strlen(what));
}

void xs_framework_range(char *name, char *sizes, const char *range, size_t length) {
    static const char before[] = ", sizes = [";
    const char *comma = memchr(range, ',', length), *start = find(range, length, before);
    size_t depth = 0;
    *sizes = '\0';
    put(name, "", range, comma ? (size_t)(comma - range) : length);
    if (!start)
        return;
    start += strlen(before) - 1;
    for (const char *end = start; end < range + length; end++) {
        depth += *end == '[';
        depth -= *end == ']';
        if (!depth && (size_t)(end - start) + 2 <= XS_FRAMEWORK_SIZES) {
            memcpy(sizes, start, (size_t)(end - start) + 1);
            sizes[end - start + 1] = '\0';
        }
        if (!depth)
            return;
    }
}
