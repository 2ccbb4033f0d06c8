/* Finds the functions at addresses in symbol tables. */
#ifndef XFERSPY_ANALYZER_SYMBOLS_SYMBOL_TABLE_H
#define XFERSPY_ANALYZER_SYMBOLS_SYMBOL_TABLE_H

#include "analyzer/symbols/elf_file.h"

/* A match is the symbol with the highest start at or below an address, among the symbols that were read so far; zeroed:
 * none. */
struct xs_symbol_match {
    Elf *elf; /* file of the symbol; must stay open */
    uint64_t start, bytes;
    size_t strings, name, section;
    unsigned rank; /* among symbols with the same start, the highest rank has the best name */
};

/* Scans a file's symbol tables once. `addresses` must be ascending. The other files of the same binary are scanned by
 * further calls with the same `matches`. `matches` has two entries for each address: one for functions, and one for
 * other code symbols. */
void xs_symbol_table_scan(const struct xs_elf_file *file, const uint64_t *addresses, size_t count,
                          struct xs_symbol_match *matches);

/* Completes the matches. Must be called once, after the last scan. */
void xs_symbol_table_finish(struct xs_symbol_match *matches, size_t count);

/* Returns the name of the symbol that contains addresses[i], NULL: none. */
const char *xs_symbol_table_name(const struct xs_symbol_match *matches, const uint64_t *addresses, size_t i);

#endif
