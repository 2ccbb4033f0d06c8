/* Searches the table libraries.def; see library.h. */
#include "schema/source/library.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

#include "schema/path.h"

const struct xs_library_row xs_library_rows[] = {
#define XS_LIBRARY(what, pattern) {XS_LIBRARY_##what, pattern, XS_FRAMEWORK_NONE},
#define XS_FRAMEWORK(name, what, pattern) {XS_LIBRARY_##what, pattern, XS_FRAMEWORK_##name},
#include "schema/source/libraries.def"
#undef XS_LIBRARY
};
enum { ROWS = sizeof xs_library_rows / sizeof *xs_library_rows };
const size_t xs_library_row_count = ROWS;

static bool begins(const char *text, const char *start) { return !strncmp(text, start, strlen(start)); }

/* True if the pattern matches the first `length` bytes of a text. */
static bool matches(const char *pattern, const char *text, size_t length) {
    size_t n = strlen(pattern);
    if (n && pattern[n - 1] == '*')
        return length >= n - 1 && !strncmp(text, pattern, n - 1);
    return length == n && !strncmp(text, pattern, n);
}

/* Returns the length of a binary's name without its suffixes. auditwheel adds eight digits of a hash to the names of
 * the libraries that it packs, as in "libcudart-d0da41ae.so.11.0"; these are left out as well. */
static size_t stem_length(const char *name) {
    const char *end = strstr(name, ".so");
    while (end && end[3] && end[3] != '.')
        end = strstr(end + 1, ".so");
    size_t length = end ? (size_t)(end - name) : strlen(name), digits = 0;
    while (digits < length && isxdigit((unsigned char)name[length - 1 - digits]))
        digits++;
    return digits >= 8 && digits < length && name[length - 1 - digits] == '-' ? length - digits - 1 : length;
}

static bool is_soname(const char *name) {
    const char *end = strstr(name, ".so");
    return end && (!end[3] || end[3] == '.');
}

/* Returns the name of the package of a path in site-packages or dist-packages; NULL: the path is in neither. If there
 * are several such folders in the path, the last one is used, because an environment may be in the folder of another
 * one. */
static const char *package_of(const char *path) {
    static const char *const folders[] = {"/site-packages/", "/dist-packages/"};
    const char *package = NULL;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        for (const char *p = path; (p = strstr(p, folders[i])); p++)
            if (p + strlen(folders[i]) > package || !package)
                package = p + strlen(folders[i]);
    return package;
}

/* Returns the index + 1 of the row that matches; 0: none does. */
static size_t in_table(enum xs_library_what what, const char *text, size_t length) {
    for (size_t i = 0; i < ROWS; i++)
        if (xs_library_rows[i].what == what && matches(xs_library_rows[i].pattern, text, length))
            return i + 1;
    return 0;
}

/* Returns the index + 1 of the row that matches a path's package; 0: none does. A package may also be a single file,
 * such as "six.py". */
static size_t of_package(const char *path) {
    const char *package = package_of(path);
    return package ? in_table(XS_LIBRARY_PACKAGE, package, strcspn(package, "/.")) : 0;
}

static bool in_folder(const char *path) {
    for (size_t i = 0; i < ROWS; i++)
        if (xs_library_rows[i].what == XS_LIBRARY_FOLDER && strstr(path, xs_library_rows[i].pattern))
            return true;
    return false;
}

bool xs_library_binary(const char *path, bool *glue) {
    const char *name = xs_base_name(path);
    size_t length = stem_length(name);
    *glue = in_table(XS_LIBRARY_GLUE, name, length);
    /* a program may have a name like "libc" or "python3_train" */
    if (*glue && !is_soname(name))
        *glue = strspn(name + strlen("python"), "0123456789.dmtu") == strlen(name) - strlen("python");
    return *glue || (is_soname(name) && in_table(XS_LIBRARY_FILE, name, length)) || in_folder(path) || of_package(path);
}

/* Only the part of a name before template arguments is compared: "std::sort<app::Item*>" belongs to std,
 * "app::Table<std::string>" does not. */
bool xs_library_function(const char *function, const char *file) {
    if (file && in_folder(file))
        return true;
    if (!function)
        return false;
    for (size_t i = 0; i < ROWS; i++) {
        const struct xs_library_row *row = &xs_library_rows[i];
        if (row->what != XS_LIBRARY_FUNCTION && (row->what != XS_LIBRARY_RUNTIME || file))
            continue;
        size_t length = strcspn(row->pattern, "*");
        if (!strncmp(function, row->pattern, length) &&
            (!row->pattern[length] || isupper((unsigned char)function[length]))) /* cudaMalloc, not cudacheck */
            return true;
    }
    return false;
}

/* True if a file is in Python's standard library: "lib/python3.11", but not its site-packages. */
static bool of_standard_library(const char *file) {
    for (const char *p = file; (p = strstr(p, "/lib/python")); p++) {
        const char *version = p + strlen("/lib/python");
        size_t length = strspn(version, "0123456789.t");
        if (length && version[length] == '/')
            return true;
    }
    return false;
}

bool xs_library_python(const char *file) {
    if (package_of(file))
        return of_package(file);
    for (size_t i = 0; i < ROWS; i++)
        if (xs_library_rows[i].what == XS_LIBRARY_PYTHON && begins(file, xs_library_rows[i].pattern))
            return true;
    return of_standard_library(file);
}

/* True if a word is the name of an operator, such as "prims::copy", or autograd's "AddmmBackward0". */
static bool is_operator(const char *word, size_t length) {
    static const char end[] = "Backward";
    for (size_t i = 0; i + 1 < length; i++)
        if (word[i] == ':' && word[i + 1] == ':')
            return true;
    while (length && isdigit((unsigned char)word[length - 1]))
        length--;
    return length > strlen(end) && begins(word + length - strlen(end), end);
}

/* True if emit_nvtx writes such a name, for example "AddmmBackward0, seq = 5, op_id = 7". A function that the user
 * derives from autograd.Function can have any name, but both parts follow it. A range "step, seq = 512" belongs to
 * the program. */
static bool is_of_operator(const char *name) {
    static const char numbered[] = ", seq = ", identified[] = ", op_id = ", sized[] = ", sizes = [";
    size_t length = strcspn(name, " ,");
    const char *rest = name + length;
    bool is_numbered = begins(rest, numbered);
    if (is_operator(name, length))
        return is_numbered || begins(rest, identified) || begins(rest, sized);
    if (!length || !is_numbered)
        return false;
    rest += strlen(numbered);
    rest += strspn(rest, "0123456789");
    return begins(rest, identified) || begins(rest, sized);
}

bool xs_library_range(const char *domain, const char *name) {
    if (domain)
        return in_table(XS_LIBRARY_DOMAIN, domain, strlen(domain));
    for (size_t i = 0; i < ROWS; i++)
        if (xs_library_rows[i].what == XS_LIBRARY_RANGE && begins(name, xs_library_rows[i].pattern))
            return true;
    return is_of_operator(name);
}

enum xs_framework xs_library_framework(const char *path) {
    const char *name = xs_base_name(path);
    size_t row = of_package(path);
    if (!row && is_soname(name))
        row = in_table(XS_LIBRARY_FILE, name, stem_length(name));
    return row ? xs_library_rows[row - 1].framework : XS_FRAMEWORK_NONE;
}

bool xs_library_runs_python(const char *function) {
    return begins(function, "_PyEval_EvalFrame") || begins(function, "PyEval_EvalFrame") ||
           begins(function, "_TAIL_CALL_");
}
