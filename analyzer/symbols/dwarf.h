/* Finds functions, lines and inlined calls in DWARF debug information. */
#ifndef XFERSPY_ANALYZER_SYMBOLS_DWARF_H
#define XFERSPY_ANALYZER_SYMBOLS_DWARF_H

#include "analyzer/symbols/elf_file.h"

struct xs_dwarf;

/* Opens a file's debug information; NULL: it has none. The file must stay open. */
struct xs_dwarf *xs_dwarf_open(const struct xs_elf_file *file);
void xs_dwarf_close(struct xs_dwarf *dwarf);

/* Passes the functions and lines at an instruction's address to the sink (symbols.h), and returns how many functions
 * were passed. Names are passed mangled. `fallback`: the function's name if the debug information has only a line;
 * NULL: not known. `is_split`: the compiler split the innermost function in two, and the instruction calls the second
 * part. The function is then left out, because the second part has a frame of its own in the stack. */
unsigned xs_dwarf_find(struct xs_dwarf *dwarf, uint64_t address, size_t index, const char *fallback, bool is_split,
                       xs_symbol_sink *sink, void *data);

/* True if the instruction lies in an inlined function and calls the copy of the same function that is not inlined. The
 * copy's addresses are then [*start, *end). */
bool xs_dwarf_calls_itself(struct xs_dwarf *dwarf, uint64_t address, uint64_t *start, uint64_t *end);

#endif
