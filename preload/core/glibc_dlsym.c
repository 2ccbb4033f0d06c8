/* Finds glibc's dlsym by dlvsym, which the library does not override, and the dlsym that comes after the library's. */
#define _GNU_SOURCE
#include "preload/core/glibc_dlsym.h"

#include <dlfcn.h>
#include <stddef.h>

#include "preload/core/compiler.h"

typedef void *(*dlsym_fn)(void *, const char *);

static dlsym_fn real_dlsym(void) {
    static dlsym_fn cached;
    dlsym_fn fn = __atomic_load_n(&cached, __ATOMIC_RELAXED);
    if (XS_UNLIKELY(!fn)) {
        /* the symbol version since glibc moved dlsym into libc, then the older versions of the two architectures */
        static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17"};
        for (size_t i = 0; !fn && i < sizeof versions / sizeof versions[0]; i++)
            fn = (dlsym_fn)dlvsym(RTLD_NEXT, "dlsym", versions[i]);
        __atomic_store_n(&cached, fn, __ATOMIC_RELAXED);
    }
    return fn;
}

void *xs_real_dlsym(void *handle, const char *name) { return real_dlsym()(handle, name); }

/* Looks up by name without a version: another library's override of dlsym may have none. */
static dlsym_fn next_dlsym(void) {
    static dlsym_fn cached;
    dlsym_fn fn = __atomic_load_n(&cached, __ATOMIC_RELAXED);
    if (XS_UNLIKELY(!fn)) {
        fn = (dlsym_fn)real_dlsym()(RTLD_NEXT, "dlsym");
        fn = fn ? fn : real_dlsym();
        __atomic_store_n(&cached, fn, __ATOMIC_RELAXED);
    }
    return fn;
}

void *xs_next_dlsym(void *handle, const char *name) { return next_dlsym()(handle, name); }

void *xs_next_dlsym_address(void) { return (void *)next_dlsym(); }

bool xs_next_dlsym_is_real(void) { return next_dlsym() == real_dlsym(); }
