/* Functions by symbol tables. */
#ifndef XFERSPY_ANALYZER_SYMBOLS_TABLE_H
#define XFERSPY_ANALYZER_SYMBOLS_TABLE_H

#include "analyzer/symbols/elf_file.h"

/* The symbol next below an address, so far; zeroed: none. */
struct xs_symbol_match {
    Elf *elf; /* that it is in, which has to stay open */
    uint64_t start, bytes;
    size_t strings, name, section;
    unsigned rank; /* of several at one place the highest has the best name */
};

/* Goes once through a file's symbol tables, for addresses in ascending order; calls for further files of the same
 * binary add to `matches`, of which there are two an address: by functions, and by other symbols of code. */
void xs_symbol_table_scan(const struct xs_elf_file *file, const uint64_t *addresses, size_t count,
                          struct xs_symbol_match *matches);

/* After the last scan, once. */
void xs_symbol_table_finish(struct xs_symbol_match *matches, size_t count);

/* The name of the symbol that addresses[i] lies in, NULL: in none. */
const char *xs_symbol_table_name(const struct xs_symbol_match *matches, const uint64_t *addresses, size_t i);

#endif
