/* Writes names of C++ and Rust functions as in their source, with libiberty. */
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <string.h>

#include "analyzer/symbols/symbols.h"

/* libiberty refuses names longer than LENGTH_CHECKED to save stack, because its recursion is as deep as the name is
 * long. Names of nested templates are longer, so libiberty is told not to check. For a name of LENGTH_MAX it needs 2 MB
 * of stack. */
enum { LENGTH_CHECKED = 1024, LENGTH_MAX = 4096 };

struct text {
    char *data;
    size_t length, bytes;
    jmp_buf full;
};

/* Adds a part of the name. A mangled name of a hundred letters can refer to its own parts and so expand to 2^90
 * letters. Leaving by longjmp at the end of the buffer is safe, because libiberty keeps its data on the stack. */
static void add(const char *part, size_t length, void *data) {
    struct text *text = data;
    size_t rest = text->bytes - 1 - text->length;
    size_t taken = length < rest ? length : rest;
    memcpy(text->data + text->length, part, taken);
    text->length += taken;
    text->data[text->length] = 0;
    if (taken < length)
        longjmp(text->full, 1);
}

typedef int demangler(const char *mangled, int options, demangle_callbackref callback, void *data);

static __attribute__((noinline)) bool demangle(demangler *how, const char *name, int options, struct text *text) {
    text->length = 0;
    text->data[0] = 0;
    if (setjmp(text->full))
        return true;
    return how(name, options, add, text) && text->length;
}

const char *xs_demangle(const char *name, char *buffer, size_t bytes) {
    size_t length = strlen(name);
    bool mangled = !strncmp(name, "_Z", 2) || !strncmp(name, "_R", 2) || !strncmp(name, "___Z", 4);
    if (!mangled || length > LENGTH_MAX || bytes < 2)
        return name;
    struct text text = {.data = buffer, .bytes = bytes};
    int options = length > LENGTH_CHECKED ? DMGL_NO_RECURSE_LIMIT : 0;
    /* Names in Rust's older form look like C++ names with a hash at the end, so Rust is tried first. */
    bool done = demangle(rust_demangle_callback, name, options, &text) ||
                demangle(cplus_demangle_v3_callback, name, options, &text);
    return done ? buffer : name;
}
