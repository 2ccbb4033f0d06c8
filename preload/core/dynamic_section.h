/* Reads the dynamic section of a loaded library. This section says which other libraries the library needs, and which
 * functions it defines. */
#ifndef XFERSPY_PRELOAD_CORE_DYNAMIC_SECTION_H
#define XFERSPY_PRELOAD_CORE_DYNAMIC_SECTION_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>

struct xs_dynamic {
    const ElfW(Dyn) * entries; /* NULL: the library has no dynamic section, no string table or no symbol table */
    ElfW(Addr) base, values[DT_NUM], gnu_hash; /* values[tag] is the value of the entry with this tag, and gnu_hash that
                                                  of DT_GNU_HASH; 0: there is no such entry */
    const char *strings;
    const ElfW(Sym) * symbols;
};

/* Returns the dynamic section of the library that `info` describes, which comes from xs_loader_walk. The result is
 * valid as long as the library is loaded. */
struct xs_dynamic xs_dynamic_of(const struct dl_phdr_info *info);

/* Returns the address that the entry with this tag contains; NULL: there is no such entry. `tag` must be less than
 * DT_NUM. */
const void *xs_dynamic_address(const struct xs_dynamic *dynamic, unsigned tag);

/* Returns the address of the function with this name that the library defines and exports; NULL: the library has no
 * such function. */
void *xs_dynamic_function(const struct xs_dynamic *dynamic, const char *name);

#endif
