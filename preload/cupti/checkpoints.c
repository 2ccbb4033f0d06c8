/* Process checkpoints beside CUPTI; see checkpoints.h. */
#include "preload/cupti/checkpoints.h"

#include <elf.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "preload/core/loader_list.h"
#include "preload/core/notes.h"
#include "preload/cupti/cupti_internal.h"

#define PREFIX "cuCheckpointProcess"
#define DRIVER "libcuda.so"

/* A library's dynamic section, and the values of its entries by tag; 0: there is no such entry. */
struct dynamic {
    const ElfW(Dyn) * entries;
    ElfW(Addr) base, values[DT_NUM];
};

static struct dynamic dynamic_of(const struct dl_phdr_info *info) {
    struct dynamic d = {.base = info->dlpi_addr};
    for (unsigned i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader gives addresses
            d.entries = (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    for (const ElfW(Dyn) *entry = d.entries; entry && entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag > 0 && entry->d_tag < DT_NUM)
            d.values[entry->d_tag] = entry->d_un.d_ptr;
    return d;
}

/* glibc replaces the offsets in this section by addresses, but some machines' loaders leave the offsets. NULL: there is
 * no entry with this tag. */
static const void *address(const struct dynamic *d, unsigned tag) {
    uintptr_t value = d->values[tag];
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader gives addresses
    return value ? (const void *)(value < d->base ? d->base + value : value) : NULL;
}

static bool needs_driver(const struct dynamic *d, const char *strings) {
    for (const ElfW(Dyn) *entry = d->entries; entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_NEEDED && !strncmp(strings + entry->d_un.d_val, DRIVER, sizeof DRIVER - 1))
            return true;
    return false;
}

/* Returns the name of a checkpoint function that a table of the loader refers to; NULL: it refers to none. `table` and
 * `bytes` are the tags of the table and of its size. */
static const char *named_in(const struct dynamic *d, unsigned table, unsigned bytes) {
    const char *strings = address(d, DT_STRTAB);
    const ElfW(Sym) *symbols = address(d, DT_SYMTAB);
    const ElfW(Rela) *rows = address(d, table);
    for (size_t i = 0; rows && i < d->values[bytes] / sizeof *rows; i++) {
        size_t symbol = ELF64_R_SYM(rows[i].r_info);
        const char *name = symbol ? strings + symbols[symbol].st_name : "";
        if (!strncmp(name, PREFIX, sizeof PREFIX - 1))
            return name;
    }
    return NULL;
}

static int find_import(struct dl_phdr_info *info, size_t size, void *found) {
    const char **name = found;
    struct dynamic d = dynamic_of(info);
    const char *strings = address(&d, DT_STRTAB);
    (void)size;
    if (!d.entries || !strings || !address(&d, DT_SYMTAB) || !needs_driver(&d, strings))
        return 0;
    *name = named_in(&d, DT_JMPREL, DT_PLTRELSZ); /* functions that are called through the PLT */
    if (!*name)
        *name = named_in(&d, DT_RELA, DT_RELASZ); /* all other addresses */
    return *name != NULL;
}

const char *xs_checkpoints_imported(void) {
    const char *name = NULL;
    return xs_loader_walk(find_import, &name) ? name : NULL;
}

static _Atomic(const char *) refused;

void xs_checkpoint_look(int result, const char *entry_point) {
    const char *none = NULL;
    if (result == CUDA_ERROR_NOT_SUPPORTED && xs_cupti_was_attached() &&
        atomic_compare_exchange_strong(&refused, &none, entry_point))
        xs_note("cupti", XS_CHECKPOINT_REFUSED, entry_point);
}

const char *xs_checkpoint_refused(void) { return atomic_load(&refused); }
