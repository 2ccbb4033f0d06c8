/* The executables and libraries that are mapped into the process. */
#ifndef XFERSPY_PRELOAD_CALLSITE_NATIVE_MODULES_H
#define XFERSPY_PRELOAD_CALLSITE_NATIVE_MODULES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "schema/format/event.h"

struct xs_module { /* never freed; nothing but is_defined ever changes */
    struct xs_module *older;
    uint64_t identity; /* a hash of what it is: another module at the same addresses has another one */
    uint64_t index;    /* .eh_frame_hdr, 0: none */
    uint64_t index_bytes;
    uint64_t readable_start, readable_end; /* the mapped segment that holds .eh_frame_hdr and .eh_frame */
    uint32_t number;
    atomic_bool is_defined;
    struct xs_define_module definition;
    char text[]; /* build id, path */
};

/* Finds the module that holds an address and calls `use` with it, or with NULL where no module does. The module
 * cannot be unloaded while `use` runs, but it may be gone when this returns. Returns false where the answer cannot
 * be given now; then `use` was not called. Takes locks where the answer is not cached. `use` itself must not call
 * this; a signal handler that interrupted `use` may, and gets false. */
bool xs_modules_use(uint64_t pc, void (*use)(const struct xs_module *module, void *arg), void *arg);

/* How many threads are inside dlclose. While one is, another library may already lie where the unloaded one was,
 * although the rules for those addresses have not been dropped yet. */
extern _Atomic unsigned xs_unloads_under_way;

/* Drops what was derived from modules. The table of modules calls this whenever it changed. */
void xs_rules_drop(void);

#endif
