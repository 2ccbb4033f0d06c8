/* ELF files whose names come from a trace, or from another such file: only regular files are opened, and nothing in
 * them is believed unchecked. */
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
    int fd;       /* as long as elf is there */
    char *path;   /* NULL: it lies in memory */
    void *memory; /* what it lies in */
};

/* `build_id` NULL: any. XS_BINARY_CHANGED: another one, or the file has none. */
enum xs_binary_status xs_elf_open(struct xs_elf_file *file, const char *path, const char *build_id);
void xs_elf_close(struct xs_elf_file *file);

/* The bytes of a build id as hexadecimal digits; false where they are none or too many. */
bool xs_build_id_hex(const void *bytes, ssize_t count, char id[XS_BUILD_ID_HEX]);

/* In hexadecimal; false: it has none. */
bool xs_elf_build_id(const struct xs_elf_file *file, char id[XS_BUILD_ID_HEX]);

/* A section's data; NULL: not there. */
Elf_Data *xs_elf_section(const struct xs_elf_file *file, const char *name);
bool xs_elf_has_section(const struct xs_elf_file *file, const char *name);

/* The name and the checksum of a separate debug file, as .gnu_debuglink has them; false: none. */
bool xs_elf_debug_link(const struct xs_elf_file *file, const char **name, uint32_t *crc);
bool xs_elf_crc_is(const struct xs_elf_file *file, uint32_t crc);

/* The small symbol table that some distributions leave in stripped binaries (.gnu_debugdata), unpacked; false: none. */
bool xs_elf_open_mini(struct xs_elf_file *mini, const struct xs_elf_file *file);

#endif
