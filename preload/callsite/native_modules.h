/* The executables and libraries that are mapped into the process. */
#ifndef XFERSPY_PRELOAD_CALLSITE_NATIVE_MODULES_H
#define XFERSPY_PRELOAD_CALLSITE_NATIVE_MODULES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "schema/format/event.h"

struct xs_module { /* never freed; only is_defined ever changes */
    struct xs_module *older;
    uint64_t identity; /* hash that identifies the module: another module at the same addresses has another hash */
    uint64_t index;    /* address of .eh_frame_hdr; 0: none */
    uint64_t index_bytes;
    uint64_t readable_start, readable_end; /* mapped segment that holds .eh_frame_hdr and .eh_frame */
    uint32_t number;
    atomic_bool is_defined;
    struct xs_define_module definition;
    char text[]; /* build id, path */
};

/* Finds the module that holds an address and calls `use` with it, or with NULL if no module does. The module cannot be
 * unloaded while `use` runs, but it may be gone when this returns. Returns false, without calling `use`, if the answer
 * is not available now. Takes locks unless the answer is cached. `use` must not call this function; a signal handler
 * that interrupted `use` may, and gets false. */
bool xs_modules_use(uint64_t pc, void (*use)(const struct xs_module *module, void *arg), void *arg);

/* The number of threads inside dlclose. While there is one, another library may already lie where the unloaded one was,
 * although the rules for those addresses have not been dropped yet. */
extern _Atomic unsigned xs_unloads_under_way;

/* Drops what was derived from modules. The table of modules calls this after each change. */
void xs_rules_drop(void);

#endif
