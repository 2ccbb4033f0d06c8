/* Reads dynamic sections, which are the loader's and stay mapped; see dynamic_section.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dl_phdr_info */
#endif
#include "preload/core/dynamic_section.h"

#include <elf.h>
#include <stdint.h>
#include <string.h>

/* glibc replaces the offsets in this section by addresses, but some machines' loaders leave the offsets. */
static const void *at(const struct xs_dynamic *d, uintptr_t value) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader gives addresses
    return value ? (const void *)(value < d->base ? d->base + value : value) : NULL;
}

const void *xs_dynamic_address(const struct xs_dynamic *dynamic, unsigned tag) {
    return at(dynamic, dynamic->values[tag]);
}

struct xs_dynamic xs_dynamic_of(const struct dl_phdr_info *info) {
    struct xs_dynamic d = {.base = info->dlpi_addr};
    for (unsigned i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader gives addresses
            d.entries = (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    for (const ElfW(Dyn) *entry = d.entries; entry && entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag > 0 && entry->d_tag < DT_NUM)
            d.values[entry->d_tag] = entry->d_un.d_ptr;
        else if (entry->d_tag == DT_GNU_HASH)
            d.gnu_hash = entry->d_un.d_ptr;
    d.strings = xs_dynamic_address(&d, DT_STRTAB);
    d.symbols = xs_dynamic_address(&d, DT_SYMTAB);
    if (!d.strings || !d.symbols)
        d.entries = NULL;
    return d;
}

static void *function_of(const struct xs_dynamic *d, const ElfW(Sym) * symbol, const char *name) {
    bool is_it = symbol->st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbol->st_info) == STT_FUNC &&
                 strcmp(d->strings + symbol->st_name, name) == 0;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader gives addresses
    return is_it ? (void *)(d->base + symbol->st_value) : NULL;
}

/* The hash table of GNU has four numbers, a Bloom filter of words, buckets, and a chain that has the hash of each
 * symbol from `first` on. The lowest bit of such a hash is set in the last symbol of a bucket. */
static void *by_gnu_hash(const struct xs_dynamic *d, const uint32_t *table, const char *name) {
    uint32_t buckets = table[0], first = table[1], hash = 5381;
    const uint32_t *bucket = table + 4 + (size_t)table[2] * sizeof(ElfW(Addr)) / sizeof(uint32_t);
    const uint32_t *chain = bucket + buckets;
    for (const char *c = name; *c; c++)
        hash = hash * 33 + (unsigned char)*c;
    uint32_t i = buckets ? bucket[hash % buckets] : 0;
    if (i < first || i == 0)
        return NULL;
    for (;; i++) {
        void *function = (chain[i - first] | 1U) == (hash | 1U) ? function_of(d, &d->symbols[i], name) : NULL;
        if (function || chain[i - first] & 1U)
            return function;
    }
}

/* The older table says only how many symbols there are. */
static void *by_looking_at_all(const struct xs_dynamic *d, const uint32_t *table, const char *name) {
    void *function = NULL;
    for (uint32_t i = 1; i < table[1] && !function; i++)
        function = function_of(d, &d->symbols[i], name);
    return function;
}

void *xs_dynamic_function(const struct xs_dynamic *dynamic, const char *name) {
    const uint32_t *gnu = at(dynamic, dynamic->gnu_hash), *older = xs_dynamic_address(dynamic, DT_HASH);
    if (!dynamic->entries)
        return NULL;
    return gnu ? by_gnu_hash(dynamic, gnu, name) : older ? by_looking_at_all(dynamic, older, name) : NULL;
}
