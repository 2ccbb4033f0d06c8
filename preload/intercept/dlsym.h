/* Declares the main function of the library's own dlsym, by which programs get the wrappers. */
#ifndef XFERSPY_PRELOAD_INTERCEPT_DLSYM_H
#define XFERSPY_PRELOAD_INTERCEPT_DLSYM_H

#include <stdint.h>

/* Decides the result of a dlsym call. `caller` is an address in the caller's code. Returns a number other than 0 if the
 * call must return *result. Returns 0 if *result is the address of the next dlsym in the search order. In this case the
 * trampoline (dlsym_trampoline.c) must jump to this address with the caller's arguments and return address. Any thread
 * may call this function at any time, even before the library's constructors have run. */
int xs_dlsym_route(void *handle, const char *name, void **result, const void *caller);

#endif
