/* The override of dlsym, by which programs get the wrappers. */
#ifndef XFERSPY_PRELOAD_DLSYM_H
#define XFERSPY_PRELOAD_DLSYM_H

#include <stdint.h>

/* Decides what a call of dlsym gets. `caller` is an address in the caller's code. Not 0: the call is answered, and
 * *result is the answer. 0: the trampoline (dlsym_trampoline.c) has to jump to *result, the next dlsym, with the
 * caller's arguments and return address. Any thread, at any time, also before the library's constructors ran. */
int xs_dlsym_route(void *handle, const char *name, void **result, const void *caller);

#endif
