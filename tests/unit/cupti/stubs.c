/* The neighbours of preload/cupti, reduced to what a test looks at. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "stubs.h"

#include <dlfcn.h>

#include "preload/core/alternate_stack.h"
#include "preload/core/glibc_dlsym.h"
#include "preload/core/hooks.h"
#include "preload/core/notes.h"
#include "preload/core/thread.h"
#include "preload/driver/stream_captures.h"

struct stub_store stub_store;
_Atomic unsigned stub_notes;
const struct xs_clock stub_clock = {.source = XS_CLOCK_MONOTONIC};

XS_TLS struct xs_guard xs_guard;
const struct xs_guard_note xs_guard_unleft;
_Atomic int xs_captures;
XS_TLS uint32_t xs_cupti_correlation;
const struct xs_hooks xs_hooks;

bool xs_on_scratch(void (*function)(void *argument), void *argument) {
    function(argument);
    return true;
}

void *xs_real_dlsym(void *handle, const char *name) { return dlsym(handle, name); }

void xs_note(const char *topic, const char *format, ...) {
    (void)topic;
    (void)format;
    stub_notes++;
}

int64_t xs_clock_from_monotonic(const struct xs_clock *clock, uint64_t monotonic_ns) {
    return (int64_t)(monotonic_ns - clock->origin_ns);
}

#define STUB_ROW(member)                                                                                               \
    int xs_store_device_##member(struct xs_store *store, const struct xs_device_##member *row) {                       \
        (void)store;                                                                                                   \
        stub_store.member = *row;                                                                                      \
        stub_store.rows++;                                                                                             \
        if (stub_store.during_write)                                                                                   \
            stub_store.during_write();                                                                                 \
        return stub_store.fail;                                                                                        \
    }
STUB_ROW(copy)
STUB_ROW(memset)
STUB_ROW(kernel)
STUB_ROW(sync)
STUB_ROW(migration)
