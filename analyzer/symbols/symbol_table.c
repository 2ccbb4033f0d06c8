/* Finds functions in symbol tables; see symbol_table.h. A CUDA library has a million symbols, and a trace has a few
 * hundred addresses in it. So the addresses are sorted instead of the symbols, and each table is read once from its
 * beginning to its end. */
#include "analyzer/symbols/symbol_table.h"

#include <gelf.h>

#include "analyzer/base/search.h"

struct scan {
    const struct xs_elf_file *file;
    const uint64_t *addresses;
    size_t count, strings; /* strings: index of the section with the names */
    struct xs_symbol_match *matches;
};

static bool is_less(const void *a, const void *b) { return *(const uint64_t *)a < *(const uint64_t *)b; }

/* Returns the rank of a symbol. A function of size 0, as in assembly, extends to the next symbol; a name with a size is
 * better. */
static unsigned rank_of(const GElf_Sym *symbol) {
    unsigned binding = GELF_ST_BIND(symbol->st_info);
    return (symbol->st_size ? 4u : 0) + (binding == STB_GLOBAL ? 2u : binding == STB_WEAK ? 1u : 0);
}

static bool section_of(Elf *elf, size_t number, GElf_Shdr *header) {
    Elf_Scn *section = number < SHN_LORESERVE ? elf_getscn(elf, number) : NULL;
    return section && gelf_getshdr(section, header);
}

/* True if a symbol is a code label, which has no type. For aarch64 the assembler adds the marks "$x" and "$d", which
 * are no labels. */
static bool is_label(const struct scan *scan, const GElf_Sym *symbol) {
    GElf_Shdr header;
    const char *name = elf_strptr(scan->file->elf, scan->strings, symbol->st_name);
    return name && *name && *name != '$' && section_of(scan->file->elf, symbol->st_shndx, &header) &&
           (header.sh_flags & SHF_EXECINSTR);
}

static void take(const struct scan *scan, const GElf_Sym *symbol) {
    unsigned type = GELF_ST_TYPE(symbol->st_info);
    bool function = type == STT_FUNC || type == STT_GNU_IFUNC;
    if ((!function && type != STT_NOTYPE) || symbol->st_shndx == SHN_UNDEF || !symbol->st_value)
        return;
    const uint64_t start = symbol->st_value;
    size_t at = xs_search(scan->addresses, scan->count, sizeof start, is_less, &start);
    if (at == scan->count)
        return;
    struct xs_symbol_match *match = &scan->matches[2 * at + !function];
    unsigned rank = rank_of(symbol);
    if (match->elf && (symbol->st_value < match->start || (symbol->st_value == match->start && rank <= match->rank)))
        return;
    if (function || is_label(scan, symbol))
        *match = (struct xs_symbol_match){.elf = scan->file->elf,
                                          .start = symbol->st_value,
                                          .bytes = symbol->st_size,
                                          .strings = scan->strings,
                                          .name = symbol->st_name,
                                          .section = symbol->st_shndx,
                                          .rank = rank};
}

void xs_symbol_table_scan(const struct xs_elf_file *file, const uint64_t *addresses, size_t count,
                          struct xs_symbol_match *matches) {
    struct scan scan = {file, addresses, count, 0, matches};
    for (Elf_Scn *section = NULL; (section = elf_nextscn(file->elf, section));) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header) || (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM))
            continue;
        Elf_Data *data = elf_getdata(section, NULL);
        scan.strings = header.sh_link;
        GElf_Sym symbol;
        for (int i = 0; data && gelf_getsym(data, i, &symbol); i++)
            take(&scan, &symbol);
    }
}

void xs_symbol_table_finish(struct xs_symbol_match *matches, size_t count) {
    for (size_t i = 2; i < 2 * count; i++)
        if (!matches[i].elf)
            matches[i] = matches[i - 2];
}

static bool lies_in(const struct xs_symbol_match *match, uint64_t address) {
    GElf_Shdr header;
    if (match->bytes)
        return address - match->start < match->bytes;
    return section_of(match->elf, match->section, &header) && address - header.sh_addr < header.sh_size;
}

const char *xs_symbol_table_name(const struct xs_symbol_match *matches, const uint64_t *addresses, size_t i) {
    for (size_t kind = 0; kind < 2; kind++) {
        const struct xs_symbol_match *match = &matches[2 * i + kind];
        const char *name = match->elf ? elf_strptr(match->elf, match->strings, match->name) : NULL;
        if (name && *name && lies_in(match, addresses[i]))
            return name;
    }
    return NULL;
}
