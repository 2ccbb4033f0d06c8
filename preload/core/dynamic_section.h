/* Reads the dynamic section of a loaded library: what the library needs, and which functions it defines. */
#ifndef XFERSPY_PRELOAD_CORE_DYNAMIC_SECTION_H
#define XFERSPY_PRELOAD_CORE_DYNAMIC_SECTION_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>

struct xs_dynamic {
    const ElfW(Dyn) * entries;                 /* NULL: the library has no dynamic section, strings or symbols */
    ElfW(Addr) base, values[DT_NUM], gnu_hash; /* values of the entries by tag; 0: there is no such entry */
    const char *strings;
    const ElfW(Sym) * symbols;
};

/* `info` comes from xs_loader_walk. The result is valid as long as the library is loaded. */
struct xs_dynamic xs_dynamic_of(const struct dl_phdr_info *info);

/* Returns the address that the entry with this tag has; NULL: there is no such entry. */
const void *xs_dynamic_address(const struct xs_dynamic *dynamic, unsigned tag);

/* Returns the function of this name that the library defines and exports; NULL: it defines none. */
void *xs_dynamic_function(const struct xs_dynamic *dynamic, const char *name);

#endif
