/* Wraps toupper of the C library by RTLD_NEXT. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

__attribute__((visibility("default"))) int next_calls;

__attribute__((visibility("default"))) int toupper(int c) {
    int (*real)(int);
    *(void **)&real = dlsym(RTLD_NEXT, "toupper");
    next_calls++;
    return real(c);
}

/* Nobody after this library defines it. */
__attribute__((visibility("default"))) int next_has_none(void) { return dlsym(RTLD_NEXT, "next_has_none") == NULL; }
