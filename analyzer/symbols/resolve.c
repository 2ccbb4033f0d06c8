/* Finds functions and lines for the addresses of one binary; see symbols.h. */
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/symbols/binary.h"
#include "analyzer/symbols/dwarf.h"
#include "analyzer/symbols/symbol_table.h"

enum { NAME_BYTES = 4096 };

/* The caller's sink, which receives names in readable form. */
struct readable {
    xs_symbol_sink *sink;
    void *data;
};

/* Shortens a path. Compilers make "/src/./app.c" and "/src//app.c" from relative names, but one file must have one
 * name. */
static const char *tidy_path(const char *path, char *buffer, size_t bytes) {
    size_t length = 0;
    for (const char *p = path; *p && length < bytes - 1;)
        if (p != path && p[-1] == '/' && *p == '/')
            p++;
        else if ((p == path || p[-1] == '/') && p[0] == '.' && p[1] == '/')
            p += 2;
        else
            buffer[length++] = *p++;
    buffer[length] = 0;
    return buffer;
}

static void make_readable(void *data, size_t index, unsigned depth, const char *function, const char *file,
                          uint32_t line) {
    const struct readable *readable = data;
    char name[NAME_BYTES], path[NAME_BYTES];
    readable->sink(readable->data, index, depth, function ? xs_demangle(function, name, sizeof name) : NULL,
                   file && *file ? tidy_path(file, path, sizeof path) : NULL, file && *file ? line : 0);
}

/* True if a name belongs to the rest of a function that gcc split because its beginning was worth inlining. */
static bool is_rest(const char *name) { return name && strstr(name, ".part.") != NULL; }

/* True if the instruction calls[i] calls the split-off rest of its own function. The rest is then on the stack, too, so
 * one of the addresses lies in the rest. The debug information may give such a call any line nearby. */
static bool is_split(struct xs_dwarf *dwarf, const struct xs_symbol_match *matches, const uint64_t *calls, size_t count,
                     size_t i) {
    uint64_t start = 0, end = 0;
    if (!xs_dwarf_calls_itself(dwarf, calls[i], &start, &end))
        return false;
    for (size_t k = 0; k < count && calls[k] < end; k++)
        if (calls[k] >= start)
            return is_rest(xs_symbol_table_name(matches, calls, k));
    return false;
}

/* Resolves all addresses. The symbol table is needed even if there is debug information, for functions that were
 * compiled without it. */
static void find_all(const struct xs_binary *binary, struct xs_dwarf *dwarf, const uint64_t *addresses, size_t count,
                     struct readable *readable) {
    XS_SCOPED struct xs_symbol_match *matches = xs_zeroed(2 * count, sizeof *matches);
    const struct xs_elf_file *const files[] = {&binary->file, &binary->debug, &binary->mini};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (files[i]->elf)
            xs_symbol_table_scan(files[i], addresses, count, matches);
    xs_symbol_table_finish(matches, count);
    bool any_split = false;
    for (size_t i = 0; i < count && dwarf && !any_split; i++)
        any_split = is_rest(xs_symbol_table_name(matches, addresses, i));
    for (size_t i = 0; i < count; i++) {
        const char *name = xs_symbol_table_name(matches, addresses, i);
        bool split = any_split && is_split(dwarf, matches, addresses, count, i);
        if ((!dwarf || !xs_dwarf_find(dwarf, addresses[i], i, name, split, make_readable, readable)) && name)
            make_readable(readable, i, 0, name, NULL, 0);
    }
}

enum xs_binary_status xs_symbols_resolve(const char *path, const char *build_id, bool lines, const uint64_t *addresses,
                                         size_t count, xs_symbol_sink *sink, void *data) {
    struct xs_binary binary;
    struct readable readable = {sink, data};
    enum xs_binary_status status = xs_binary_open(&binary, path, build_id);
    if (status != XS_BINARY_READ || !count) {
        xs_binary_close(&binary);
        return status;
    }
    /* A return address is the address of the next instruction, which may be of another line or in another function. */
    XS_SCOPED uint64_t *calls = xs_realloc(NULL, count * sizeof *calls);
    for (size_t i = 0; i < count; i++)
        calls[i] = addresses[i] ? addresses[i] - 1 : 0;
    struct xs_dwarf *dwarf = lines ? xs_dwarf_open(binary.debug.elf ? &binary.debug : &binary.file) : NULL;
    find_all(&binary, dwarf, calls, count, &readable);
    xs_dwarf_close(dwarf);
    xs_binary_close(&binary);
    return XS_BINARY_READ;
}
