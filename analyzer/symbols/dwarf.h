/* DWARF debug information gives functions, lines and inlined calls. */
#ifndef XFERSPY_ANALYZER_SYMBOLS_DWARF_H
#define XFERSPY_ANALYZER_SYMBOLS_DWARF_H

#include "analyzer/symbols/elf_file.h"

struct xs_dwarf;

/* Opens a file's debug information; NULL: it has none. The file must stay open. */
struct xs_dwarf *xs_dwarf_open(const struct xs_elf_file *file);
void xs_dwarf_close(struct xs_dwarf *dwarf);

/* Gives what lies at an address of an instruction to the sink (see symbols.h), names as the compiler mangled them.
 * `fallback`: the function's name where the debug information has only a line, NULL: not known. `is_split`: the call
 * there is that of the rest of the innermost function, whose frame stands for it. Returns how many it gave. */
unsigned xs_dwarf_find(struct xs_dwarf *dwarf, uint64_t address, size_t index, const char *fallback, bool is_split,
                       xs_symbol_sink *sink, void *data);

/* Whether the call there is one by a function that was inlined, of a copy of itself that was not. Gives where that
 * lies: up to `end`. */
bool xs_dwarf_calls_itself(struct xs_dwarf *dwarf, uint64_t address, uint64_t *start, uint64_t *end);

#endif
