/* Function, file and line of addresses in a binary, from what lies on this machine: the binary itself, its separate
 * debug files, and symbol tables where there is no debug information. Nothing is fetched from elsewhere. */
#ifndef XFERSPY_ANALYZER_SYMBOLS_SYMBOLS_H
#define XFERSPY_ANALYZER_SYMBOLS_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum xs_binary_status {
    XS_BINARY_READ,
    XS_BINARY_GONE,       /* no such file */
    XS_BINARY_CHANGED,    /* another one than in the run, by its build id */
    XS_BINARY_UNREADABLE, /* no regular file, no ELF file, or not permitted */
    XS_BINARY_NO_SUPPORT  /* this build cannot read symbols */
};

/* Called for what an address stands for, innermost first: calls that were inlined into the next (depth 0 and up), then
 * the function itself. `file` NULL: not known; line 0: not known. The texts are valid during the call. */
typedef void xs_symbol_sink(void *data, size_t index, unsigned depth, const char *function, const char *file,
                            uint32_t line);

/* Resolves the return addresses addresses[0..count), in ascending order, of the file (not of memory). `build_id`: in
 * hexadecimal as the run saw it, NULL: it saw none. Without `lines` only symbol tables are read. Nothing is said about
 * an address that is not known. */
enum xs_binary_status xs_symbols_resolve(const char *path, const char *build_id, bool lines, const uint64_t *addresses,
                                         size_t count, xs_symbol_sink *sink, void *data);

/* The name of a C++ or Rust function without its parameters, as a text in `buffer`; any other name as it is. */
const char *xs_demangle(const char *name, char *buffer, size_t bytes);

#endif
