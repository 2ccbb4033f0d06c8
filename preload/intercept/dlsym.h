/* The library's own dlsym, by which programs get the wrappers. */
#ifndef XFERSPY_PRELOAD_INTERCEPT_DLSYM_H
#define XFERSPY_PRELOAD_INTERCEPT_DLSYM_H

#include <stdint.h>

/* Decides the result of a dlsym call. `caller` is an address in the caller's code. Not 0: the call returns *result. 0:
 * *result is the next dlsym, and the trampoline (dlsym_trampoline.c) must jump to it with the caller's arguments and
 * return address. Any thread, at any time, even before the library's constructors ran. */
int xs_dlsym_route(void *handle, const char *name, void **result, const void *caller);

#endif
