/* DWARF debug information gives functions, lines and inlined calls. */
#ifndef XFERSPY_ANALYZER_SYMBOLS_DWARF_H
#define XFERSPY_ANALYZER_SYMBOLS_DWARF_H

#include "analyzer/symbols/elf_file.h"

struct xs_dwarf;

/* Opens a file's debug information; NULL: it has none. The file must stay open. */
struct xs_dwarf *xs_dwarf_open(const struct xs_elf_file *file);
void xs_dwarf_close(struct xs_dwarf *dwarf);

/* Gives the functions and lines at an instruction's address to the sink (symbols.h), with mangled names. `fallback`:
 * the function's name if the debug information has only a line; NULL: not known. `is_split`: the instruction calls
 * the split-off rest of the innermost function, and the rest's frame stands for it. Returns how many it gave. */
unsigned xs_dwarf_find(struct xs_dwarf *dwarf, uint64_t address, size_t index, const char *fallback, bool is_split,
                       xs_symbol_sink *sink, void *data);

/* Whether the instruction calls, from an inlined function, the copy of this function that is not inlined. Gives the
 * copy's addresses, from `start` up to `end`. */
bool xs_dwarf_calls_itself(struct xs_dwarf *dwarf, uint64_t address, uint64_t *start, uint64_t *end);

#endif
