/* Finds the function, file and line of a binary's addresses in this machine's files: the binary, its separate debug
 * files, and symbol tables where there is no debug information. Nothing is fetched from other machines. */
#ifndef XFERSPY_ANALYZER_SYMBOLS_SYMBOLS_H
#define XFERSPY_ANALYZER_SYMBOLS_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum xs_binary_status {
    XS_BINARY_READ,
    XS_BINARY_GONE,       /* the file does not exist */
    XS_BINARY_CHANGED,    /* the build id differs from the run's */
    XS_BINARY_UNREADABLE, /* it is not a regular file or not an ELF file, or reading it is not permitted */
    XS_BINARY_NO_SUPPORT  /* this build cannot read symbols */
};

/* A sink receives the functions at an address, innermost first: each inlined function before the function into which it
 * is inlined (depth 0 and up), and last the function that is not inlined. `file` NULL: not known; line 0: not known.
 * The texts are valid during the call. */
typedef void xs_symbol_sink(void *data, size_t index, unsigned depth, const char *function, const char *file,
                            uint32_t line);

/* Resolves the return addresses addresses[0..count). They must be ascending, and are addresses in the file, not in
 * memory. `build_id` is the build id that the run saw, in hexadecimal; NULL: the run saw none. If `lines` is false,
 * only symbol tables are read. The sink is not called for an unknown address. */
enum xs_binary_status xs_symbols_resolve(const char *path, const char *build_id, bool lines, const uint64_t *addresses,
                                         size_t count, xs_symbol_sink *sink, void *data);

/* Returns the name of a C++ or Rust function without its parameters, in `buffer`; returns any other name unchanged. */
const char *xs_demangle(const char *name, char *buffer, size_t bytes);

#endif
