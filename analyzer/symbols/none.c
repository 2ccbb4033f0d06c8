/* Replaces the reading of symbols in a build without elfutils or libiberty; see symbols.h. */
#include "analyzer/symbols/symbols.h"

enum xs_binary_status xs_symbols_resolve(const char *path, const char *build_id, bool lines, const uint64_t *addresses,
                                         size_t count, xs_symbol_sink *sink, void *data) {
    (void)path, (void)build_id, (void)lines, (void)addresses, (void)count, (void)sink, (void)data;
    return XS_BINARY_NO_SUPPORT;
}

const char *xs_demangle(const char *name, char *buffer, size_t bytes) {
    (void)buffer, (void)bytes;
    return name;
}
