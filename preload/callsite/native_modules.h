/* Finds the executables and libraries that are mapped into the process. Each of them is called a module. */
#ifndef XFERSPY_PRELOAD_CALLSITE_NATIVE_MODULES_H
#define XFERSPY_PRELOAD_CALLSITE_NATIVE_MODULES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "schema/format/event.h"

struct xs_module { /* is never freed; after it was made, only is_defined changes */
    struct xs_module *older;
    uint64_t identity; /* hash of the module's content; another module at the same addresses has another hash */
    uint64_t index;    /* address of .eh_frame_hdr; 0: the module has none */
    uint64_t index_bytes;
    uint64_t readable_start, readable_end; /* the mapped segment that holds .eh_frame_hdr and .eh_frame */
    uint32_t number;
    atomic_bool is_defined;
    struct xs_define_module definition;
    char text[]; /* the build id, then the path */
};

/* Finds the module that contains an address and calls `use` with it, or with NULL if no module does. The module cannot
 * be unloaded while `use` runs, but it may be unloaded already when this function returns. False: the lists of modules
 * cannot be read now, and `use` was not called. Takes the loader's lock. `use` must not call xs_modules_use. A signal
 * handler that has interrupted `use` may call xs_modules_use, which then returns false. */
bool xs_modules_use(uint64_t pc, void (*use)(const struct xs_module *module, void *arg), void *arg);

/* The number of calls of dlclose that are under way. During such a call, a new library may already be at the addresses
 * of the unloaded library, although the cached rules for these addresses have not been removed yet. */
extern _Atomic unsigned xs_unloads_under_way;

/* Removes all cached rules, because they were derived from modules. This function is called after each change of the
 * table of modules. */
void xs_rules_drop(void);

#endif
