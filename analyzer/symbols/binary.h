/* A binary of a run is described by several files: the binary itself, its separate debug file, the file of parts that
 * dwz moved out of the debug file, and the small symbol table inside the binary. */
#ifndef XFERSPY_ANALYZER_SYMBOLS_BINARY_H
#define XFERSPY_ANALYZER_SYMBOLS_BINARY_H

#include "analyzer/symbols/elf_file.h"

struct xs_binary {
    struct xs_elf_file file;  /* empty if the binary is gone and only its debug file was found, by its build id */
    struct xs_elf_file debug; /* empty if `file` has all debug information */
    struct xs_elf_file mini;
};

/* Opens a binary. `build_id` is as for xs_symbols_resolve. If the status is not XS_BINARY_READ, nothing is open. */
enum xs_binary_status xs_binary_open(struct xs_binary *binary, const char *path, const char *build_id);
void xs_binary_close(struct xs_binary *binary);

/* Finds the file that the section .gnu_debugaltlink of `debug` names by `name` and `build_id`; false: not found. */
bool xs_binary_find_alternate(const struct xs_elf_file *debug, const char *name, const char *build_id,
                              struct xs_elf_file *alternate);

#endif
