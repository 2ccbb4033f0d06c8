/* Defines the exported dlclose, by which the library learns that code may be unloaded. It calls glibc's dlclose. */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "preload/callsite/native.h"
#include "preload/core/compiler.h"
#include "preload/core/glibc_dlsym.h"

/* The look-up of glibc's dlclose needs no lock, because all threads find the same address. */
XS_EXPORT int xs_dlclose(void *handle);
XS_EXPORT_AS_GLIBC(xs_dlclose, dlclose)
int xs_dlclose(void *handle) {
    static int (*_Atomic cached)(void *);
    int (*real)(void *) = cached;
    if (!real) {
        real = (int (*)(void *))xs_real_dlsym(RTLD_NEXT, "dlclose");
        cached = real;
    }
    xs_native_unloading();
    int r = real(handle);
    xs_native_unloaded();
    return r;
}
