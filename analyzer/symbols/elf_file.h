/* The names of ELF files come from a trace or from another ELF file. So only regular files are opened, and everything
 * in them is checked before it is used. */
#ifndef XFERSPY_ANALYZER_SYMBOLS_ELF_FILE_H
#define XFERSPY_ANALYZER_SYMBOLS_ELF_FILE_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "analyzer/symbols/symbols.h"

enum { XS_BUILD_ID_HEX = 2 * 64 + 1 };

struct xs_elf_file { /* zeroed: none */
    Elf *elf;
    int fd;       /* open as long as elf exists */
    char *path;   /* NULL: the file lies in memory */
    void *memory; /* memory that holds the file */
};

/* Opens a file; `build_id` NULL: the file may have any build id. Status XS_BINARY_CHANGED: the file has another build
 * id, or has none. */
enum xs_binary_status xs_elf_open(struct xs_elf_file *file, const char *path, const char *build_id);
void xs_elf_close(struct xs_elf_file *file);

/* Writes a build id as hexadecimal digits; false: `count` is 0 or too large. */
bool xs_build_id_hex(const void *bytes, ssize_t count, char id[XS_BUILD_ID_HEX]);

/* Reads the build id in hexadecimal; false: the file has none. */
bool xs_elf_build_id(const struct xs_elf_file *file, char id[XS_BUILD_ID_HEX]);

bool xs_elf_has_section(const struct xs_elf_file *file, const char *name);

/* Reads the name and checksum of a separate debug file from .gnu_debuglink; false: none. */
bool xs_elf_debug_link(const struct xs_elf_file *file, const char **name, uint32_t *crc);
bool xs_elf_crc_is(const struct xs_elf_file *file, uint32_t crc);

/* Unpacks the small symbol table that some distributions leave in stripped binaries (.gnu_debugdata); false: none. */
bool xs_elf_open_mini(struct xs_elf_file *mini, const struct xs_elf_file *file);

#endif
