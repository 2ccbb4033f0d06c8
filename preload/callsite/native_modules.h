/* The executables and libraries that are mapped. */
#ifndef XFERSPY_PRELOAD_CALLSITE_NATIVE_MODULES_H
#define XFERSPY_PRELOAD_CALLSITE_NATIVE_MODULES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "schema/event.h"

struct xs_module { /* never freed, never changed but for is_defined */
    struct xs_module *older;
    uint64_t identity; /* of what it is, so that another one at the same addresses differs */
    uint64_t index;    /* .eh_frame_hdr, 0: none */
    uint64_t index_bytes;
    uint64_t readable_start, readable_end; /* the mapped segment that .eh_frame_hdr lies in, and .eh_frame with it */
    uint32_t number;
    atomic_bool is_defined;
    struct xs_define_module definition;
    char text[]; /* build id, path */
};

/* Calls `use` with the module that holds an address, which cannot be unloaded meanwhile; NULL: none does. It may be gone when this
 * returns. False: that cannot be said now, `use` was not called. Takes locks, for what is not cached. Not while `use` runs, and not in a signal handler
 * that interrupted it: there it is false. */
bool xs_modules_use(uint64_t pc, void (*use)(const struct xs_module *module, void *arg), void *arg);

/* Threads inside dlclose. Where one is, another library may already be where its one was, and rules not have been dropped yet. */
extern _Atomic unsigned xs_unloads_under_way;

/* Drops what was derived from modules; called by the table whenever it changed. */
void xs_rules_drop(void);

#endif
