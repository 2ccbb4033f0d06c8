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

/* What a library's dynamic section says. */
struct dynamic {
    const ElfW(Dyn) * entries;
    const char *strings;
    const ElfW(Sym) * symbols;
    /* What the loader fills in: tables of functions that are called through the PLT, and of all other addresses. */
    const ElfW(Rela) * calls, *others;
    size_t call_count, other_count;
};

/* glibc replaces the offsets in this section by addresses, but some machines' loaders leave the offsets. */
static const void *address(const struct dl_phdr_info *info, const ElfW(Dyn) * entry) {
    uintptr_t value = entry->d_un.d_ptr;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader gives addresses
    return (const void *)(value < info->dlpi_addr ? info->dlpi_addr + value : value);
}

static void read_entry(struct dynamic *d, const struct dl_phdr_info *info, const ElfW(Dyn) * entry) {
    switch (entry->d_tag) {
    case DT_STRTAB:
        d->strings = address(info, entry);
        break;
    case DT_SYMTAB:
        d->symbols = address(info, entry);
        break;
    case DT_JMPREL:
        d->calls = address(info, entry);
        break;
    case DT_PLTRELSZ:
        d->call_count = entry->d_un.d_val / sizeof *d->calls;
        break;
    case DT_RELA:
        d->others = address(info, entry);
        break;
    case DT_RELASZ:
        d->other_count = entry->d_un.d_val / sizeof *d->others;
        break;
    default:
        break;
    }
}

static struct dynamic dynamic_of(const struct dl_phdr_info *info) {
    struct dynamic d = {0};
    for (unsigned i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader gives addresses
            d.entries = (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    for (const ElfW(Dyn) *entry = d.entries; entry && entry->d_tag != DT_NULL; entry++)
        read_entry(&d, info, entry);
    return d;
}

static bool needs_driver(const struct dynamic *d) {
    for (const ElfW(Dyn) *entry = d->entries; entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_NEEDED && !strncmp(d->strings + entry->d_un.d_val, DRIVER, sizeof DRIVER - 1))
            return true;
    return false;
}

/* Returns the name of a checkpoint function that the table refers to; NULL: it refers to none. */
static const char *named_in(const struct dynamic *d, const ElfW(Rela) * table, size_t count) {
    for (size_t i = 0; table && i < count; i++) {
        size_t symbol = ELF64_R_SYM(table[i].r_info);
        const char *name = symbol ? d->strings + d->symbols[symbol].st_name : "";
        if (!strncmp(name, PREFIX, sizeof PREFIX - 1))
            return name;
    }
    return NULL;
}

static int find_import(struct dl_phdr_info *info, size_t size, void *found) {
    const char **name = found;
    struct dynamic d = dynamic_of(info);
    (void)size;
    if (!d.entries || !d.strings || !d.symbols || !needs_driver(&d))
        return 0;
    *name = named_in(&d, d.calls, d.call_count);
    if (!*name)
        *name = named_in(&d, d.others, d.other_count);
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
